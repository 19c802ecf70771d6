"""The base class and field types of all records on disk."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict

Item = TypeVar("Item")

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[int, Field(ge=1, lt=2**63)]
Seconds = Annotated[float, Field(ge=0)]
Array = Annotated[tuple[Item, ...], Strict(False)]
"""A JSON array, read as a list and stored as a tuple."""
Interval = Annotated[tuple[float, float], Strict(False)]
"""Lower and upper limit."""


class Record(BaseModel):
    """One JSON object on disk, also used in memory between writing and reading.

    A field with a default that was never set is not written. Reading is strict: no value is converted to another type. Unknown
    names are ignored.
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
