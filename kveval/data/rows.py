"""Conversion of records to rows: one question on one document, with its accepted answers."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kveval.data.faults import Fault, faulty
from kveval.data.jsonl import UserRecord
from kveval.data.notes import Row, find_notes
from kveval.data.sources import Hub, read_text, source
from kveval.errors import TaskError
from kveval.generators.parts import AnswerType
from kveval.scoring import find_numbers, parse_number
from kveval.scoring.characters import normalize, visible
from kveval.scoring.score_outputs import judge
from kveval.scoring.text import same_text

FIELDS = ("id", "document", "question", "answer")
OPTIONAL = ("distractors",)
WITHOUT_DOCUMENT = "-without-document"
"""Suffix of the ids of closed-book questions. Ids of rows must not end with it."""
ROW = "row"
"""Question kind of all rows."""
MAX_ID = 200
SHOWN = 10
"""Maximum number of field names that one fault lists."""
NOT_GIVEN = "not given"
"""Label of a metadata field that a row lacks."""
MAX_GROUPS = 30
"""Maximum number of values of a field by which results are broken down."""
FEW = 5
"""Number of rows up to which a field that all of them lack is reported line by line."""
_LETTER = re.compile(r"[^\W\d_]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Data:
    """Rows of a data source without faults."""

    rows: tuple[Row, ...]
    answer_type: AnswerType
    warnings: tuple[str, ...]
    """Notes on properties that are not faults but that the author should know."""


@dataclass(frozen=True)
class Reading:
    """Options for the conversion of records to rows."""

    answer_type: AnswerType | None = None
    """None means `number` if every answer is one number without words or units, else `text`."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Names in the source of the fields in `FIELDS` and `OPTIONAL`, where they differ."""
    metadata: tuple[str, ...] = ()
    """Fields by which results are broken down."""
    separator: str | None = None
    """Separator of several answers or distractors in one text."""
    question: str | None = None
    """Question for records that have none."""
    has_documents: bool = True
    documents: Path | None = None
    """Folder of the documents, if the field `document` contains file names; None if it contains the texts."""

    def column(self, field: str) -> str:
        """Name of a field in the source."""
        return self.fields.get(field, field)

    @property
    def needed(self) -> tuple[str, ...]:
        """Names of the fields that every record must have."""
        optional = {
            "document": not self.has_documents,
            "question": self.question is not None,
            "answer": self.answer_type == "free",
        }
        return tuple(name for name in FIELDS if not optional.get(name))

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the fields that are read if a record has them."""
        ignored = {"document": not self.has_documents} | dict.fromkeys(
            ("answer", "distractors"), self.answer_type == "free"
        )
        return tuple(name for name in (*FIELDS, *OPTIONAL) if not ignored.get(name))


def read_data(data: Path | Hub, reading: Reading | None = None) -> Data:
    """Read the rows of a file, a folder or a dataset. Raises TaskError that lists every fault of the source."""
    reading = reading or Reading()
    if reading.documents is not None and not reading.documents.is_dir():
        raise TaskError(f"documents: {reading.documents} is not a folder; give the folder that contains the documents.")
    read = source(data, {*map(reading.column, reading.used), *reading.metadata})
    faults: list[Fault] = []
    records: list[tuple[int, UserRecord]] = []
    for found in read.records():
        if isinstance(found, Fault):
            faults.append(found)
        else:
            records.append(found)
    if not records and not faults:
        faults.append(Fault((), "no rows: write one record for each question"))
    if missing := list(_missing_fields(records, reading, from_texts=bool(read.places.names))):
        raise faulty(read.name, [*faults, *missing], read.places)
    answer_type = reading.answer_type or _type_of(record.get(reading.column("answer")) for _, record in records)
    rows: list[tuple[int, Row]] = []
    for line, record in records:
        row = _row(record, reading, answer_type)
        if isinstance(row, Row):
            rows.append((line, row))
        else:
            faults += [Fault((line,), text) for text in row]
    faults += _duplicate_ids(records, reading.column("id"))
    faults += _oversized_groupings(rows, reading.metadata)
    if faults:
        raise faulty(read.name, faults, read.places)
    used = {*(reading.column(name) for name in reading.used), *reading.metadata}
    unused = sorted({key for _, record in records for key in record} - used)
    notes = find_notes(rows, unused, answer_type, read.places)
    return Data(tuple(row for _, row in rows), answer_type, notes)


def _missing_fields(records: list[tuple[int, UserRecord]], reading: Reading, *, from_texts: bool) -> Iterator[Fault]:
    """Yield one fault for each field that all records lack, instead of one per line."""
    if from_texts:
        for name, instead in (("question", "give question in the task file"), ("answer", "give answer_type: free")):
            if name in reading.needed:
                yield Fault((), f"a folder of texts has no {name}: {instead}")
        return
    keys = list(dict.fromkeys(key for _, record in records for key in record))
    needed = [reading.column(name) for name in reading.needed if len(records) > FEW or name in reading.fields]
    optional = [reading.column(name) for name in OPTIONAL if name in reading.fields]
    for name in (*needed, *optional, *reading.metadata):
        if records and name not in keys:
            found = ", ".join(keys[:SHOWN]) or "none"
            yield Fault(
                (),
                f"no row has the field {name!r} (fields found: {found}): rename the field, or give its name under fields in a "
                "task file",
            )


def _oversized_groupings(rows: list[tuple[int, Row]], metadata: tuple[str, ...]) -> Iterator[Fault]:
    """Yield a fault for each metadata field with too many different values to group rows by."""
    for index, name in enumerate(metadata):
        values = {row.metadata[index][1] for _, row in rows}
        if len(values) > MAX_GROUPS:
            yield Fault(
                (),
                f"metadata: {name!r} has {len(values):,} values: break results down by a field of up to {MAX_GROUPS}",
            )


def _type_of(answers: Iterable[Any]) -> AnswerType:
    texts = [text for answer in answers for text in (answer if isinstance(answer, list) else [answer])]
    are_numbers = [
        isinstance(text, str) and not _LETTER.search(text) and parse_number(text) is not None for text in texts
    ]
    return "number" if are_numbers and all(are_numbers) else "text"


def _row(record: UserRecord, reading: Reading, answer_type: AnswerType) -> Row | list[str]:
    """Return a row, or the texts of all faults of its record."""
    faults: list[str] = []
    columns = {name: reading.column(name) for name in (*FIELDS, *OPTIONAL)}
    identity = _id(record, columns["id"], faults)
    document = _text(record.get(columns["document"]), columns["document"], faults) if reading.has_documents else ""
    if reading.documents is not None and document:
        document = _file_in(reading.documents, document, columns["document"], faults)
    question_text = record.get(columns["question"])
    if reading.question is not None and question_text in (None, ""):
        question_text = reading.question
    question = _text(question_text, columns["question"], faults)
    metadata = tuple((name, _label(record.get(name), name, faults)) for name in reading.metadata)
    if answer_type == "free":
        return faults or Row(identity, document, question, (), (), metadata)
    answer = _texts(record.get(columns["answer"]), columns["answer"], reading.separator, faults)
    others = record.get(columns["distractors"])
    distractors = () if others in (None, "", []) else _texts(others, columns["distractors"], reading.separator, faults)
    if not faults:
        faults += _type_faults(document, answer, distractors, answer_type, columns)
    if not faults:
        faults += [
            f"{columns['answer']} {text!r} would be scored as wrong if repeated exactly: write it as plain text, without markup"
            for text in answer
            if not _is_right(text, answer, distractors, answer_type, question)
        ]
    return faults or Row(identity, document, question, answer, distractors, metadata)


def _file_in(folder: Path, name: str, field: str, faults: list[str]) -> str:
    """Return the text of the file that a field names. The file must be inside the folder."""
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a null byte, circular links
        inside = False
    if not inside:
        faults.append(f"{field} {name!r} is outside {folder}: name a file inside it")
        return ""
    try:
        text = read_text(folder / name)
    except TaskError as error:
        faults.append(str(error).removesuffix("."))
        return ""
    return _text(text, str(folder / name), faults)


def _label(value: Any, name: str, faults: list[str]) -> str:
    """Return a metadata value as a label."""
    if value is None or value == "":
        return NOT_GIVEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():  # a column of integers with a missing value is read as floats
        value = int(value)
    if not isinstance(value, str | int):
        kind = value if isinstance(value, float) else _kind(value)
        faults.append(f"{name} must be text or a whole number to break results down by, but is {kind}")
        return ""
    label = " ".join(str(value).split())
    if not label.isprintable() or len(label) > MAX_ID:
        faults.append(f"{name} must be printable, of up to {MAX_ID} characters, to break results down by")
    return label or NOT_GIVEN


def _id(record: UserRecord, name: str, faults: list[str]) -> str:
    """Return an id without surrounding white space; integers are converted to text."""
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        faults.append(f"{name} must be text or a whole number")
        return ""
    identity = _text(value, name, faults).strip()
    if not identity.isprintable() or len(identity) > MAX_ID or identity.endswith(WITHOUT_DOCUMENT):
        faults.append(
            f"{name} must be printable, of up to {MAX_ID} characters, and not end in {WITHOUT_DOCUMENT}: change it"
        )
        return ""
    return identity


def _text(value: Any, name: str, faults: list[str]) -> str:
    if value is None:
        faults.append(f"{name} is missing")
    elif not isinstance(value, str):
        faults.append(f"{name} must be text, but is {_kind(value)}: write it as text, in quotes")
    elif not visible(value).strip():
        faults.append(f"{name} is empty")
    elif _SURROGATE.search(value):
        faults.append(f"{name} contains half of a surrogate pair, which is not a valid character: remove it")
    else:
        return value
    return ""


def _texts(value: Any, name: str, separator: str | None, faults: list[str]) -> tuple[str, ...]:
    """Return the texts of a value: one text, several with a separator between them, or a list."""
    if separator is not None and isinstance(value, str):
        value = [text.strip() for text in value.split(separator)]
        if "" in value and len(value) > 1:
            faults.append(f"{name} has no text before, between or after {separator!r}: remove the extra separator")
            return ()
    if not isinstance(value, list):
        return (_text(value, name, faults),)
    if others := [one for one in value if not isinstance(one, str)]:
        faults.append(f"{name} must be text or a list of texts, but contains {_kind(others[0])}: write each in quotes")
        return ()
    if not value:
        faults.append(f"{name} is missing")
    return tuple(_text(one, name, faults) for one in value)


def _kind(value: Any) -> str:
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
        type(None): "null",
    }
    return kinds.get(type(value), f"a value of type {type(value).__name__}")


def _type_faults(
    document: str,
    answer: tuple[str, ...],
    distractors: tuple[str, ...],
    answer_type: AnswerType,
    columns: Mapping[str, str],
) -> Iterator[str]:
    """Yield the faults of answers and distractors that do not fit the answer type."""
    if answer_type == "number":
        for text in answer:
            if parse_number(text) is None:
                what = "several numbers" if find_numbers(text) else "no number"
                yield f"{columns['answer']} {text!r} contains {what}: write the number alone, or use answer_type text"
    if answer_type == "copy" and answer and answer[0] not in document:
        yield f"{columns['answer']} does not occur in {columns['document']} word for word: copy it exactly from there"
    for text in distractors:
        if any(_is_same_value(text, right, answer_type) for right in answer):
            yield f"{columns['distractors']} contain {text!r}, which is an accepted {columns['answer']}: remove it"
        elif answer_type == "number" and parse_number(text) is None:
            yield f"{columns['distractors']} contain {text!r}, which is not a single number: write the number alone"
    if answer_type == "copy" and distractors:
        yield f"{columns['distractors']} are for numbers and texts, but the answer is a copy: remove them"
    if answer_type == "copy" and len(answer) > 1:
        yield f"{columns['answer']} is a list, but a copy has one passage: keep one text"


@dataclass(frozen=True)
class _Question:
    """A row's question, as the scorers of a run receive it."""

    answer_type: AnswerType
    gold: tuple[str, ...]
    distractors: tuple[str, ...]
    question: str
    kind: str = ROW
    reasoning_tags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Output:
    text: str
    finish_reason: str | None = "stop"


def _is_right(
    output: str, answer: tuple[str, ...], distractors: tuple[str, ...], answer_type: AnswerType, question: str
) -> bool:
    """Whether a run would score an output as right."""
    sample = _Question(answer_type, answer, distractors, question)
    return judge(sample, "", _Output(output)).right


def _is_same_value(a: str, b: str, answer_type: AnswerType) -> bool:
    if answer_type == "number":
        number = parse_number(a)
        return number is not None and number == parse_number(b)
    return same_text(a, b)


def _duplicate_ids(records: Iterable[tuple[int, UserRecord]], name: str) -> Iterator[Fault]:
    """Yield a fault for each id that occurs more than once.

    Ids are compared without surrounding white space and after NFKC: the number 1, the text "1" and １ are one id.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    for line, record in records:
        identity = _id(record, name, [])
        if identity:
            lines[normalize("NFKC", visible(identity))].append(line)
    for identity, at in lines.items():
        if len(at) > 1:
            yield Fault(tuple(at), f"duplicate id {identity!r}: give each row a unique id")
