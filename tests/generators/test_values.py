"""Values of records have the language's notation, differ from near twins by one slip, and compare as numbers."""

import random
import re
from datetime import date
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import values
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.names import Syllables
from kveval.generators.values import Formats, Value, ValueKind

from .documents import BOTH, CODES, SEEDS

FORMATS: dict[Code, Formats] = {code: LANGUAGES[code].records.formats for code in CODES}
FORMS: dict[Code, dict[ValueKind, str]] = {
    "en": {
        "decimal": r"[1-9]\.[1-9]|[1-9]\.[1-9]{2}|[1-9]{2}\.[1-9]|0\.[1-9]{2,3}",
        "amount": r"[1-9]{3},[1-9]{3}|[1-9],[1-9]{3},[1-9]{3}",
        "percent": r"(?:[1-9]\.[1-9]{1,2}|[1-9]{2}\.[1-9]|0\.[1-9]{2})%",
        "date": r"(?:[1-9]|1\d|2[0-8]) [A-Z][a-z]{2,8} (?:19|20)\d\d",
        "code": r"[A-Z][1-9]{2}-[1-9]{3}[A-Z]|[A-Z]{2}[1-9]{2}-[1-9]{2}|(?:[1-9][A-Z]{2}|[A-Z][1-9][A-Z])-[1-9]{3}",
        "name": r"[A-Z][a-z]+ [A-Z][a-z]+",
    },
    "zh": {
        "amount": r"[1-9]{2}\.[1-9]{2}万|[1-9]{3}\.[1-9]万|[1-9]\.[1-9]{2}亿|[1-9]{3},[1-9]{3}",
        "date": r"(?:19|20)\d\d年(?:[1-9]|1[0-2])月(?:[1-9]|1\d|2[0-8])日",
        "name": "[\u4e00-\u9fff]{3}",
    },
}
"""Regexes for values, independent of the masks; Chinese ones where they differ."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def form_of(code: Code, kind: ValueKind) -> str:
    return FORMS[code].get(kind) or FORMS["en"][kind]


def day_of(text: str) -> date:
    """Parse a date in any notation of either language."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if words := re.findall(r"[A-Z][a-z]+", text):
        day, year = numbers
        return date(year, MONTHS.index(words[0][:3]) + 1, day)
    return date(*(numbers if numbers[0] > 31 else reversed(numbers)))


def is_changed(text: str, twin: str) -> bool:
    """Whether two texts differ in exactly one digit."""
    return len(text) == len(twin) and sum(a != b for a, b in zip(text, twin, strict=True)) == 1


def is_swapped(text: str, twin: str) -> bool:
    """Whether two texts differ by two swapped characters."""
    if len(text) != len(twin):
        return False
    differing = [(a, b) for a, b in zip(text, twin, strict=True) if a != b]
    return len(differing) == 2 and differing[0] == differing[1][::-1]


def readings(name: str, kind: Syllables) -> list[tuple[str, ...]]:
    """Return all ways to split a name into syllables, one of each part."""
    found: list[tuple[tuple[str, ...], str]] = [((), name)]
    for part in kind.parts:
        found = [
            ((*taken, syllable), rest.removeprefix(syllable))
            for taken, rest in found
            for syllable in part
            if rest.startswith(syllable)
        ]
    return [taken for taken, rest in found if not rest]


def is_another_syllable(text: str, twin: str, formats: Formats) -> bool:
    """Whether two names have the same first name and differ in exactly one syllable."""
    first = next(name for name in sorted(formats.first_names, key=len, reverse=True) if text.startswith(name))
    return twin.startswith(first) and any(
        sum(a != b for a, b in zip(one, other, strict=True)) == 1
        for one in readings(text.removeprefix(first), formats.surnames)
        for other in readings(twin.removeprefix(first), formats.surnames)
    )


def is_slip(kind: ValueKind, text: str, twin: str, formats: Formats) -> bool:
    """Whether two values of a kind differ by one slip."""
    if kind == "date":
        one, other = day_of(text), day_of(twin)
        return one.year == other.year and (one.day != other.day) != (one.month != other.month)
    if kind == "name":
        return is_another_syllable(text, twin, formats)
    return is_changed(text, twin) or is_swapped(text, twin)


def drawn(code: Code, kind: ValueKind, seed: object, count: int) -> list[Value]:
    rng = random.Random(str(seed))
    return [values.draw(rng, kind, FORMATS[code]) for _ in range(count)]


def written(value: Value, code: Code) -> str:
    return values.write(value, FORMATS[code])[0]


KINDS = pytest.mark.parametrize("kind", values.KINDS)


def test_every_kind_is_named_once() -> None:
    assert get_args(ValueKind) == values.KINDS
    assert len(set(values.KINDS)) == len(values.KINDS) == 6


@BOTH
@KINDS
@given(seed=SEEDS)
@settings(max_examples=10)
def test_a_value_looks_like_its_kind(code: Code, kind: ValueKind, seed: int) -> None:
    for value in drawn(code, kind, seed, 50):
        text, *_ = values.write(value, FORMATS[code])
        assert value.kind == kind
        assert re.fullmatch(form_of(code, kind), text), text
        assert (values.number_of(text) is not None) == (values.answer_type(kind) == "number")


@BOTH
@KINDS
def test_values_vary(code: Code, kind: ValueKind) -> None:
    texts = [written(value, code) for value in drawn(code, kind, 0, 1_000)]
    assert len(set(texts)) > 500
    if kind not in ("date", "name"):
        masks = {re.sub("[A-Z]", "@", re.sub("[1-9]", "#", text)) for text in texts}
        assert masks == set(FORMATS[code].masks[kind])


@pytest.mark.parametrize(
    ("kind", "judged"),
    [
        ("decimal", "number"),
        ("amount", "number"),
        ("percent", "number"),
        ("date", "text"),
        ("code", "text"),
        ("name", "text"),
    ],
)
def test_answer_types(kind: ValueKind, judged: str) -> None:
    assert values.answer_type(kind) == judged


@BOTH
@KINDS
@given(seed=SEEDS)
@settings(max_examples=10)
def test_values_that_differ_as_texts_differ_as_numbers(code: Code, kind: ValueKind, seed: int) -> None:
    texts = {written(value, code) for value in drawn(code, kind, seed, 200)}
    assert len({values.number_of(text) or text for text in texts}) == len(texts)


@BOTH
@given(seed=SEEDS)
@settings(max_examples=20)
def test_only_dates_have_other_notations_and_all_give_the_same_day(code: Code, seed: int) -> None:
    for kind in values.KINDS:
        for value in drawn(code, kind, seed, 20):
            forms = values.write(value, FORMATS[code])
            assert len(forms) == len(set(forms)) == 1 or kind == "date"
            if kind == "date":
                day, month, year = map(int, value.parts)
                assert {day_of(form) for form in forms} == {date(year, month, day)}
                assert date(year, month, day).isoformat() in forms


@pytest.mark.parametrize(
    ("code", "forms"),
    [
        ("en", {"5 March 1950", "March 5, 1950", "March 5th, 1950", "5th of March 1950", "1950-03-05", "5.3.1950"}),
        ("zh", {"1950年3月5日", "1950-03-05", "1950年03月05日", "1950 年 3 月 5 日", "1950年3月5号", "1950/3/5"}),
    ],
)
def test_ways_to_write_a_date(code: Code, forms: set[str]) -> None:
    written = values.write(Value("date", ("5", "3", "1950")), FORMATS[code])
    assert written[0] in ("5 March 1950", "1950年3月5日")
    assert forms <= set(written)


@pytest.mark.parametrize(
    ("day", "written"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ordinals_of_days(day: int, written: str) -> None:
    assert f"{written} of May 1950" in values.write(Value("date", (str(day), "5", "1950")), FORMATS["en"])


def test_all_days_and_years_occur() -> None:
    days = {day_of(written(value, "en")) for value in drawn("en", "date", 0, 20_000)}
    assert {day.day for day in days} == set(range(1, 29))
    assert {day.month for day in days} == set(range(1, 13))
    assert {day.year for day in days} == set(range(1921, 2020))


@BOTH
@KINDS
@given(seed=SEEDS)
@settings(max_examples=20)
def test_near_twins_differ_by_one_slip(code: Code, kind: ValueKind, seed: int) -> None:
    rng = random.Random(seed)
    value = next(value for value in drawn(code, kind, seed, 1_000) if values.can_swap(value))
    text = written(value, code)
    twins = [written(twin, code) for twin in values.near_twins(rng, value, FORMATS[code], 6)]
    assert len(set(twins)) == 6
    for twin in twins:
        assert is_slip(kind, text, twin, FORMATS[code]), twin
        assert re.fullmatch(form_of(code, kind), twin), twin
    if kind == "date":
        assert all(day_of(twin).month == day_of(text).month for twin in twins[::2])
        assert all(day_of(twin).day == day_of(text).day for twin in twins[1::2])
    elif kind != "name":
        assert is_changed(text, twins[0])
        assert is_swapped(text, twins[1])


@given(SEEDS)
@settings(max_examples=20)
def test_near_twins_reach_every_place(seed: int) -> None:
    twins = values.near_twins(random.Random(seed), Value("code", tuple("K12-345B")), FORMATS["en"], 50)
    changed: set[tuple[int, ...]] = set()
    swapped: set[tuple[int, ...]] = set()
    for twin in twins:
        places = tuple(k for k, (a, b) in enumerate(zip("K12-345B", twin.parts, strict=True)) if a != b)
        (swapped if len(places) == 2 else changed).add(places)
    assert changed == {(1,), (2,), (4,), (5,), (6,)}
    assert len(swapped) == 10
    names = values.near_twins(random.Random(seed), Value("name", ("", *"王建强")), FORMATS["zh"], 40)
    others = {tuple(a != b for a, b in zip("王建强", twin.parts[1:], strict=True)) for twin in names}
    assert others == {(True, False, False), (False, True, False), (False, False, True)}


def test_near_twins_are_drawn() -> None:
    for value in (Value("decimal", tuple("12.3")), Value("date", ("5", "3", "1950")), Value("name", ("", *"王建强"))):
        drawn = {tuple(values.near_twins(random.Random(seed), value, FORMATS["zh"], 2)) for seed in range(60)}
        assert len(drawn) > 20


def test_near_twins_of_equal_digits_are_changed_only() -> None:
    value = Value("decimal", tuple("7.7"))
    twins = {written(twin, "en") for twin in values.near_twins(random.Random(0), value, FORMATS["en"], 16)}
    assert twins == {f"{n}.7" for n in range(1, 10) if n != 7} | {f"7.{n}" for n in range(1, 10) if n != 7}


@pytest.mark.parametrize(
    ("kind", "text", "can"),
    [
        ("decimal", "7.7", False),
        ("decimal", "0.77", False),
        ("decimal", "7.8", True),
        ("amount", "777,777", False),
        ("amount", "777,778", True),
        ("percent", "7.7%", False),
        ("code", "K77-777B", False),
        ("code", "K77-778B", True),
    ],
)
def test_whether_digits_can_be_swapped(kind: ValueKind, text: str, can: bool) -> None:
    assert values.can_swap(Value(kind, tuple(text))) == can


def test_dates_and_names_have_near_twins_always() -> None:
    assert values.can_swap(Value("date", ("1", "1", "1999")))
    assert values.can_swap(Value("name", ("", "王", "建", "强")))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.73", "0.73"),
        ("0.730", "0.73"),
        ("12", "12"),
        ("123,456", "123456"),
        ("1,234,567", "1234567"),
        ("1,234.5", "1234.5"),
        ("7.3%", "7.3"),
        ("12.34万", "123400"),
        ("123.4万", "1234000"),
        ("1.23亿", "123000000"),
        ("3万", "30000"),
    ],
)
def test_the_number_that_a_text_is(text: str, number: str) -> None:
    assert values.number_of(text) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "%",
        "万",
        "x",
        "1.2.3",
        "-0.73",
        "0.73 ",
        " 0.73",
        "0.",
        ".73",
        "0.73x",
        "B12-345C",
        "1950-03-05",
        "5 March 1950",
        "1950年3月5日",
        "12.34元",
        "7.3%%",
        "12万元",
    ],
)
def test_texts_that_are_not_numbers(text: str) -> None:
    assert values.number_of(text) is None


def test_the_numbers_in_a_document() -> None:
    document = "Of 12,345 crowns, -0.73 or 7.3%; x4y, B12-345C, 1.2.3, 12.34万元、1.2亿。It was 9."
    found = list(values.numbers_in(document))
    assert found == [
        (Decimal(number), document.index(text))
        for number, text in [
            ("12345", "12,345"),
            ("0.73", "0.73"),
            ("7.3", "7.3%"),
            ("4", "4y"),
            ("12", "12-"),
            ("345", "345C"),
            ("123400", "12.34万"),
            ("120000000", "1.2亿"),
            ("9", "9."),
        ]
    ]


@given(st.lists(st.decimals(0, 10**6, places=2), min_size=1, max_size=20))
@settings(max_examples=50)
def test_numbers_are_found_as_they_are_written(numbers: list[Decimal]) -> None:
    for between in (" ", "，", ", ", " and ", "与", "; "):
        document = between.join(f"{number:,}" for number in numbers)
        assert [number for number, _ in values.numbers_in(document)] == numbers
