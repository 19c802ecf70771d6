"""Rows, and what is not wrong with them that their author should know."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kveval.data.faults import Places
from kveval.generators.parts import AnswerType

SHOWN = 10
"""Lines and names that one note names; the rest is counted."""
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
    """Texts that are right, the first one as the document has it."""
    distractors: tuple[str, ...] = ()
    """Values that are wrong."""
    metadata: tuple[tuple[str, str], ...] = ()
    """Fields by which results are broken down, with their values."""


Numbered = list[tuple[int, Row]]
"""Rows with their numbers in their source."""


def find_notes(rows: Numbered, unused: list[str], answer_type: AnswerType, places: Places) -> tuple[str, ...]:
    """Notes on the rows of a source whose numbers `places` names; `unused` are fields that nothing names."""
    return (*_oddities(rows, unused, places), *_strangers(rows, answer_type, places))


def _oddities(rows: Numbered, unused: list[str], places: Places) -> Iterator[str]:
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
        yield f"{_those(differing, places)} ask the same and have different answers"
    tokens = Counter(token for _, row in rows for token in set(_CONTROL.findall(row.document + row.question)))
    if tokens:
        shown = ", ".join(token for token, _ in tokens.most_common(5))
        yield f"texts hold what looks like control tokens ({shown}): they are sent as plain text to every arm"
    if unused:
        names = ", ".join(name or "a column without a name" for name in unused[:SHOWN])
        yield f"not used: {names}{f' and {len(unused) - SHOWN} more' if len(unused) > SHOWN else ''}"


def _strangers(rows: Numbered, answer_type: AnswerType, places: Places) -> Iterator[str]:
    """Rows with values that their documents do not hold: slips of the pen, often."""
    held = {row.document: " ".join(row.document.casefold().split()) for _, row in rows}

    def absent(row: Row, text: str) -> bool:
        return " ".join(text.casefold().split()) not in held[row.document]

    if answer_type == "text":
        lines = [line for line, row in rows if all(absent(row, text) for text in row.answer)]
        if lines:
            yield f"{_those(lines, places)}: the document does not hold the answer as it is written"
    lines = [line for line, row in rows if any(absent(row, text) for text in row.distractors)]
    if lines:
        yield f"{_those(lines, places)}: a distractor does not stand in the document as it is written"


def _those(numbers: list[int], places: Places) -> str:
    return places(numbers[:SHOWN], more=max(0, len(numbers) - SHOWN))
