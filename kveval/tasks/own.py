"""Tasks on user data."""

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from kveval.data import Data, Hub, Row
from kveval.data.rows import FIELDS, OPTIONAL
from kveval.generators.parts import AnswerType
from kveval.tasks.task import Task
from kveval.tasks.turn import DOCUMENT


class OwnTask(Task):
    """Task whose questions, and documents if any, come from user data."""

    needs_document: ClassVar[bool] = False

    data: Data
    pad: Literal["filler", "rows", "none"] = "filler"
    """Padding of documents to each length: `filler` is prose, `rows` are other rows' documents. With `none` each question is
    asked once, with its document unpadded, at the shortest length that fits it."""

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
        """Rows grouped by document, in order of first occurrence; one group per row if the task has no documents."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.document if self.has_documents else row.id, []).append(row)
        return tuple(map(tuple, found.values()))

    def places(self, samples: int) -> list[int]:
        return [index for index, rows in enumerate(self.by_document) for _ in rows][:samples]


class DataFile(BaseModel):
    """Fields of a task file that describe its data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Annotated[
        Annotated[str, Tag("path")] | Annotated[Hub, Tag("hub")],
        Discriminator(lambda value: "hub" if isinstance(value, dict | Hub) else "path"),
    ]
    """Path of a JSONL, CSV or Parquet file or of a folder of text files, relative to the task file; or a dataset's id."""
    fields: dict[str, str] = {}
    """Names in the data of the fields id, document, question, answer and distractors, where they differ."""
    documents: str | None = Field(default=None, min_length=1)
    """Folder, relative to the task file, of the files that the field `document` names."""
    question: str | None = None
    """Question about every document, if the data have no questions."""
    separator: str | None = Field(default=None, min_length=1)
    """Separator of several answers or distractors in one cell."""
    metadata: tuple[str, ...] = ()
    """Fields of the data by whose values results are broken down."""
    answer_type: AnswerType

    @field_validator("data", mode="before")
    @classmethod
    def _data_is_a_path_or_a_dataset(cls, data: Any) -> Any:
        if isinstance(data, dict) and "dataset" not in data:
            raise ValueError(
                "write data: NAME for a file or a folder, and data: {dataset: ID, split: NAME} for a dataset"
            )
        return data

    @field_validator("data")
    @classmethod
    def _data_is_not_empty(cls, data: str | Hub) -> str | Hub:
        if data == "":
            raise ValueError("it is empty: give a file, a folder or a dataset")
        return data

    @field_validator("fields")
    @classmethod
    def _fields_are_known(cls, fields: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(fields) - {*FIELDS, *OPTIONAL}):
            raise ValueError(f"{unknown[0]!r} is no field of a row: use {', '.join((*FIELDS, *OPTIONAL))}")
        columns = [fields.get(name, name) for name in (*FIELDS, *OPTIONAL)]
        if "" in columns or len(set(columns)) < len(columns):
            raise ValueError("each needs a name in the file, and one of its own")
        return fields

    @model_validator(mode="after")
    def _metadata_are_other_fields(self) -> Self:
        ignored = ("answer", "distractors") if self.answer_type == "free" else ()
        used = {self.fields.get(name, name) for name in (*FIELDS, *OPTIONAL) if name not in ignored}
        if overlap := sorted(used & set(self.metadata)):
            raise ValueError(f"metadata: {overlap[0]!r} is what a row is made of: give other fields")
        if len(set(self.metadata)) < len(self.metadata):
            raise ValueError("metadata: give each field once")
        return self
