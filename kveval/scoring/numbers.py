r"""Numbers in answers, compared by exact decimal value.

**Form.** A number is a standalone token: sign, digits with correct thousands groups, decimal part, exponent. Any
Unicode decimal digits, full-width signs and U+2212 are accepted. Groups have three digits each and are separated by a
comma, an apostrophe, `{,}` or one space. `1,23`, `12,34,567` and the list `1,2,3` are not numbers; a list with spaces
contains three, and so does `0.1,0.2,0.3`.

**Part of the value:** a percent sign or word (20% is neither 20 nor 0.2; ‰ is a tenth of %) and a magnitude (k K M B
百 千 万 亿, million and the like, with or without a space; `2 × 10^3`; 千克 is a unit). **Not part of it:** currency signs,
brackets, quotes, markup, sentence punctuation, units after a space, and the units of `UNITS` without a space. `$5m` is
rejected, since m may be metre or million.

**Not a number:** digits in an identifier (touched by letters, an underscore or a hyphen after a letter: F-16, 7th,
0x2A, 5USD; CJK characters may touch), a version, date (`2024-05`, `May 5`, `5月6日`), time (`12:30`, `5 pm`), fraction
(`5/6`, `6分之5` and 2½, with or without spaces), root or power; digits after ~ ≈ < > ≤ ≥ ≠ ± or before a `+` that adds
nothing (`40+`); list numbers (1., 2., … at the start of lines); `.5` after a letter; digits after a minus and a space,
where the minus follows `=` or `(` (`= - 5`; at the start of a line a minus is a bullet). The words around a number are
ignored: "about 42" and "more than 42" contain 42. Only "minus 42" is -42.

**Hyphens.** A hyphen between digits is not a sign: 10-5 contains 10 and 5, unless it looks like a code (2024-001).
Digits, hyphen, word is a number (12-month); digits, hyphen, code is not (12-B, 2024-Q1).

Ambiguous text is not a number, since a wrong match is worse than a missed one. Numbers of any size are compared
exactly; exponents of more than 15 digits are rejected.
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
"""Units that may follow the digits without a space; so may °C and °F."""

_CONNECTOR = r"(?:[-/.@]|\^[-+]?|(?<=[0-9])[,':·](?=[0-9])|(?<=[A-Za-z])[+#](?=[0-9]))"
_TOKEN = re.compile(rf"{WORD}++(?:{_CONNECTOR}{WORD}++)*+")
# A run of non-space characters with a digit. Only these runs are split into tokens.
_DIGIT_RUN = re.compile(r"(?<!\S)[^\s0-9]*+[0-9]\S*+")
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
_LIST = re.compile(rf"{_DECIMAL}(?:,{_DECIMAL})+")  # each has a point or an exponent, so they are not digit groups
# What may follow a number in its token: a hyphen and words (but no code such as -B and no version such as -beta), or a
# slash and a unit.
_TAIL = re.compile(
    r"(?:-(?!(?:[A-Z]{1,3}|alpha|beta|rc|dev)(?![^\W\d_]))[^\W\d_]{2,}(?:-[^\W\d_]+)*+|/[^\W\d_]+[²³]?)?"
)
_CODE = re.compile(r"0[0-9]+-[0-9]+|[0-9]+-0[0-9]+|(?:19|20)[0-9]{2}-1[0-2]")

_CURRENCIES = "$¢£¤¥֏฿₠-₿"
_CURRENCY = re.compile(rf"[{_CURRENCIES}] ?\Z")
_BINARY = re.compile(rf"(?:{WORD}|[)\]}}%‰°℃℉]|[0-9][{CJK}]{{1,3}})\Z")
_DETACHED_MINUS = re.compile(r"[=(] ?- \Z")
_OPENERS = " \t+-([{\"'`“”„‘«「『（【" + "$¢£¤¥฿₩₹€₽"
_COMPARISONS = ("<=", ">=", "!=", "/=", *"~≈≃≅≒<>≤≥≦≧⩽⩾≲≳≪≫≮≯≠±∓")
_PERCENT = re.compile(r"[$)\]]{0,2} {0,2}([%‰])")
_INVALID_SUFFIX = re.compile(r"[\^⁺⁻]|\+(?![0-9A-Za-z$(])|/[$(]")
_REACH = 64  # characters before a number that are searched for its sign and for a comparison


@dataclass(frozen=True, slots=True)
class Number:
    """Exact value of a number. 20% and 20 differ: equal numbers have equal values and agree in `percent`."""

    value: Decimal
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.value}%" if self.percent else str(self.value)


def number_match(
    output: str, gold: str | Sequence[str], distractors: Sequence[str] = (), *, question: str = ""
) -> Score:
    """Score an answer 1.0 if it contains a gold number and no distractor, else 0.0.

    `gold` is one number or a list of accepted numbers; `distractors` are the values of other records. Distractors that
    occur in `question` or equal a gold number are ignored. A gold text that is not exactly one number (`parse_number`)
    never matches; task files are checked for that when they are read. Never raises.

    Reasons: `right`; `hedged` (a gold number and a distractor); without a gold number `near value` (a number that differs
    from a gold number in one digit or by two swapped digits), `other record` (a distractor), `no number` or `other`.
    """
    gold_numbers = {number for text in _as_sequence(gold) if (number := parse_number(text))}
    found = set(find_numbers(output))
    numbers_in_question = set(find_numbers(question))
    found_distractors = found & (
        {number for text in distractors if (number := parse_number(text))} - gold_numbers - numbers_in_question
    )
    if found & gold_numbers:
        return Score(0.0, "hedged") if found_distractors else Score(1.0, "right")
    if any(_is_near(number, wanted) for number in found - numbers_in_question for wanted in gold_numbers):
        return Score(0.0, "near value")
    if found_distractors:
        return Score(0.0, "other record")
    return Score(0.0, "other" if found else "no number")


@lru_cache(maxsize=4096)
def parse_number(text: str) -> Number | None:
    """Return the one number in `text`, or None if it contains none or several."""
    numbers = find_numbers(text)
    return numbers[0] if len(numbers) == 1 else None


def find_numbers(text: str) -> list[Number]:
    """Return the numbers in `text`, in order, by the rules in this module's docstring."""
    text = fold(text)
    if not _HAS_DIGIT.search(text) and "&#" not in text:
        return []
    text = rewrite(fold(plain(text)))
    return [
        number
        for run in _DIGIT_RUN.finditer(text)
        for token in _TOKEN.finditer(text, *run.span())
        if _HAS_DIGIT.search(token[0])
        for number in _numbers_in_token(token, text)
    ]


def _as_sequence(texts: str | Sequence[str]) -> Sequence[str]:
    return (texts,) if isinstance(texts, str) else texts


def _numbers_in_token(token: re.Match[str], text: str) -> Iterator[Number]:
    """Yield the numbers in one token: at most one in most tokens, two if a hyphen joins them, several in `0.1,0.2`."""
    head, body = text[max(0, token.start() - _REACH) : token.start()], token[0]
    if head.endswith(".") and not head.endswith(".."):
        head, body = head[:-1], f"0.{body}"
        if _BINARY.search(head) or not body[2].isdecimal():
            return
    currency = _CURRENCY.search(head[-2:])
    before_sign = head[: -len(currency[0])] if currency else head
    sign = before_sign[-1:] if before_sign[-1:] in ("+", "-") else ""
    if sign and _BINARY.search(before_sign[:-1]):
        sign = ""
    if head.endswith(("%", "@", "^", "/", "\\", "&", "√", "√-")) or _DETACHED_MINUS.search(before_sign[-4:]):
        return
    if head.rstrip(_OPENERS).endswith(_COMPARISONS) or _INVALID_SUFFIX.match(text, token.end()):
        return
    if is_dated(text, token.start(), token.end()):
        return

    percent = _PERCENT.match(text, token.end())
    shift = -1 if percent and percent[1] == "‰" else 0
    for mantissa in _unsigned_numerals(body, currency=currency is not None):
        value = _decimal(sign + mantissa, shift)
        if value is not None:
            yield Number(value, percent is not None)
        sign = ""


def _unsigned_numerals(body: str, *, currency: bool) -> Sequence[str]:
    """Return the unsigned numerals in the text of a token, or none if the text is not a number."""
    if currency and _METRES.search(body):
        return ()
    if two := _TWO.fullmatch(body):
        first, second = two.groups()
        # 5-10 million may mean 5 million, so it is rejected. A year and month, or a part with a leading zero, is a code.
        return () if _CODE.fullmatch(body) or ("e" in first) != ("e" in second) else (first, second)
    if _LIST.fullmatch(body):
        return body.split(",")
    one = _ONE.match(body)
    return (one[1],) if one and _TAIL.fullmatch(body, one.end()) else ()


def _decimal(numeral: str, shift: int) -> Decimal | None:
    """Return the exact value of a numeral times 10 to the power `shift`; None if its exponent is too long."""
    mantissa, _, exponent = numeral.replace(",", "").replace("'", "").lower().partition("e")
    if len(exponent) > 15:
        return None
    return Decimal(f"{mantissa}e{int(exponent or 0) + shift}")


def _is_near(number: Number, wanted: Number) -> bool:
    """Whether two numbers, written with the same number of decimals, differ in one digit or by two swapped digits."""
    if number.percent != wanted.percent or number.value.is_signed() != wanted.value.is_signed():
        return False
    if any(abs(n.value.adjusted()) > 40 or len(str(n.value)) > 80 for n in (number, wanted)):
        return False  # too long to write out: 1e999999999 has a billion digits
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
