"""Rows, and notes on properties that are not faults but that the author should know."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kveval.data.faults import Places
from kveval.generators.parts import AnswerType

SHOWN = 10
"""Maximum number of lines or names that one note lists; the others are counted."""
_CONTROL = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?s>|\[/?INST\]|<(?:bos|eos|pad|unk|(?:start|end)_of_turn)>"
)


@dataclass(frozen=True)
class Row:
    """One question on one document."""

    id: str
    document: str
    question: str
    answer: tuple[str, ...]
    """Accepted answers; the first one as written in the document."""
    distractors: tuple[str, ...] = ()
    """Wrong values that a model might give."""
    metadata: tuple[tuple[str, str], ...] = ()
    """Names and values of fields by which results are broken down."""


Numbered = list[tuple[int, Row]]
"""Rows with their numbers in the source."""


def find_notes(rows: Numbered, unused: list[str], answer_type: AnswerType, places: Places) -> tuple[str, ...]:
    """Return notes on the rows of a source. `unused` are fields that are not read; `places` formats row numbers."""
    return (*_general_notes(rows, unused, places), *_values_not_in_document(rows, answer_type, places))


def _general_notes(rows: Numbered, unused: list[str], places: Places) -> Iterator[str]:
    occurrences = Counter((row.document, row.question) for _, row in rows)
    if len(occurrences) < len(rows):
        pairs = f"{len(occurrences)} unique pair{'s' * (len(occurrences) != 1)}"
        yield f"{len(rows)} rows contain only {pairs} of document and question: duplicates add no evidence"
    answers: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for _, row in rows:
        answers[row.document, row.question].add(row.answer)
    differing = [
        line
        for line, row in rows
        if occurrences[row.document, row.question] > 1 and len(answers[row.document, row.question]) > 1
    ]
    if differing:
        yield f"{_list_lines(differing, places)} ask the same question of the same document but have different answers"
    tokens = Counter(token for _, row in rows for token in set(_CONTROL.findall(row.document + row.question)))
    if tokens:
        shown = ", ".join(token for token, _ in tokens.most_common(5))
        yield f"texts contain what looks like control tokens ({shown}): they are sent as plain text to every arm"
    if unused:
        names = ", ".join(name or "a column without a name" for name in unused[:SHOWN])
        yield f"not used: {names}{f' and {len(unused) - SHOWN} more' if len(unused) > SHOWN else ''}"


def _values_not_in_document(rows: Numbered, answer_type: AnswerType, places: Places) -> Iterator[str]:
    """Yield notes on values that do not occur in the document of their row, which are often mistakes."""
    folded_documents = {row.document: " ".join(row.document.casefold().split()) for _, row in rows}

    def is_missing(row: Row, text: str) -> bool:
        return " ".join(text.casefold().split()) not in folded_documents[row.document]

    if answer_type == "text":
        lines = [line for line, row in rows if all(is_missing(row, text) for text in row.answer)]
        if lines:
            yield f"{_list_lines(lines, places)}: the document does not contain the answer as written"
    lines = [line for line, row in rows if any(is_missing(row, text) for text in row.distractors)]
    if lines:
        yield f"{_list_lines(lines, places)}: the document does not contain a distractor as written"


def _list_lines(numbers: list[int], places: Places) -> str:
    return places(numbers[:SHOWN], more=max(0, len(numbers) - SHOWN))
