"""The values that records hold: decimals, amounts, percentages, dates, codes and names, with near twins of each.

No digit of a number or code is zero, so that no value ends in one, and values that differ as texts differ as numbers.
How a language writes them is in its `Formats`; that they stay apart from every number in a passage is stated there.
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
)  # without zero, see above; without vowels, so that no word comes about
_MAGNITUDES = {"万": 4, "亿": 8}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*[万亿]?")
_DIGIT_OR_NOT = bytes(ord("0") if chr(byte).isdecimal() else ord(" ") for byte in range(256))
_TRIES = 20  # to draw a slip that was not drawn before
_LAST_DAY = 28  # that every month has


@dataclass(frozen=True)
class Formats:
    """How one language writes values."""

    masks: Mapping[ValueKind, tuple[str, ...]]
    """Decimals, amounts, percentages and codes: `#` is a digit, `@` a capital letter, everything else stands for itself."""
    dates: tuple[str, ...]
    """A date in a document, and after it the other ways to write it that are accepted in answers; with `{day}`, `{month}`
    (in words), `{year}`; `{dd}` and `{mm}` in two digits, `{m}` the month as a number, `{th}` the ending of an ordinal."""
    months: tuple[str, ...]
    first_year: int
    last_year: int
    first_names: tuple[str, ...]
    """What may stand before a name, with what separates them."""
    surnames: Syllables


class Value(NamedTuple):
    """One value, in the parts in which near twins differ."""

    kind: ValueKind
    parts: tuple[str, ...]
    """Characters; of a date day, month and year as numbers; of a name the first name and the syllables."""


def answer_type(kind: ValueKind) -> AnswerType:
    """How answers that name a value of this kind are judged."""
    return "number" if kind in ("decimal", "amount", "percent") else "text"


def draw(rng: random.Random, kind: ValueKind, formats: Formats) -> Value:
    """A value of one kind."""
    if kind == "date":
        day, month = rng.randint(1, _LAST_DAY), rng.randint(1, len(formats.months))
        return Value(kind, (str(day), str(month), str(rng.randint(formats.first_year, formats.last_year))))
    if kind == "name":
        return Value(kind, (rng.choice(formats.first_names), *(rng.choice(part) for part in formats.surnames.parts)))
    choices = {"#": DIGITS, "@": LETTERS}
    return Value(kind, tuple([rng.choice(choices.get(char, char)) for char in rng.choice(formats.masks[kind])]))


def write(value: Value, formats: Formats) -> tuple[str, ...]:
    """A value as a document has it, and after it the other ways to write it that are right."""
    if value.kind == "date":
        day, month, year = map(int, value.parts)
        fields = {"day": day, "month": formats.months[month - 1], "m": month, "year": year}
        fields |= {"dd": f"{day:02d}", "mm": f"{month:02d}"}
        fields["th"] = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return tuple(dict.fromkeys(form.format_map(fields) for form in formats.dates))
    return ("".join(value.parts),)


def near_twins(rng: random.Random, value: Value, formats: Formats, number: int) -> list[Value]:
    """`number` different values that `value` becomes by a small slip, of either kind by turns as long as there are any: one
    digit changed or two digits swapped; of a date, another day or another month; of a name, another syllable."""
    slips = list(_slips(rng, value, formats))
    drawn: list[Value] = []
    while len(drawn) < number:
        for slip in slips:
            twin = next((twin for _ in range(_TRIES) if (twin := slip()) != value and twin not in drawn), None)
            if twin is not None and len(drawn) < number:
                drawn.append(twin)
    return drawn


def _slips(rng: random.Random, value: Value, formats: Formats) -> Iterator[Callable[[], Value]]:
    """For each kind of slip what draws a value that is one away, or `value` itself."""
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
    """Whether two different digits can change places; of values without digits, always."""
    return value.kind in ("date", "name") or len({part for part in value.parts if part in DIGITS}) > 1


@lru_cache(maxsize=4096)  # the values of a document come up again with every question on it
def number_of(text: str) -> Decimal | None:
    """The number that a text is, a thousands separator being a comma; None where it is none.

    A percent sign does not count: a value and a percentage of the same digits would confuse whoever reads a document.
    """
    match = _NUMBER.fullmatch(text.removesuffix("%"))
    return None if match is None else _decimal(match[0])


def numbers_in(document: str) -> Iterator[tuple[Decimal, int]]:
    """Every number in a document with its place, also where it is a part of a word."""
    for match in _numerals(document):
        number = _decimal(match[0])
        if number is not None:
            yield number, match.start()


def _numerals(document: str) -> Iterator[re.Match[str]]:
    if not document.isascii():
        yield from _NUMBER.finditer(document)
        return
    # The same in a fifth of the time: most of a document is prose, and a byte is found much faster than a pattern.
    digits = document.encode().translate(_DIGIT_OR_NOT)
    place = digits.find(b"0")
    while place >= 0 and (match := _NUMBER.match(document, place)):
        yield match
        place = digits.find(b"0", match.end())


@lru_cache(maxsize=4096)
def _decimal(numeral: str) -> Decimal | None:
    """The value of a numeral; None of 1.2.3, which is not a number."""
    digits = numeral.rstrip("万亿").replace(",", "")
    if digits.count(".") > 1:
        return None
    return Decimal(digits).scaleb(_MAGNITUDES.get(numeral[-1], 0))
