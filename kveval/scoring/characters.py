"""Character classes and normalization for the scorers: unspaced scripts, safe normal forms, one form per digit and sign."""

import re
import unicodedata
from typing import Literal

UNSPACED = "\u2e80-\u2fff\u3001-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\U00020000-\U0003ffff"
"""Han, kana and their punctuation, which are written without spaces between words; for use inside a character class."""
CJK = UNSPACED + "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"
"""`UNSPACED` plus Hangul, whose particles directly follow a number or name; for use inside a character class."""
_COMBINING = (
    "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0dff"  # Latin, Hebrew, Arabic, Indic
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u20d0-\u20ff"  # Thai, symbols
)
WORD = rf"(?:[^\W{CJK}]|[{_COMBINING}])"
"""Regex for one character of a non-CJK word: a letter, a digit, an underscore or a mark that combines with them."""

_FOLDED = (
    {0xFF01 + i: 0x21 + i for i in range(94)}  # full-width forms
    | dict.fromkeys(map(ord, "\u00a0\u2007\u2008\u2009\u200a\u202f\u3000"), " ")
    # An en dash directly before a digit means minus; an em dash does not.
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63"), "-")
    | dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u2032"), "'")
    | dict.fromkeys(map(ord, "\u301c\u223c\u02dc"), "~")
    | dict.fromkeys(map(ord, "\u2044\u2215"), "/")
    | {0x66A: "%", 0xFE6A: "%", 0x66B: ".", 0x66C: ",", 0xFE62: "+", 0x2236: ":"}
)
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
# Chinese separates clauses with this comma. It is kept where it may be part of a number: before a group of three
# digits, or between full-width digits.
_CLAUSE_COMMA = re.compile(r"(?<!\d)\uff0c|(?<![\uff10-\uff19])\uff0c(?!\d{3}(?!\d))")
_MARKS = re.compile(rb"[^\0]{31,}")


def fold(text: str) -> str:
    """Return `text` with decimal digits, full-width forms, dashes, signs and spaces as ASCII, without invisible characters.

    This is not NFKC: compatibility forms other than decimal digits (circled, superscript, vulgar fractions) are kept.
    """
    if text.isascii():
        return text
    text = _CLAUSE_COMMA.sub("; ", _INVISIBLE.sub("", text)).translate(_FOLDED)
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def visible(text: str) -> str:
    """Return `text` without zero-width and other invisible characters."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def normalize(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Apply `unicodedata.normalize` in linear time.

    Sorting a long run of combining marks takes quadratic time (80,000 marks: 5 s). Runs of more than 30 are therefore
    broken with U+034F, as in the Stream-Safe Text Format of UAX #15. No natural text contains such a run.
    """
    if text.isascii():
        return text
    classes = bytes(map(unicodedata.combining, text))
    pieces, start = [], 0
    for run in _MARKS.finditer(classes):
        for cut in range(run.start() + 30, run.end(), 30):
            pieces.append(text[start:cut])
            start = cut
    pieces.append(text[start:])
    return unicodedata.normalize(form, "\u034f".join(pieces))
