"""Values of records: decimals, amounts, percentages, dates, codes and names, with near twins.

The drawn digits of numbers and codes are never zero. So no value ends in zero, and values that differ as text differ as
numbers. The `Formats` of a language define the notation, and keep values apart from all numbers in passages.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from .names import Syllables
from .parts import AnswerType

ValueKind = Literal["decimal", "amount", "percent", "date", "code", "name"]
KINDS: tuple[ValueKind, ...] = get_args(ValueKind)

DIGITS, LETTERS = (
    "123456789",
    "BCDFGHKLMNPQRTVWXZ",
)  # without zero, see above; without vowels, so that codes contain no words
_MAGNITUDES = {"万": 4, "亿": 8}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*[万亿]?")
_DIGIT_OR_NOT = bytes(ord("0") if chr(byte).isdecimal() else ord(" ") for byte in range(256))
_TRIES = 20  # attempts to draw a slip that is not used yet
_LAST_DAY = 28  # exists in every month


@dataclass(frozen=True)
class Formats:
    """Notation of values in one language."""

    masks: Mapping[ValueKind, tuple[str, ...]]
    """Masks of decimals, amounts, percentages and codes: `#` is a digit, `@` a capital letter, the rest is literal."""
    dates: tuple[str, ...]
    """Notation of dates in documents, followed by other notations that are accepted in answers. Fields: `{day}`, `{month}`
    (in words), `{year}`, `{dd}` and `{mm}` (two digits), `{m}` (month as a number), `{th}` (ordinal ending)."""
    months: tuple[str, ...]
    first_year: int
    last_year: int
    first_names: tuple[str, ...]
    """First names with the separator before the surname; may be empty."""
    surnames: Syllables


class Value(NamedTuple):
    """Value, split into the parts in which near twins differ."""

    kind: ValueKind
    parts: tuple[str, ...]
    """Characters; for a date day, month and year as numbers; for a name the first name and the syllables."""


def answer_type(kind: ValueKind) -> AnswerType:
    """Return the answer type of questions about values of this kind."""
    return "number" if kind in ("decimal", "amount", "percent") else "text"


def draw(rng: random.Random, kind: ValueKind, formats: Formats) -> Value:
    """Draw a value of one kind."""
    if kind == "date":
        day, month = rng.randint(1, _LAST_DAY), rng.randint(1, len(formats.months))
        return Value(kind, (str(day), str(month), str(rng.randint(formats.first_year, formats.last_year))))
    if kind == "name":
        return Value(kind, (rng.choice(formats.first_names), *(rng.choice(part) for part in formats.surnames.parts)))
    choices = {"#": DIGITS, "@": LETTERS}
    return Value(kind, tuple([rng.choice(choices.get(char, char)) for char in rng.choice(formats.masks[kind])]))


def write(value: Value, formats: Formats) -> tuple[str, ...]:
    """Return a value as written in documents, followed by other accepted notations."""
    if value.kind == "date":
        day, month, year = map(int, value.parts)
        fields = {"day": day, "month": formats.months[month - 1], "m": month, "year": year}
        fields |= {"dd": f"{day:02d}", "mm": f"{month:02d}"}
        fields["th"] = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return tuple(dict.fromkeys(form.format_map(fields) for form in formats.dates))
    return ("".join(value.parts),)


def near_twins(rng: random.Random, value: Value, formats: Formats, number: int) -> list[Value]:
    """Return `number` distinct values that differ from `value` by one slip.

    Slips are one changed digit or two swapped digits; for a date another day or month; for a name another syllable. The kinds
    of slips alternate as far as possible.
    """
    slips = list(_slips(rng, value, formats))
    drawn: list[Value] = []
    while len(drawn) < number:
        for slip in slips:
            twin = next((twin for _ in range(_TRIES) if (twin := slip()) != value and twin not in drawn), None)
            if twin is not None and len(drawn) < number:
                drawn.append(twin)
    return drawn


def _slips(rng: random.Random, value: Value, formats: Formats) -> Iterator[Callable[[], Value]]:
    """Yield one function per kind of slip. It draws a value that differs by such a slip, or `value` itself."""
    kind, parts = value
    if kind == "date":
        yield lambda: _replaced(value, 0, str(rng.randint(1, _LAST_DAY)))
        yield lambda: _replaced(value, 1, str(rng.randint(1, len(formats.months))))
        return
    if kind == "name":
        syllables = list(enumerate(formats.surnames.parts, 1))
        yield lambda: _replaced(value, (drawn := rng.choice(syllables))[0], rng.choice(drawn[1]))
        return
    places = [place for place, part in enumerate(parts) if part in DIGITS]
    yield lambda: _replaced(value, rng.choice(places), rng.choice(DIGITS))
    if can_swap(value):
        yield lambda: _swapped(value, *rng.sample(places, 2))


def _replaced(value: Value, place: int, part: str) -> Value:
    return Value(value.kind, (*value.parts[:place], part, *value.parts[place + 1 :]))


def _swapped(value: Value, one: int, other: int) -> Value:
    parts = list(value.parts)
    parts[one], parts[other] = parts[other], parts[one]
    return Value(value.kind, tuple(parts))


def can_swap(value: Value) -> bool:
    """Whether a value has two different digits to swap; always true for dates and names."""
    return value.kind in ("date", "name") or len({part for part in value.parts if part in DIGITS}) > 1


@lru_cache(maxsize=4096)  # each question on a document looks up the same values
def number_of(text: str) -> Decimal | None:
    """Return the number that a text represents, with commas as thousands separators; None if it is not a number.

    A percent sign is ignored, since a value and a percentage with the same digits in one document would be ambiguous.
    """
    match = _NUMBER.fullmatch(text.removesuffix("%"))
    return None if match is None else _decimal(match[0])


def numbers_in(document: str) -> Iterator[tuple[Decimal, int]]:
    """Yield every number in a document with its position, including numbers within words."""
    for match in _numerals(document):
        number = _decimal(match[0])
        if number is not None:
            yield number, match.start()


def _numerals(document: str) -> Iterator[re.Match[str]]:
    if not document.isascii():
        yield from _NUMBER.finditer(document)
        return
    # The same in a fifth of the time: most of a document is prose, and finding a byte is much faster than matching a pattern.
    digits = document.encode().translate(_DIGIT_OR_NOT)
    place = digits.find(b"0")
    while place >= 0 and (match := _NUMBER.match(document, place)):
        yield match
        place = digits.find(b"0", match.end())


@lru_cache(maxsize=4096)
def _decimal(numeral: str) -> Decimal | None:
    """Return the value of a numeral; None for 1.2.3, which is not a number."""
    digits = numeral.rstrip("万亿").replace(",", "")
    if digits.count(".") > 1:
        return None
    return Decimal(digits).scaleb(_MAGNITUDES.get(numeral[-1], 0))
