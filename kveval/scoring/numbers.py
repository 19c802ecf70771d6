r"""Numbers in answers, compared by exact decimal value.

**What is a number.** A standalone token: sign, digits with correct thousands groups, decimal part, exponent. Any
Unicode decimal digits, full-width signs and U+2212 count. Groups are set apart by a comma, an apostrophe, `{,}` or one
space, and have three digits each: `1,23`, `12,34,567` and the list `1,2,3` are no numbers (a list with spaces holds
three; so does `0.1,0.2,0.3`).

**Part of the value:** a percent sign or word (20% is neither 20 nor 0.2; ‰ is a tenth of it) and a magnitude (k K M B
百 千 万 亿, million and the like, also behind a space; 千克 is a unit; `2 × 10^3`). **Not part:** currency signs, brackets,
quotes, markup, sentence punctuation, units behind a space, and the units of `UNITS` with none. `$5m` is refused (metre
or million).

**Not a number:** digits in an identifier (letters, underscore or a letter's hyphen touch them: F-16, 7th, 0x2A, 5USD;
CJK characters may touch), a version, date (`2024-05`, `May 5`, `5月6日`), time (`12:30`, `5 pm`), fraction (`5/6`,
`6分之5` and 2½, also with spaces), root or power; digits behind ~ ≈ < > ≤ ≥ ≠ ± or before a `+` that adds nothing
(`40+`); list numbers (1., 2., … at the starts of lines); `.5` behind a letter; a minus set apart by a space from what
it negates (`= - 5`; at the start of a line it is a bullet). Words are not weighed: "about 42" and "more than 42" name
42 ("minus 42" is -42).

**Hyphens.** Between digits one is no sign (10-5 holds 10 and 5, unless it looks like a code: 2024-001);
digits-hyphen-word is a number (12-month), digits-hyphen-code is not (12-B, 2024-Q1).

Where a text can be read in two ways the rule is that a wrong match is worse than a missed one. Numbers of any size are
exact; one with an exponent of more than 15 digits is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from kveval.scoring.characters import CJK, WORD, fold
from kveval.scoring.dates import is_dated
from kveval.scoring.markup import plain
from kveval.scoring.notation import rewrite
from kveval.scoring.score import Score

UNITS = (
    "mm", "cm", "m", "km", "mg", "g", "kg", "ms", "s", "min", "h", "V", "A", "W", "kW", "Hz", "kHz", "MHz", "GHz",
    "KB", "MB", "GB", "TB",
)  # fmt: skip
"""Units that may touch the digits; °C and °F may as well."""

_CONNECTOR = r"(?:[-/.@]|\^[-+]?|(?<=[0-9])[,':·](?=[0-9])|(?<=[A-Za-z])[+#](?=[0-9]))"
_TOKEN = re.compile(rf"{WORD}++(?:{_CONNECTOR}{WORD}++)*+")
# Between two white spaces, with a digit: most of a text need not be cut into tokens.
_STRETCH = re.compile(r"(?<!\S)[^\s0-9]*+[0-9]\S*+")
_HAS_DIGIT = re.compile(r"[0-9]")
_PLAIN_NUMBER = (
    r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[1-9][0-9]{0,2}(?:'[0-9]{3})+(?![0-9])|[0-9]++)"
    r"(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
)
_UNIT = rf"(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})[²³]?"
_ONE = re.compile(rf"({_PLAIN_NUMBER})(?:{_UNIT})?(?=[-/]|\Z)")
_TWO = re.compile(rf"({_PLAIN_NUMBER})(?:{_UNIT})?-({_PLAIN_NUMBER})(?:{_UNIT})?")
_METRES = re.compile(r"[0-9]m(?![a-z])")
_DECIMAL = r"[0-9]++(?:\.[0-9]++(?:e-?[0-9]++)?|e-?[0-9]++)"
_LIST = re.compile(rf"{_DECIMAL}(?:,{_DECIMAL})+")  # a point or exponent in each: they cannot be groups of one number
# What may follow a number in its token: a hyphen and words (no code such as -B, no version such as -beta), or a unit
# that it is per.
_TAIL = re.compile(
    r"(?:-(?!(?:[A-Z]{1,3}|alpha|beta|rc|dev)(?![^\W\d_]))[^\W\d_]{2,}(?:-[^\W\d_]+)*+|/[^\W\d_]+[²³]?)?"
)
_CODE = re.compile(r"0[0-9]+-[0-9]+|[0-9]+-0[0-9]+|(?:19|20)[0-9]{2}-1[0-2]")

_CURRENCIES = "$¢£¤¥֏฿₠-₿"
_CURRENCY = re.compile(rf"[{_CURRENCIES}] ?\Z")
_BINARY = re.compile(rf"(?:{WORD}|[)\]}}%‰°℃℉]|[0-9][{CJK}]{{1,3}})\Z")
_SET_APART_MINUS = re.compile(r"[=(] ?- \Z")
_OPENERS = " \t+-([{\"'`“”„‘«「『（【" + "$¢£¤¥฿₩₹€₽"
_COMPARISONS = ("<=", ">=", "!=", "/=", *"~≈≃≅≒<>≤≥≦≧⩽⩾≲≳≪≫≮≯≠±∓")
_PERCENT = re.compile(r"[$)\]]{0,2} {0,2}([%‰])")
_SPOILED = re.compile(r"[\^⁺⁻]|\+(?![0-9A-Za-z$(])|/[$(]")
_REACH = 64  # characters before a number in which its sign and its comparison are looked for


@dataclass(frozen=True, slots=True)
class Number:
    """The exact value of a number. Two are equal when their values are and both or none are percentages: 20% is not 20."""

    value: Decimal
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.value}%" if self.percent else str(self.value)


def number_match(
    output: str, gold: str | Sequence[str], distractors: Sequence[str] = (), *, question: str = ""
) -> Score:
    """Whether an answer names the gold number, and no number of another record.

    `gold` is one number or a list of accepted ones, `distractors` the values of other records; those that stand in
    `question`, or equal a gold, are not held against the answer. A gold that is not one number (`parse_number`) never
    matches; checking task files for that is not the scorer's part. Never raises, whatever `output` holds.

    Reasons: `right`; `hedged` (a gold and a distractor); without a gold: `near value` (a number that differs from a
    gold in one digit or by two swapped ones), `other record` (a distractor), `no number`, `other`.
    """
    golds = {number for text in _several(gold) if (number := parse_number(text))}
    found = set(find_numbers(output))
    asked = set(find_numbers(question))
    named = found & ({number for text in distractors if (number := parse_number(text))} - golds - asked)
    if found & golds:
        return Score(0.0, "hedged") if named else Score(1.0, "right")
    if any(_near(number, wanted) for number in found - asked for wanted in golds):
        return Score(0.0, "near value")
    if named:
        return Score(0.0, "other record")
    return Score(0.0, "other" if found else "no number")


@lru_cache(maxsize=4096)
def parse_number(text: str) -> Number | None:
    """The number that `text` is, or None where it holds none or several."""
    numbers = find_numbers(text)
    return numbers[0] if len(numbers) == 1 else None


def find_numbers(text: str) -> list[Number]:
    """The numbers of `text`, in its order, by the rule in this module's docstring."""
    text = fold(text)
    if not _HAS_DIGIT.search(text) and "&#" not in text:
        return []
    text = rewrite(fold(plain(text)))
    return [
        number
        for stretch in _STRETCH.finditer(text)
        for token in _TOKEN.finditer(text, *stretch.span())
        if _HAS_DIGIT.search(token[0])
        for number in _read(token, text)
    ]


def _several(texts: str | Sequence[str]) -> Sequence[str]:
    return (texts,) if isinstance(texts, str) else texts


def _read(token: re.Match[str], text: str) -> Iterator[Number]:
    """The numbers that one token holds: mostly one or none, two where a hyphen joins them, several in `0.1,0.2`."""
    head, body = text[max(0, token.start() - _REACH) : token.start()], token[0]
    if head.endswith(".") and not head.endswith(".."):
        head, body = head[:-1], f"0.{body}"
        if _BINARY.search(head) or not body[2].isdecimal():
            return
    money = _CURRENCY.search(head[-2:])
    before_sign = head[: -len(money[0])] if money else head
    sign = before_sign[-1:] if before_sign[-1:] in ("+", "-") else ""
    if sign and _BINARY.search(before_sign[:-1]):
        sign = ""
    if head.endswith(("%", "@", "^", "/", "\\", "&", "√", "√-")) or _SET_APART_MINUS.search(before_sign[-4:]):
        return
    if head.rstrip(_OPENERS).endswith(_COMPARISONS) or _SPOILED.match(text, token.end()):
        return
    if is_dated(text, token.start(), token.end()):
        return

    percent = _PERCENT.match(text, token.end())
    shift = -1 if percent and percent[1] == "‰" else 0
    for mantissa in _numerals(body, money=money is not None):
        value = _decimal(sign + mantissa, shift)
        if value is not None:
            yield Number(value, percent is not None)
        sign = ""


def _numerals(body: str, *, money: bool) -> Sequence[str]:
    """The unsigned numerals that make up a token's text, or none where it is anything else."""
    if money and _METRES.search(body):
        return ()
    if two := _TWO.fullmatch(body):
        first, second = two.groups()
        # 5-10 million may mean 5 million: refused. A year and month, or a part with a leading zero, is a code.
        return () if _CODE.fullmatch(body) or ("e" in first) != ("e" in second) else (first, second)
    if _LIST.fullmatch(body):
        return body.split(",")
    one = _ONE.match(body)
    return (one[1],) if one and _TAIL.fullmatch(body, one.end()) else ()


def _decimal(numeral: str, shift: int) -> Decimal | None:
    """The exact value of a numeral, times ten to the `shift`; None where its exponent is out of reach."""
    mantissa, _, exponent = numeral.replace(",", "").replace("'", "").lower().partition("e")
    if len(exponent) > 15:
        return None
    return Decimal(f"{mantissa}e{int(exponent or 0) + shift}")


def _near(number: Number, wanted: Number) -> bool:
    """Whether two numbers, written out to the same number of decimals, differ in one digit or by two swapped ones."""
    if number.percent != wanted.percent or number.value.is_signed() != wanted.value.is_signed():
        return False
    if any(abs(n.value.adjusted()) > 40 or len(str(n.value)) > 80 for n in (number, wanted)):
        return False  # not written out: 1e999999999 has a billion digits
    (a, a_decimals), (b, b_decimals) = (f"{n.value.copy_abs():f}".partition(".")[::2] for n in (number, wanted))
    decimals = max(len(a_decimals), len(b_decimals))
    a, b = a.lstrip("0") or "0", b.lstrip("0") or "0"
    if len(a) != len(b):
        return False
    a, b = a + a_decimals.ljust(decimals, "0"), b + b_decimals.ljust(decimals, "0")
    wrong = [i for i in range(len(a)) if a[i] != b[i]]
    if len(wrong) == 2:
        first, second = wrong
        return a[first] == b[second] and a[second] == b[first]
    return len(wrong) == 1
