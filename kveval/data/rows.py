"""From the records of a data file to rows: one question on one document, with the answers that are right."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kveval.data.faults import Fault, faulty
from kveval.data.jsonl import Record
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
"""What the ids of questions end with that are asked without their documents; no row's id may."""
ROW = "row"
"""The kind of question that a row is."""
MAX_ID = 200
SHOWN = 10
"""Lines and names that one note names; the rest is counted."""
NOT_GIVEN = "not given"
"""The value of a field that a row does not have."""
MOST_GROUPS = 30
"""Values that a field may have by which results are broken down."""
FEW = 5
"""Rows up to which a field that none of them has is told line by line."""
_LETTER = re.compile(r"[^\W\d_]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Data:
    """A data file that has no faults."""

    rows: tuple[Row, ...]
    answer_type: AnswerType
    warnings: tuple[str, ...]
    """What its author should know, though nothing is wrong with it."""


@dataclass(frozen=True)
class Reading:
    """How the records of a source become rows."""

    answer_type: AnswerType | None = None
    """Without one it is `number` where every answer is one alone, without words or units, else `text`."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What the fields of `FIELDS` and `OPTIONAL` are called there, where it is something else."""
    metadata: tuple[str, ...] = ()
    """Fields to break results down by."""
    separator: str | None = None
    """What stands between several answers or distractors in one text."""
    question: str | None = None
    """What is asked where the records have no questions."""
    has_documents: bool = True
    documents: Path | None = None
    """A folder in which the field `document` names a file; None where it is the text itself."""

    def named(self, field: str) -> str:
        return self.fields.get(field, field)

    @property
    def needed(self) -> tuple[str, ...]:
        """The fields that every record must have."""
        spare = {
            "document": not self.has_documents,
            "question": self.question is not None,
            "answer": self.answer_type == "free",
        }
        return tuple(name for name in FIELDS if not spare.get(name))

    @property
    def used(self) -> tuple[str, ...]:
        """The fields that say something, where a record has them."""
        idle = {"document": not self.has_documents} | dict.fromkeys(
            ("answer", "distractors"), self.answer_type == "free"
        )
        return tuple(name for name in (*FIELDS, *OPTIONAL) if not idle.get(name))


def read_data(data: Path | Hub, reading: Reading | None = None) -> Data:
    """The rows of a file, a folder or a dataset. Raises TaskError naming the source and every fault."""
    reading = reading or Reading()
    if reading.documents is not None and not reading.documents.is_dir():
        raise TaskError(f"documents: {reading.documents} is no folder: name the one that holds the documents.")
    read = source(data, {*map(reading.named, reading.used), *reading.metadata})
    faults: list[Fault] = []
    records: list[tuple[int, Record]] = []
    for found in read.records():
        if isinstance(found, Fault):
            faults.append(found)
        else:
            records.append(found)
    if not records and not faults:
        faults.append(Fault((), "no rows: write one record for each question"))
    if absent := list(_absent(records, reading, of_texts=bool(read.places.names))):
        raise faulty(read.name, [*faults, *absent], read.places)
    answer_type = reading.answer_type or _type_of(record.get(reading.named("answer")) for _, record in records)
    rows: list[tuple[int, Row]] = []
    for line, record in records:
        row = _row(record, reading, answer_type)
        if isinstance(row, Row):
            rows.append((line, row))
        else:
            faults += [Fault((line,), text) for text in row]
    faults += _repeated(records, reading.named("id"))
    faults += _too_various(rows, reading.metadata)
    if faults:
        raise faulty(read.name, faults, read.places)
    used = {*(reading.named(name) for name in reading.used), *reading.metadata}
    unused = sorted({key for _, record in records for key in record} - used)
    notes = find_notes(rows, unused, answer_type, read.places)
    return Data(tuple(row for _, row in rows), answer_type, notes)


def _absent(records: list[tuple[int, Record]], reading: Reading, *, of_texts: bool) -> Iterator[Fault]:
    """Fields that no record has: told once, and not on every line."""
    if of_texts:
        for name, instead in (("question", "give question in the task file"), ("answer", "give answer_type: free")):
            if name in reading.needed:
                yield Fault((), f"a folder of texts has no {name}: {instead}")
        return
    keys = list(dict.fromkeys(key for _, record in records for key in record))
    needed = [reading.named(name) for name in reading.needed if len(records) > FEW or name in reading.fields]
    optional = [reading.named(name) for name in OPTIONAL if name in reading.fields]
    for name in (*needed, *optional, *reading.metadata):
        if records and name not in keys:
            there = ", ".join(keys[:SHOWN]) or "none"
            yield Fault(
                (), f"no row has {name!r} (there are: {there}): rename it, or name it under fields in a task file"
            )


def _too_various(rows: list[tuple[int, Row]], metadata: tuple[str, ...]) -> Iterator[Fault]:
    """Fields whose values tell rows apart instead of putting them into groups."""
    for index, name in enumerate(metadata):
        values = {row.metadata[index][1] for _, row in rows}
        if len(values) > MOST_GROUPS:
            yield Fault(
                (),
                f"metadata: {name!r} has {len(values):,} values: break results down by a field of up to {MOST_GROUPS}",
            )


def _type_of(answers: Iterable[Any]) -> AnswerType:
    texts = [text for answer in answers for text in (answer if isinstance(answer, list) else [answer])]
    are_numbers = [
        isinstance(text, str) and not _LETTER.search(text) and parse_number(text) is not None for text in texts
    ]
    return "number" if are_numbers and all(are_numbers) else "text"


def _row(record: Record, reading: Reading, answer_type: AnswerType) -> Row | list[str]:
    """A row, or everything that is wrong with its record."""
    faults: list[str] = []
    named = {name: reading.named(name) for name in (*FIELDS, *OPTIONAL)}
    identity = _id(record, named["id"], faults)
    document = _text(record.get(named["document"]), named["document"], faults) if reading.has_documents else ""
    if reading.documents is not None and document:
        document = _file_in(reading.documents, document, named["document"], faults)
    asked = record.get(named["question"])
    if reading.question is not None and asked in (None, ""):
        asked = reading.question
    question = _text(asked, named["question"], faults)
    metadata = tuple((name, _label(record.get(name), name, faults)) for name in reading.metadata)
    if answer_type == "free":
        return faults or Row(identity, document, question, (), (), metadata)
    answer = _texts(record.get(named["answer"]), named["answer"], reading.separator, faults)
    others = record.get(named["distractors"])
    distractors = () if others in (None, "", []) else _texts(others, named["distractors"], reading.separator, faults)
    if not faults:
        faults += _misfits(document, answer, distractors, answer_type, named)
    if not faults:
        faults += [
            f"{named['answer']} {text!r} is not recognised when it is given back: write the bare text, without markup"
            for text in answer
            if not _is_right(text, answer, distractors, answer_type, question)
        ]
    return faults or Row(identity, document, question, answer, distractors, metadata)


def _file_in(folder: Path, name: str, field: str, faults: list[str]) -> str:
    """The text of the file that a field names. The name cannot lead out of the folder."""
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a null byte, links in a circle
        inside = False
    if not inside:
        faults.append(f"{field} {name!r} leads out of {folder}: name a file in it")
        return ""
    try:
        text = read_text(folder / name)
    except TaskError as error:
        faults.append(str(error).removesuffix("."))
        return ""
    return _text(text, str(folder / name), faults)


def _label(value: Any, name: str, faults: list[str]) -> str:
    """A value to break results down by."""
    if value is None or value == "":
        return NOT_GIVEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():  # what a column of numbers becomes when one is missing
        value = int(value)
    if not isinstance(value, str | int):
        what = value if isinstance(value, float) else _kind(value)
        faults.append(f"{name} must be text or a whole number to break results down by, and is {what}")
        return ""
    label = " ".join(str(value).split())
    if not label.isprintable() or len(label) > MAX_ID:
        faults.append(f"{name} must be printable, of up to {MAX_ID} characters, to break results down by")
    return label or NOT_GIVEN


def _id(record: Record, name: str, faults: list[str]) -> str:
    """An id without white space around it; a whole number is as good as its digits."""
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        faults.append(f"{name} must be text or a whole number")
        return ""
    identity = _text(value, name, faults).strip()
    if not identity.isprintable() or len(identity) > MAX_ID or identity.endswith(WITHOUT_DOCUMENT):
        faults.append(
            f"{name} must be printable, of up to {MAX_ID} characters, and not end in {WITHOUT_DOCUMENT}: give it another"
        )
        return ""
    return identity


def _text(value: Any, name: str, faults: list[str]) -> str:
    if value is None:
        faults.append(f"{name} is missing")
    elif not isinstance(value, str):
        faults.append(f"{name} must be text, and is {_kind(value)}: write it as text, in quotes")
    elif not visible(value).strip():
        faults.append(f"{name} is empty")
    elif _SURROGATE.search(value):
        faults.append(f"{name} holds half of a surrogate pair, which is no character")
    else:
        return value
    return ""


def _texts(value: Any, name: str, separator: str | None, faults: list[str]) -> tuple[str, ...]:
    """One text, or a list of them."""
    if separator is not None and isinstance(value, str):
        value = [text.strip() for text in value.split(separator)]
        if "" in value and len(value) > 1:
            faults.append(f"{name} has nothing before, between or behind {separator!r}: leave that one out")
            return ()
    if not isinstance(value, list):
        return (_text(value, name, faults),)
    if odd := [one for one in value if not isinstance(one, str)]:
        faults.append(f"{name} must be text or a list of texts, and holds {_kind(odd[0])}: write each in quotes")
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
    return kinds.get(type(value), f"of the type {type(value).__name__}")


def _misfits(
    document: str,
    answer: tuple[str, ...],
    distractors: tuple[str, ...],
    answer_type: AnswerType,
    named: Mapping[str, str],
) -> Iterator[str]:
    """What fits no answer of this type."""
    if answer_type == "number":
        for text in answer:
            if parse_number(text) is None:
                what = "several numbers" if find_numbers(text) else "no number"
                yield f"{named['answer']} {text!r} holds {what}: write the number alone, or use answer_type text"
    if answer_type == "copy" and answer and answer[0] not in document:
        yield f"{named['answer']} does not stand in {named['document']} word for word, and is to be copied from there"
    for text in distractors:
        if any(_same(text, right, answer_type) for right in answer):
            yield f"{named['distractors']} hold {text!r}, which is an {named['answer']}: a right answer would count as wrong"
        elif answer_type == "number" and parse_number(text) is None:
            yield f"{named['distractors']} hold {text!r}, which is no single number: write the number alone"
    if answer_type == "copy" and distractors:
        yield f"{named['distractors']} are for numbers and texts: a copy has none"
    if answer_type == "copy" and len(answer) > 1:
        yield f"{named['answer']} is a list, and a copy has one passage: keep one"


@dataclass(frozen=True)
class _Question:
    """A row's question, as the scorers of a run see it."""

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
    """What the scorers of a run would say of an output."""
    asked = _Question(answer_type, answer, distractors, question)
    return judge(asked, "", _Output(output)).right


def _same(a: str, b: str, answer_type: AnswerType) -> bool:
    if answer_type == "number":
        number = parse_number(a)
        return number is not None and number == parse_number(b)
    return same_text(a, b)


def _repeated(records: Iterable[tuple[int, Record]], name: str) -> Iterator[Fault]:
    """Ids that a reader takes for the same: without white space around them; the number 1 and the text "1"; 1 and １."""
    lines: dict[str, list[int]] = defaultdict(list)
    for line, record in records:
        identity = _id(record, name, [])
        if identity:
            lines[normalize("NFKC", visible(identity))].append(line)
    for identity, at in lines.items():
        if len(at) > 1:
            yield Fault(tuple(at), f"duplicate id {identity!r}: give each row one of its own")
