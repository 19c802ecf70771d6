"""What every record on disk has in common."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict

Item = TypeVar("Item")

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[int, Field(ge=1, lt=2**63)]
Seconds = Annotated[float, Field(ge=0)]
Array = Annotated[tuple[Item, ...], Strict(False)]
"""A JSON array, which Python reads as a list and a record keeps as a tuple."""
Interval = Annotated[tuple[float, float], Strict(False)]
"""Lower and upper limit."""


class Record(BaseModel):
    """One JSON object on disk: what is written, what is read back, and what is passed on in between.

    A field that has a default and was never set is not written. Reading is strict: no value is converted to another type, and
    a name that the type does not have is ignored.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        populate_by_name=True,
        protected_namespaces=(),
        use_attribute_docstrings=True,
    )

    def as_json(self) -> dict[str, Any]:
        """The object as it is written."""
        return self.model_dump(by_alias=True, exclude_unset=True)
