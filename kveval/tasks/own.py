"""Tasks on data of one's own."""

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from kveval.data import Data, Hub, Row
from kveval.data.rows import FIELDS, OPTIONAL
from kveval.generators.parts import AnswerType
from kveval.tasks.task import Task
from kveval.tasks.turn import DOCUMENT


class OwnTask(Task):
    """Questions, and documents if there are any, out of a data file."""

    needs_document: ClassVar[bool] = False

    data: Data
    pad: Literal["filler", "rows", "none"] = "filler"
    """What documents stand among, at every length: `filler`: prose; `rows`: other rows' documents. `none`: each as it is, at
    the shortest length that holds it."""

    @model_validator(mode="after")
    def _pads_documents(self) -> Self:
        if not self.has_documents and self.pad != "none":
            raise ValueError("without {document} in the prompt there is nothing to pad: give pad: none")
        return self

    @property
    def has_documents(self) -> bool:
        return any(DOCUMENT in turn.content for turn in self.turns)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.data.rows

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data.warnings

    @property
    def is_copying(self) -> bool:
        return self.data.answer_type == "copy"

    @property
    def is_free(self) -> bool:
        return self.data.answer_type == "free"

    @property
    def at_every_length(self) -> bool:
        return self.pad != "none"

    @property
    def shares(self) -> object:
        return self.name

    @cached_property
    def by_document(self) -> tuple[tuple[Row, ...], ...]:
        """The rows on each document, documents in the order in which they come up; each row alone where there are none."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.document if self.has_documents else row.id, []).append(row)
        return tuple(map(tuple, found.values()))

    def places(self, samples: int) -> list[int]:
        return [index for index, rows in enumerate(self.by_document) for _ in rows][:samples]


class DataFile(BaseModel):
    """What a task file says of its data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Annotated[
        Annotated[str, Tag("path")] | Annotated[Hub, Tag("hub")],
        Discriminator(lambda value: "hub" if isinstance(value, dict | Hub) else "path"),
    ]
    """Path of a JSONL, CSV or Parquet file or of a folder of text files, from where the task file is; or a dataset's id."""
    fields: dict[str, str] = {}
    """Names of the data's fields, where they are others than these."""
    documents: str | None = Field(default=None, min_length=1)
    """A folder, from where the task file is: the field `document` then names a file in it."""
    question: str | None = None
    """What is asked of every document, where the data have no questions."""
    separator: str | None = Field(default=None, min_length=1)
    """What stands between several answers or distractors in one cell."""
    metadata: tuple[str, ...] = ()
    """Fields of the data by whose values results are broken down."""
    answer_type: AnswerType

    @field_validator("data", mode="before")
    @classmethod
    def _is_a_name_or_a_dataset(cls, data: Any) -> Any:
        if isinstance(data, dict) and "dataset" not in data:
            raise ValueError(
                "write data: NAME for a file or a folder, and data: {dataset: ID, split: NAME} for a dataset"
            )
        return data

    @field_validator("data")
    @classmethod
    def _is_named(cls, data: str | Hub) -> str | Hub:
        if data == "":
            raise ValueError("it is empty: name a file, a folder or a dataset")
        return data

    @field_validator("fields")
    @classmethod
    def _are_known(cls, fields: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(fields) - {*FIELDS, *OPTIONAL}):
            raise ValueError(f"{unknown[0]!r} is no field of a row: name {', '.join((*FIELDS, *OPTIONAL))}")
        columns = [fields.get(name, name) for name in (*FIELDS, *OPTIONAL)]
        if "" in columns or len(set(columns)) < len(columns):
            raise ValueError("each needs a name in the file, and one of its own")
        return fields

    @model_validator(mode="after")
    def _breaks_down_by_other_fields(self) -> Self:
        idle = ("answer", "distractors") if self.answer_type == "free" else ()
        used = {self.fields.get(name, name) for name in (*FIELDS, *OPTIONAL) if name not in idle}
        if taken := sorted(used & set(self.metadata)):
            raise ValueError(f"metadata: {taken[0]!r} is what a row is made of: name other fields")
        if len(set(self.metadata)) < len(self.metadata):
            raise ValueError("metadata: name each field once")
        return self
