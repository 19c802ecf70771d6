"""Search in finished documents, for the checks of all generators."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..parts import Question

_JOINERS = "-_/%"  # next to a word, they make it part of a longer one
_DIGITS_BEFORE, _DIGITS_BEHIND = re.compile(r"\d[.,]\Z"), re.compile(r"[.,]\d|[十百千万亿]")


def occurrences(text: str, document: str) -> Iterator[int]:
    """Yield every position of `text`, including positions within words; they may overlap."""
    place = document.find(text)
    while place >= 0:
        yield place
        place = document.find(text, place + 1)


def whole_word_positions(text: str, document: str) -> list[int]:
    """Return the positions of `text` as a whole word or words."""
    return [place for place in occurrences(text, document) if is_whole_word(document, place, len(text))]


def is_whole_word(document: str, place: int, length: int) -> bool:
    """Whether the text at `place` is not part of a longer word or number: -0.73, 0.73%, 0.73万 and 1.0.73 are not 0.73.

    Chinese characters always count as boundaries, except that a number before one of 十百千万亿 is part of a longer number.
    """
    end = place + length
    before, behind = document[max(place - 2, 0) : place], document[end : end + 2]
    first, last = document[place], document[end - 1]
    if (first.isdecimal() and _DIGITS_BEFORE.search(before)) or (last.isdecimal() and _DIGITS_BEHIND.match(behind)):
        return False
    return not (_joins(before[-1:], first) or _joins(last, behind[:1]))


def _joins(left: str, right: str) -> bool:
    """Whether two adjacent characters belong to one word."""
    if not left or not right:
        return False
    if _is_han(left) or _is_han(right):
        return False
    return all(char.isalnum() or char in _JOINERS for char in (left, right))


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def pattern(template: str, fields: Mapping[str, str], other: str = ".+") -> re.Pattern[str]:
    """Return a pattern for a template with its `{fields}` filled in.

    `fields` gives the pattern of a field; other fields become groups of their name that match `other`.
    """
    return re.compile(
        re.sub(r"\\\{(\w+)\\\}", lambda field: fields.get(field[1], f"(?P<{field[1]}>{other})"), re.escape(template))
    )


@contextmanager
def proving(question: Question) -> Iterator[None]:
    """Add the text of the question to any ValueError that its check raises."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"question {question.text!r}: {error}") from None


def spans(pieces: Sequence[str], document: str) -> Iterator[range]:
    """Yield the range of each piece in the document. Raises ValueError unless each occurs once, in order."""
    end = 0
    for number, piece in enumerate(pieces):
        start = document.find(piece, end)
        if start < 0 or document.count(piece) != 1:
            found = document.count(piece)
            where = f"before piece {number - 1}" if found == 1 else f"in the document {found} times, not once"
            raise ValueError(f"piece {number} stands {where}")
        end = start + len(piece)
        yield range(start, end)
