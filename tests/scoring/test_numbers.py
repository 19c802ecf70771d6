"""Numbers in answers: the cases of numbers.jsonl, similar ones, and changes that must not affect the score."""

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kveval.scoring import Number, find_numbers, number_match, parse_number
from kveval.scoring.extraction import extract
from kveval.scoring.numbers import UNITS

CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "cases/numbers.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case.get('why', '')}".strip())
def test_case(case: dict[str, Any]) -> None:
    score = number_match(case["output"], case["gold"], case.get("distractors", ()))
    assert score.value == case["expect"], case.get("why")


def test_all_cases_are_here() -> None:
    assert len(CASES) == 70
    assert {case["expect"] for case in CASES} == {0, 1}


def listed(texts: str) -> list[str]:
    return texts.split(" | ")


ONE = {
    "42": "42 | 42. | 42, | 42; | 42! | 42? | 42: | 42… | …42 | 42... | ...42 | 42.\n | x=42 | =42 | +42 | 042 | 42.0"
    " | No. 42"
    " | #42 | № 42 | —42 | the key—42 | - 42 | • 42 | * 42 | + 42 | # 42 | answer:42 | 42.The rest | about 42"
    " | 42 abc | abc 42"
    " | 4.2e1 | 42e0 | 4２ | \u20664\u20602\u2069"
    ' | {"answer": 42} | ```json\n{"answer": "42"}\n``` | x; 42; y | 42[^7] | 42 [7] | 42† | 👉42 | 42✓ | Answer: A: 42'
    " | 42<|im_end|> | 42<｜end▁of▁sentence｜> | 42 ± 7 | $**42** | 42&deg;C | &pound;42 | ٤٢. | 정답은 42입니다 | 答えは42です"
    " | \\begin{align}x&=42\\end{align} | \\color{blue}42 | 42 \\tag{7} | \\num{42} | \\lvert 42\\rvert | 42^\\circ",
    "-42": "-42 | −42 | －42 | –42 | ‑42 | - -42 | (-42) | **-42** | -**42** | $-42$ | -$42 | −€42 | x = -42"
    " | 答案是-42。"
    " | \\text{-}42 | &minus;42 | \\(-42\\) | minus 42 | Negative 42 | 负42 | is −42°C | (3 and) -42 | -42.0 | -4.2E1",
    "1234.5": "1234.5 | 1,234.5 | 1,234.50 | １，２３４．５ | 1’234.5 | 1'234.5 | 1 234.5 | 1\u202f234.5 | 1\u2009234.5"
    " | 1{,}234.5 | 1\\,234.5 | $1,234.5 | \\$1{,}234.5 | 1,\\!234.5 | 1.2345k | 1.2345 thousand | 1.2345 × 10^3"
    " | 1.2345e+3"
    " | 0.12345万 | ١٬٢٣٤٫٥ | १२३४.५ | 1,234.5km | 1&nbsp;234.5 | 1&#44;234.5",
    "20%": "20% | 20 % | ２０％ | 20\\% | \\boxed{20\\%} | $20$% | **20**% | 20 percent | 20-percent | 20 per cent"
    " | 百分之20"
    " | (20)% | 0.2e2% | 200‰ | 千分之200",
    "15000": "15000 | 1.5万 | 1.5 万 | １.５萬 | 1万5千 | 15k | 15K | 15 thousand | 15,000元 | 15千 | 0.015M"
    " | 0.00015亿"
    " | 15-thousand | 1.5万km | 第15000号 | 共15,000，其余没有",
    "1500000": "1.5M | 1.5 million | $1.5 million | 1.5 Million people | \\$1.5\\text{ million} | $1.5$ million"
    " | 150万 | 1.5百万"
    " | 1,500k | 15 lakh | 1.5 M | 1.5 mn",
    "120000000": "1亿2000万 | 1.2亿 | 120 million | 0.12B | 12千万 | 0.12 billion | 1.2 × 10⁸ | 1.2 \\times 10^{8}",
    "0.5": "0.5 | .5 | 0.50 | 5e-1 | ½ is 0.5 | $.5 | (.5) | 00.5",
}
VALUES = {"20%": Number(Decimal(20), percent=True)}


@pytest.mark.parametrize(
    ("gold", "output"), [(gold, output) for gold, outputs in ONE.items() for output in listed(outputs)]
)
def test_one_number_in_many_forms(gold: str, output: str) -> None:
    wanted = VALUES.get(gold, Number(Decimal(gold.rstrip("%"))))
    assert wanted in find_numbers(output)
    assert number_match(output, gold).reason == "right"


WRAPPINGS = listed(
    "**{}** | *{}* | _{}_ | __{}__ | ***{}*** | `{}` | ```\n{}\n``` | $${}$$ | \\({}\\) | \\[{}\\] | \\boxed{{{}}}"
    " | \\text{{{}}}"
    " | \\mathbf{{{}}} | <b>{}</b> | <td>{}</td> | <answer>{}</answer> | <br/>{}<br> | <a href='7'>{}</a> | > {}"
    " | > > {} | => {}"
    ' | =>{} | ->{} | --> {} | →{} | <- {} | 1. {} | 1) {} | ### {} | ({}) | [{}] | "{}" | “{}” | 「{}」 | （{}） | 【{}】'
    " | 《{}》"
    " | {{'a': {}}} | <|im_start|>{}<|im_end|> | ~~17~~ {} | &nbsp;{}&nbsp; | \u200b{}\ufeff | https://a.b/7?c=8 {}"
    " | a\n{}\nb"
)


@pytest.mark.parametrize("frame", [*WRAPPINGS, "| {} |", "|{}|"])
@pytest.mark.parametrize("number", ["42", "-42", "1,234.5", "20%", "0.73"])
def test_wrapping_is_not_part_of_a_number(frame: str, number: str) -> None:
    assert find_numbers(frame.format(number)) == find_numbers(number)
    assert len(find_numbers(number)) == 1


@pytest.mark.parametrize("unit", [*UNITS, "°C", "°F", "℃", "°", "m²", "km/h", "m/s", "元", "円", "개", "%"])
@pytest.mark.parametrize("gap", ["", " ", "\u00a0"])
def test_units(unit: str, gap: str) -> None:
    found = find_numbers(f"It is 42{gap}{unit}, they say.")
    assert found == [Number(Decimal(42), percent=unit == "%")]


NONE = {
    "identifier": "42abc | abc42 | a42b | 7th | 3rd | v7 | 0x2A | 0b101 | 1e | 1e5x | x_5 | 5_x | _5 | 1_000 | F-16"
    " | SHP-2024-001"
    " | A-1-2 | 12-B | 747-MAX | 2024-Q1 | 2024-001 | 5USD | USD5 | 45kWh | 42px | @42 | user@42 | x-5 | is-42 | 5-a"
    " | No.5 | file.5"
    " | 5.txt | 5.e3 | www.a.b/42 | https://a.b/42 | C#7 | UTC+5 | H<sub>2</sub>O | x_{5} | Ⅷ5 | 4️⃣2️⃣ | %20",
    "version": "7.2.1 | v7.2 | 192.168.0.1 | version 7.2 | Version: 7 | versions 7.2 | 版本 7.2 | 7.2-beta | 7.2-rc1",
    "date": "2024-05-06 | 2024/05/06 | 06.05.2024 | 2024-05 | 2024-12 | 05-06 | May 5 | 5 May 2024 | May 5th, 2024"
    " | the 5th of May"
    " | March 1931 | 5-May | 5-jan | 5-7 May | Dec. 24, 1999 | 2024年5月6日 | 5月6日 | the 1990s",
    "time": "12:30 | 12：30 | 12:30:45 | 5 pm | 5 p.m. | 5 a.m | 5 o'clock | 12点30分 | 12时30分15秒",
    "fraction": "5/6 | 5 / 6 | 5⁄6 | 2 1/2 | 2½ | 2 ½ | ½ | \\frac{5}{6} | 2\\frac{1}{2} | \\frac56 | \\dfrac5{6}"
    " | 5分之3 | 五分之3 | 20万分之1 | 3又1/2",
    "power": "10^3 | 10^{3} | 10<sup>3</sup> | 2**10 | 10³ | x² | 5² | ① | ⑤ | ⁵ | ₅ | √16 | \\sqrt{16}"
    " | \\sqrt[3]{42} | \\sqrt{-5} | 5⁻¹",
    "comparison": "<42 | < 42 | &lt;42 | >42 | ≤42 | ≥ 42 | >=42 | <= 42 | ≠42 | != 42 | x > 42 | x>(42) | \\leq 42"
    " | \\ne 42 | 42+",
    "approximation": "~42 | ~ 42 | ～42 | ≈42 | ≈ $42 | ~**42** | ~-42 | ±42 | \\approx 42 | \\sim42 | \\pm 42",
    "taken back": "~~42~~ | <!-- 42 -->",
    "wrong groups": "1,23 | 12,34,567 | 1,2,3 | 1,2345 | 1234,567 | 0,123 | 1,234,5 | 1.234.567 | 1.234,5 | 1 234,5"
    " | １，２３ | 1'23"
    " | 5’10”",
    "two readings": "1e3k | 1e3万 | 3万5 | 1.5兆 | 5-10 million | = - 5 | (- 5) | $5m",
    "no digits": "nan | infinity | -inf | NaN | forty-two | 四十二 | XLII |  | . | - | % | $",
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in NONE.items() for text in listed(texts)])
def test_no_number(kind: str, text: str) -> None:
    assert find_numbers(text) == [], kind
    assert number_match(text, ["42", "5", "7", "1000", "-42", text]).reason == "no number"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10-5", [10, 5]),
        ("10 - 5", [10, 5]),
        ("10 -5", [10, -5]),
        ("10−5 = 5", [10, 5, 5]),
        ("10 minus 5", [10, 5]),
        ("3–4", [3, 4]),
        ("$5-$10", [5, 10]),
        ("3个-5个", [3, 5]),
        ("5km-10km", [5, 10]),
        ("-5-10", [-5, 10]),
        ("4<b>2</b>", [42]),
        ("2020-2024", [2020, 2024]),
        ("5k-10k", [5000, 10000]),
        ("4 2", [4, 2]),
        ("1, 2, 3", [1, 2, 3]),
        ("[1, 2]", [1, 2]),
        ("0.73,0.83", ["0.73", "0.83"]),
        ("5万,3万", [50000, 30000]),
        ("甲是12，15是乙", [12, 15]),
        ("共5，100元", [5100]),
        ("第3题：42", [3, 42]),
        ("3 **714**", [3, 714]),
        ("3 <b>714</b>", [3, 714]),
        ("5 100 2000", [5, 100, 2000]),
        ("3+4=7", [3, 4, 7]),
        ("3 × 4", [3, 4]),
        ("3*4 = 12", [3, 4, 12]),
        ("5±0.1", [5]),
        ("3 < 5", [3]),
        ("3~5", [3]),
        ("x\n> 42", [42]),
        ("5 of the 12", [5, 12]),
        ("12-month", [12]),
        ("5-year-old", [5]),
        ("1. Paris\n2. Rome\n3. 42", [42]),
        ("5. Then 42", [5, 42]),
        ("42. It was so.", [42]),
        ("2. x\n1. y", [2]),
        ("5 May be", []),
        ("5 may be", [5]),
        ("in 1931", [1931]),
        ("2024年", [2024]),
        ("5千克", [5]),
        ("5个百分点", [5]),
        ("20 percentage points", [20]),
        ("$400 + \\$60 = \\$460", [400, 60, 460]),
        ("f(5)", [5]),
        ("-0", [0]),
        ("1..5", [1, 5]),
        ("12万3456", [123456]),
        ("5 B) 6 C) 7", [5, 6, 7]),
        ("1e-3", ["0.001"]),
        ("\\binom{5}{2}", [5, 2]),
        ("\\boxed{1}\\boxed{2}", [1, 2]),
    ],
)
def test_values(text: str, values: list[int | str]) -> None:
    assert find_numbers(text) == [Number(Decimal(value)) for value in values]


@pytest.mark.parametrize("form", ["5-10%", "5–10 %", "5-10 percent"])
def test_percent_after_a_range_applies_to_both(form: str) -> None:
    assert find_numbers(form) == [Number(Decimal(5), percent=True), Number(Decimal(10), percent=True)]


def test_percent_is_another_value() -> None:
    assert len({parse_number(text) for text in ("20", "20%", "0.2", "20‰")}) == 4
    assert number_match("20%", ["20", "20%"]).value == 1.0
    assert str(parse_number("20%")) == "20%"


def test_parse_number_takes_one_number_only() -> None:
    assert parse_number("$1,234.50") == Number(Decimal("1234.5"))
    assert parse_number("5 and 6") is None
    assert parse_number("five") is None
    assert number_match("5 and 6", "5 and 6").value == 0.0


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("0.73", "right"),
        ("0.73 or 0.83", "hedged"),
        ("0.83", "near value"),  # one digit off, and a distractor
        ("0.37", "near value"),  # two swapped
        ("0.7", "near value"),
        ("1.73", "near value"),
        ("-0.73", "other"),
        ("73", "other"),
        ("0.73%", "other"),
        ("0.41", "other record"),
        ("0.99", "other"),
        ("about 41 percent", "other"),
        ("no idea", "no number"),
        ("~0.73", "no number"),
        ("1e999999999", "other"),
    ],
)
def test_reasons(output: str, reason: str) -> None:
    assert number_match(output, "0.73", ["0.83", "0.41"]).reason == reason


@pytest.mark.parametrize(
    ("number", "gold", "near"),
    [
        ("148213", "148231", True),
        ("14823", "148231", False),
        ("10", "100", False),
        ("1000", "9000", True),
        ("12", "21", True),
        ("121", "211", True),
        ("1,205", "1250", True),
        ("3.14", "3.1", True),
        ("3.14", "31.4", False),
        ("123", "132", True),
        ("123", "312", False),
        ("1e40", "2e40", True),
        ("1e999999999", "2e999999999", False),  # never written out
        ("0", "5", True),
        ("20%", "30%", True),
        ("-5", "5", False),
    ],
)
def test_near_values(number: str, gold: str, near: bool) -> None:
    assert (number_match(number, gold).reason == "near value") is near


def test_numbers_in_the_question_are_ignored() -> None:
    question = "What did group 7 measure?"
    assert number_match("Group 7 measured 42.", "42", ["7", "17"], question=question).reason == "right"
    assert number_match("Group 7 measured 42.", "42", ["7", "17"]).reason == "hedged"
    assert number_match("Group 7 measured 42 or 17.", "42", ["7", "17"], question=question).reason == "hedged"
    assert number_match("Group 7.", "5", ["7"], question=question).reason == "other"  # neither near nor another record
    assert number_match("42", "42", ["42.0"]).reason == "right"


def plain(value: Decimal) -> str:
    return f"{value:f}"


def grouped(separator: str) -> Any:
    return lambda value: f"{value:,f}".replace(",", separator)


def other_digits(zero: int) -> Any:
    return lambda value: plain(value).translate({ord("0") + i: chr(zero + i) for i in range(10)})


FORMATS: list[Any] = [
    plain,
    *map(grouped, [",", "'", "’", "{,}", "\\,", "\u00a0", "\u202f", "\u2009", " "]),
    *map(other_digits, [0xFF10, 0x660, 0x966, 0x1D7CE]),
    lambda value: grouped(",")(value).translate({i: i + 0xFEE0 for i in range(0x21, 0x7F)}),
    lambda value: plain(value).replace("-", "−"),
    lambda value: f"{value:e}",
    lambda value: f"{value:E}",
    lambda value: f"{value.scaleb(-3):f}k",
    lambda value: f"{value.scaleb(-6):f} million",
    lambda value: f"{value.scaleb(-4):f}万",
    lambda value: f"{value.scaleb(-9):f} \\times 10^{{9}}",
    lambda value: plain(value) + ("0" if "." in plain(value) else ".00"),
    lambda value: ("-" if value < 0 else "") + "00" + plain(abs(value)),
    lambda value: ("-" if value < 0 else "") + "$" + grouped(",")(abs(value)),
]
FRAMES = [
    "{}",
    "It is {}.",
    "**{}**",
    "\\boxed{{{}}}",
    "({})",
    "答案是{}。",
    "<b>{}</b>",
    "|{}|",
    "> {}",
    "x = {}",
    "“{}”",
    "${}$",
    "{} km",
    "\t{}\n",
]
values = st.decimals(-(10**12), 10**12, allow_nan=False, allow_infinity=False, places=3) | st.integers(-9999, 9999).map(
    Decimal
)


@given(values, st.sampled_from(FORMATS), st.sampled_from(FORMATS), st.sampled_from(FRAMES))
def test_format_never_changes_the_verdict(value: Decimal, form: Any, gold_form: Any, frame: str) -> None:
    assert number_match(frame.format(form(value)), gold_form(value)).value == 1.0


INLINE = listed("{} | **{}** | *{}* | `{}` | ${}$ | ({}) | [{}] | “{}” | <b>{}</b> | \\({}\\) | \\text{{{}}} | （{}）")
SENTENCES = [
    "The drift was {}, as section B says.",
    "**Answer:** {}",
    "{}\n\nThe report states this.",
    "报告写道：{}，单位为毫米。",
    '{{"answer": {}}}',
    "The final answer is {}",
    "| Oslan | {} |",
    "<think>7</think>{} mm",
    "$\\boxed{{{}}}$",
]


@given(values, values, st.sampled_from(FORMATS), *[st.sampled_from(INLINE)] * 2, st.sampled_from(SENTENCES))
def test_nor_do_two_wrappings_and_a_sentence(
    value: Decimal, other: Decimal, form: Any, outer: str, inner: str, sentence: str
) -> None:
    assume(value != other)
    answer = extract(sentence.format(outer.format(inner.format(form(value))))).text
    assert number_match(answer, plain(value)).value == 1.0
    assert number_match(answer, plain(other)).value == 0.0


@given(values, values, st.sampled_from(FORMATS), st.sampled_from(FORMATS), st.sampled_from(FRAMES))
@example(Decimal(9007199254740993), Decimal(9007199254740992), plain, plain, "{}")
def test_another_value_never_matches(value: Decimal, other: Decimal, form: Any, gold_form: Any, frame: str) -> None:
    assume(value != other)
    assert number_match(frame.format(form(other)), gold_form(value)).value == 0.0


INSIDE = listed(
    "0{}x | {}0 | 1{} | {}.5 | -{} | {}% | {}e1 | {}/7 | 7/{} | x{} | {}_1 | A-{} | {}k | {}万 | ~{} | ≥ {} | {}:30"
    " | {}.1.2 | {},00"
)


@given(st.integers(1, 10**6), st.sampled_from(INSIDE))
def test_a_number_inside_something_else_never_matches(value: int, frame: str) -> None:
    assert number_match(f"The key is {frame.format(value)} here.", str(value)).value == 0.0


@given(values, values, st.sampled_from(FORMATS), st.sampled_from(FORMATS))
def test_naming_a_distractor_too_is_hedging(value: Decimal, other: Decimal, form: Any, other_form: Any) -> None:
    assume(value != other)
    output = f"It is {form(value)}, not {other_form(other)}."
    assert number_match(output, plain(value), [plain(other)]).reason == "hedged"
    assert number_match(output, plain(value), [plain(other)], question=f"Is it {plain(other)}?").reason == "right"


@given(st.text(st.characters()), st.text(st.characters()), st.lists(st.text(st.characters()), max_size=3))
def test_no_text_raises(output: str, gold: str, distractors: list[str]) -> None:
    assert number_match(output, gold, distractors, question=output).value in (0.0, 1.0)


PIECES = [
    *"0154,.-−+%$€~<>=/:'eEkM万亿百年月日(){}[]\\^_*#@x½²，٣５ \n\u00a0\ud800",
    "10",
    "42",
    " million",
    "May ",
    "km",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_mixture_of_signs_raises(output: str) -> None:
    for number in find_numbers(output):
        assert number.value.is_finite()
        assert hash(number) == hash(Number(number.value * 1, number.percent)) or abs(number.value.adjusted()) > 20


NINES = "9" * 5000
SIZES = [
    "1e999999999",
    "-1e-999999999",
    "1e999999999999999999999999",
    f"1e{NINES}",
    "9" * 200_000,
    "0." + "1" * 200_000,
]
SIZES += [
    "1,000" + ",000" * 10_000,
    f"&#{NINES};",
    f"{NINES}万",
    "1万" * 5000,
    f"10^{NINES}",
    f"1×10^{NINES}",
    f"{NINES}.{NINES}e-400",
]


@pytest.mark.parametrize("output", SIZES, ids=lambda output: output[:12])
def test_numbers_of_any_size(output: str) -> None:
    started = time.process_time()
    assert number_match(output, ["7", "2e999999999"], ["8"]).value == 0.0
    if parse_number(output) is not None:
        assert number_match(output, output).reason == "right"
        assert number_match(output.replace("9", "8").replace("1", "2"), output).value == 0.0
    assert time.process_time() - started < 4


LARGE = [
    *"1a-*<\\{&=中１٣ \n@",
    "1 ",
    "1,",
    "1,234 ",
    "a ",
    "*a",
    "_a",
    "~~",
    "<a ",
    "<!--",
    "> ",
    "\\frac{",
    "^ ",
    "$1",
    "1万",
    "1/1 ",
]
LARGE += [
    "\u0300\u0316",
    "\ud800",
    "，1",
    "1月1",
    "May 1 ",
    "\n1. ",
    "1 ½",
    "http://",
    "1×10^",
    "--",
    "\u200b",
    "5 million",
]


@pytest.mark.parametrize("piece", LARGE)
def test_large_outputs_take_linear_time(piece: str) -> None:
    started = time.process_time()
    find_numbers(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 8  # a second here; quadratic time would be minutes


@pytest.mark.parametrize("piece", ["*a", "<b>", "\\text{", "\\begin{"])
def test_a_megabyte_of_markup_takes_linear_time(piece: str) -> None:
    started = time.process_time()
    number_match(piece * (1_000_000 // len(piece)) + " 1", "42")
    assert time.process_time() - started < 4  # under a second here
