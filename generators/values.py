"""The values that records hold: decimals, amounts, percentages, dates, codes and names, with near twins of each.

No digit of a number or code is zero, so that no value ends in one, and values that differ as texts differ as numbers.
How a language writes them is in its `Formats`; that they stay apart from every number in a passage is stated there.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, combinations
from typing import Literal, NamedTuple, get_args

from .names import Syllables
from .parts import AnswerType

ValueKind = Literal["decimal", "amount", "percent", "date", "code", "name"]
KINDS: tuple[ValueKind, ...] = get_args(ValueKind)

_DIGITS, _LETTERS = "123456789", "BCDFGHKLMNPQRTVWXZ"  # without vowels, so that no word comes about
_MAGNITUDES = {"万": 4, "亿": 8}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*[万亿]?")
_LAST_DAY = 28  # that every month has


@dataclass(frozen=True)
class Formats:
    """How one language writes values."""

    masks: Mapping[ValueKind, tuple[str, ...]]
    """Decimals, amounts, percentages and codes: `#` is a digit, `@` a capital letter, everything else stands for itself."""
    dates: tuple[str, ...]
    """A date in a document, and after it the other ways to write it that are accepted in answers; with `{day}`, `{month}`
    (in words), `{year}`, and `{dd}` and `{mm}` in two digits."""
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
    choices = {"#": _DIGITS, "@": _LETTERS}
    return Value(kind, tuple([rng.choice(choices.get(char, char)) for char in rng.choice(formats.masks[kind])]))


def write(value: Value, formats: Formats) -> tuple[str, ...]:
    """A value as a document has it, and after it the other ways to write it that are right."""
    if value.kind == "date":
        day, month, year = map(int, value.parts)
        fields = {
            "day": day,
            "month": formats.months[month - 1],
            "year": year,
            "dd": f"{day:02d}",
            "mm": f"{month:02d}",
        }
        return tuple(form.format_map(fields) for form in formats.dates)
    return ("".join(value.parts),)


def near_twins(rng: random.Random, value: Value, formats: Formats, number: int) -> list[Value]:
    """`number` different values that `value` becomes by a small slip, of either kind by turns as long as there are any: one
    digit changed or two digits swapped; of a date, another day or another month; of a name, another syllable."""
    slips = [list(dict.fromkeys(slip)) for slip in _slips(value, formats)]
    for slip in slips:
        rng.shuffle(slip)
    drawn: dict[Value, None] = {}
    while len(drawn) < number:
        for slip in slips:
            if slip and len(drawn) < number:
                drawn[slip.pop()] = None
    return list(drawn)


def _slips(value: Value, formats: Formats) -> Iterator[Iterator[Value]]:
    """Every value that is one slip away, for each kind of slip."""
    parts = value.parts
    places = [place for place, part in enumerate(parts) if part in _DIGITS]
    if value.kind == "date":
        yield _changed(value, 0, [str(day) for day in range(1, _LAST_DAY + 1)])
        yield _changed(value, 1, [str(month) for month in range(1, len(formats.months) + 1)])
    elif value.kind == "name":
        syllables = enumerate(formats.surnames.parts, 1)
        yield chain.from_iterable(_changed(value, place, options) for place, options in syllables)
    else:
        yield chain.from_iterable(_changed(value, place, _DIGITS) for place in places)
        yield (_swapped(value, a, b) for a, b in combinations(places, 2) if parts[a] != parts[b])


def _changed(value: Value, place: int, options: Sequence[str]) -> Iterator[Value]:
    kind, parts = value
    return (Value(kind, (*parts[:place], option, *parts[place + 1 :])) for option in options if option != parts[place])


def _swapped(value: Value, a: int, b: int) -> Value:
    kind, parts = value
    return Value(kind, (*parts[:a], parts[b], *parts[a + 1 : b], parts[a], *parts[b + 1 :]))


def can_swap(value: Value) -> bool:
    """Whether two different digits can change places; of values without digits, always."""
    return value.kind in ("date", "name") or len({part for part in value.parts if part in _DIGITS}) > 1


def number_of(text: str) -> Decimal | None:
    """The number that a text is, a thousands separator being a comma; None where it is none.

    A percent sign does not count: a value and a percentage of the same digits would confuse whoever reads a document.
    """
    match = _NUMBER.fullmatch(text.removesuffix("%"))
    return None if match is None else _decimal(match[0])


def numbers_in(document: str) -> Iterator[tuple[Decimal, int]]:
    """Every number in a document with its place, also where it is a part of a word."""
    for match in _NUMBER.finditer(document):
        number = _decimal(match[0])
        if number is not None:
            yield number, match.start()


def _decimal(numeral: str) -> Decimal | None:
    """The value of a numeral; None of 1.2.3, which is not a number."""
    digits = numeral.rstrip("万亿").replace(",", "")
    if digits.count(".") > 1:
        return None
    return Decimal(digits).scaleb(_MAGNITUDES.get(numeral[-1], 0))
