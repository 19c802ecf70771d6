"""From the records of a data file to rows: one question on one document, with the answers that are right."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kveval.data.csv import read_csv
from kveval.data.faults import Fault, faulty
from kveval.data.jsonl import Record, read_jsonl
from kveval.errors import TaskError
from kveval.generators.parts import AnswerType
from kveval.scorers import find_numbers, parse_number
from kveval.scorers.characters import normalize, visible
from kveval.scorers.text import same_text
from kveval.scoring import judge

READERS = {".jsonl": read_jsonl, ".csv": read_csv}
FIELDS = ("id", "document", "question", "answer")
OPTIONAL = ("distractors",)
WITHOUT_DOCUMENT = "-without-document"
"""What the ids of questions end with that are asked without their documents; no row's id may."""
ROW = "row"
"""The kind of question that a row is."""
MAX_ID = 200
SHOWN = 10
"""Lines and names that one note names; the rest is counted."""
FEW = 5
"""Rows up to which a field that none of them has is told line by line."""
_CONTROL = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?s>|\[/?INST\]|<(?:bos|eos|pad|unk|(?:start|end)_of_turn)>"
)
_LETTER = re.compile(r"[^\W\d_]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Row:
    """One question on one document."""

    id: str
    document: str
    question: str
    answer: tuple[str, ...]
    """Texts that are right, the first one as the document has it."""
    distractors: tuple[str, ...] = ()
    """Values that are wrong."""


@dataclass(frozen=True)
class Data:
    """A data file that has no faults."""

    rows: tuple[Row, ...]
    answer_type: AnswerType
    warnings: tuple[str, ...]
    """What its author should know, though nothing is wrong with it."""


def read_data(path: Path, answer_type: AnswerType | None = None, fields: Mapping[str, str] | None = None) -> Data:
    """The rows of a JSONL or CSV file, whose fields are named as in `FIELDS` and `OPTIONAL` unless `fields` says how.

    Without an `answer_type` it is `number` where every answer is one alone, without words or units, else `text`. Raises
    TaskError naming the file and every faulty line.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise TaskError(f"{path} is no data file that is known: give one that ends in {' or '.join(READERS)}.")
    content = read_file(path)
    named = {name: (fields or {}).get(name, name) for name in (*FIELDS, *OPTIONAL)}
    faults: list[Fault] = []
    records: list[tuple[int, Record]] = []
    for found in reader(content):
        if isinstance(found, Fault):
            faults.append(found)
        else:
            records.append(found)
    if not records and not faults:
        faults.append(Fault((), "no rows: write one record for each question"))
    if absent := list(_absent(records, named, fields or {})):
        raise faulty(path, [*faults, *absent])
    if answer_type is None:
        answer_type = _type_of(record.get(named["answer"]) for _, record in records)
    rows: list[tuple[int, Row]] = []
    for line, record in records:
        row = _row(record, named, answer_type)
        if isinstance(row, Row):
            rows.append((line, row))
        else:
            faults += [Fault((line,), text) for text in row]
    faults += _repeated(records, named["id"])
    if faults:
        raise faulty(path, faults)
    unused = sorted({key for _, record in records for key in record} - set(named.values()))
    warnings = (*_warnings(rows, unused), *_strangers(rows, answer_type))
    return Data(tuple(row for _, row in rows), answer_type, warnings)


def read_file(path: Path) -> bytes:
    """All of a regular file. Raises TaskError for anything else: a device never ends, a pipe never begins."""
    try:
        if path.exists() and not path.is_file():
            raise TaskError(f"{path} cannot be read: it is no regular file.")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        name = str(path) if str(path).isprintable() else repr(str(path))
        raise TaskError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _absent(records: list[tuple[int, Record]], named: Mapping[str, str], given: Mapping[str, str]) -> Iterator[Fault]:
    """Fields that no record has: told once, and not on every line."""
    keys = list(dict.fromkeys(key for _, record in records for key in record))
    needed = [name for name in FIELDS if len(records) > FEW or name in given]
    for name in (*needed, *(name for name in OPTIONAL if name in given)):
        if records and named[name] not in keys:
            there = ", ".join(keys[:SHOWN]) or "none"
            yield Fault(
                (),
                f"no row has {named[name]!r} (there are: {there}): rename it, or name it under fields in a task file",
            )


def _type_of(answers: Iterable[Any]) -> AnswerType:
    texts = [text for answer in answers for text in (answer if isinstance(answer, list) else [answer])]
    are_numbers = [
        isinstance(text, str) and not _LETTER.search(text) and parse_number(text) is not None for text in texts
    ]
    return "number" if are_numbers and all(are_numbers) else "text"


def _row(record: Record, named: Mapping[str, str], answer_type: AnswerType) -> Row | list[str]:
    """A row, or everything that is wrong with its record."""
    faults: list[str] = []
    texts = {name: _text(record.get(named[name]), named[name], faults) for name in ("document", "question")}
    identity = _id(record, named["id"], faults)
    answer = _texts(record.get(named["answer"]), named["answer"], faults)
    others = record.get(named["distractors"])
    distractors = () if others in (None, "", []) else _texts(others, named["distractors"], faults)
    if not faults:
        faults += _misfits(texts["document"], answer, distractors, answer_type, named)
    if not faults:
        faults += [
            f"{named['answer']} {text!r} is not recognised when it is given back: write the bare text, without markup"
            for text in answer
            if not _is_right(text, answer, distractors, answer_type, texts["question"])
        ]
    return faults or Row(identity, texts["document"], texts["question"], answer, distractors)


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
        faults.append(f"{name} must be text, and is {_kind(value)}: write it in quotes")
    elif not visible(value).strip():
        faults.append(f"{name} is empty")
    elif _SURROGATE.search(value):
        faults.append(f"{name} holds half of a surrogate pair, which is no character")
    else:
        return value
    return ""


def _texts(value: Any, name: str, faults: list[str]) -> tuple[str, ...]:
    """One text, or a list of them."""
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
    return kinds.get(type(value), "something else")


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


def _is_right(
    output: str, answer: tuple[str, ...], distractors: tuple[str, ...], answer_type: AnswerType, question: str
) -> bool:
    """What the scorers of a run would say of an output."""
    sample = {"answer_type": answer_type, "gold": answer, "distractors": distractors, "question": question, "kind": ROW}
    return bool(judge(sample, "", {"text": output, "finish_reason": "stop"})["right"])


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


def _warnings(rows: list[tuple[int, Row]], unused: list[str]) -> Iterator[str]:
    asked = Counter((row.document, row.question) for _, row in rows)
    if len(asked) < len(rows):
        pairs = f"{len(asked)} unique pair{'s' * (len(asked) != 1)}"
        yield f"{len(rows)} rows hold {pairs} of document and question: the others add no evidence"
    answers: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for _, row in rows:
        answers[row.document, row.question].add(row.answer)
    differing = [
        line
        for line, row in rows
        if asked[row.document, row.question] > 1 and len(answers[row.document, row.question]) > 1
    ]
    if differing:
        yield f"{_lines(differing)} ask the same and have different answers"
    tokens = Counter(token for _, row in rows for token in set(_CONTROL.findall(row.document + row.question)))
    if tokens:
        shown = ", ".join(token for token, _ in tokens.most_common(5))
        yield f"texts hold what looks like control tokens ({shown}): they are sent as plain text to every arm"
    if unused:
        names = ", ".join(name or "a column without a name" for name in unused[:SHOWN])
        yield f"not used: {names}{f' and {len(unused) - SHOWN} more' if len(unused) > SHOWN else ''}"


def _strangers(rows: list[tuple[int, Row]], answer_type: AnswerType) -> Iterator[str]:
    """Rows with values that their documents do not hold: slips of the pen, often."""
    held = {row.document: " ".join(row.document.casefold().split()) for _, row in rows}

    def absent(row: Row, text: str) -> bool:
        return " ".join(text.casefold().split()) not in held[row.document]

    if answer_type == "text":
        lines = [line for line, row in rows if all(absent(row, text) for text in row.answer)]
        if lines:
            yield f"{_lines(lines)}: the document does not hold the answer as it is written"
    lines = [line for line, row in rows if any(absent(row, text) for text in row.distractors)]
    if lines:
        yield f"{_lines(lines)}: a distractor does not stand in the document as it is written"


def _lines(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:SHOWN]))
    return f"line{'s' * (len(lines) > 1)} {shown}{f' and {len(lines) - SHOWN} more' if len(lines) > SHOWN else ''}"
