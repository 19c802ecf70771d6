"""Where a text stands in a finished document: what the checks of all generators are made of."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..parts import Question

_JOINERS = "-_/%"  # beside a word, they make it a part of a longer one
_DIGITS_BEFORE, _DIGITS_BEHIND = re.compile(r"\d[.,]\Z"), re.compile(r"[.,]\d|[十百千万亿]")


def occurrences(text: str, document: str) -> Iterator[int]:
    """Every place at which `text` stands, also as a part of a word."""
    place = document.find(text)
    while place >= 0:
        yield place
        place = document.find(text, place + 1)


def standing_alone(text: str, document: str) -> list[int]:
    """The places at which `text` stands as a word or words of its own."""
    return [place for place in occurrences(text, document) if stands_alone(document, place, len(text))]


def stands_alone(document: str, place: int, length: int) -> bool:
    """Whether no word or number goes on before or after: -0.73, 0.73%, 0.73万 and 1.0.73 are other things than 0.73.

    Between Chinese characters, and between one of them and a digit, there is no boundary to look for.
    """
    end = place + length
    before, behind = document[max(place - 2, 0) : place], document[end : end + 2]
    first, last = document[place], document[end - 1]
    if (first.isdecimal() and _DIGITS_BEFORE.search(before)) or (last.isdecimal() and _DIGITS_BEHIND.match(behind)):
        return False
    return not (_joins(before[-1:], first) or _joins(last, behind[:1]))


def _joins(left: str, right: str) -> bool:
    """Whether two characters are of one word."""
    if not left or not right:
        return False
    if _is_han(left) or _is_han(right):
        return False
    return all(char.isalnum() or char in _JOINERS for char in (left, right))


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def pattern(template: str, fields: Mapping[str, str], other: str = ".+") -> re.Pattern[str]:
    """What a template can look like when its `{fields}` are filled in: by what `fields` says of each, or else by a group of
    that name that matches `other`."""
    return re.compile(
        re.sub(r"\\\{(\w+)\\\}", lambda field: fields.get(field[1], f"(?P<{field[1]}>{other})"), re.escape(template))
    )


@contextmanager
def proving(question: Question) -> Iterator[None]:
    """Adds the question to a ValueError that its proof raises."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"question {question.text!r}: {error}") from None


def spans(pieces: Sequence[str], document: str) -> Iterator[range]:
    """Where each piece stands. Raises ValueError unless they stand there once each, in their order."""
    end = 0
    for number, piece in enumerate(pieces):
        start = document.find(piece, end)
        if start < 0 or document.count(piece) != 1:
            found = document.count(piece)
            where = f"before piece {number - 1}" if found == 1 else f"in the document {found} times, not once"
            raise ValueError(f"piece {number} stands {where}")
        end = start + len(piece)
        yield range(start, end)
