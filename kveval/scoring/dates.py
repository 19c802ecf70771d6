"""Recognition of digits in dates, times of day, decades and versions by the words around them.

Forms in one token (2024-05-06, 12:30, 7.2.1, v7) are rejected as numbers by their shape and not handled here. A year on
its own (`in 1931`, `2024年`) is a number.
"""

import re

from kveval.scoring.characters import WORD

_MONTHS = frozenset(
    [
        "jan",
        "january",
        "feb",
        "february",
        "mar",
        "march",
        "apr",
        "april",
        "jun",
        "june",
        "jul",
        "july",
        "aug",
        "august",
        "sep",
        "sept",
        "september",
        "oct",
        "october",
        "nov",
        "november",
        "dec",
        "december",
    ]
)
_MONTH_BEHIND = re.compile(
    r" (?:of )?(?:(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    rf"|nov(?:ember)?|dec(?:ember)?)|May|MAY)(?!{WORD})"
)
_DAY = re.compile(r"(?:(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?(?:-|\Z)){1,2}")
_YEAR = re.compile(r"[12][0-9]{3}")
_DECADE = re.compile(r"(?:1[0-9]|20)[0-9]0s")
_TIME_BEHIND = re.compile(r" ?[ap]\.m\b| [ap]m\b| o'clock\b", re.IGNORECASE)
_CJK_BEHIND = re.compile(
    " ?(?:[年년] ?[0-9]{1,2} ?[月월]|[月월] ?[0-9]{1,2} ?[日号號일]|[点點时時시] ?[0-9]{1,2} ?[分분])"
)
_CJK_BETWEEN = re.compile("[年년] ?[月월]|[月월] ?[日号號일]|[点點时時시분分] ?[分분秒초]")
_REACH = 24  # characters before and after the digits that are searched for words
_LETTER = re.compile(r"[^\W\d_]")


def is_dated(text: str, start: int, end: int) -> bool:
    """Whether the digits of the token `text[start:end]` belong to a date, time, decade or version. `text` is folded."""
    if not _LETTER.search(text, max(0, start - _REACH), end + _REACH):
        return False
    if _TIME_BEHIND.match(text, end) or _CJK_BEHIND.match(text, end):
        return True
    head, body = text[max(0, start - _REACH) : start], text[start:end]
    before = head.rstrip(" :")
    if before[-1:] in tuple("年년月월点點时時시분分") and before[-2:-1].isdecimal():
        return _CJK_BETWEEN.match(before[-1] + text[end : end + 2]) is not None
    if before.endswith(("版本", "版本号")):
        return True
    if _DAY.fullmatch(body) and _MONTH_BEHIND.match(text, end):
        return True
    day, _, month = body.partition("-")
    if _is_month(month) and _DAY.fullmatch(day):
        return True
    words = before.rpartition("\n")[2].split()[-2:]
    if not words:
        return False
    if words[-1].lower() in ("version", "versions", "ver.", "v."):
        return True
    if _DECADE.fullmatch(body):
        return words[-1].lower() in ("the", "early", "late", "mid")
    if _YEAR.fullmatch(body):
        return _is_month(words[-1]) or (_is_month(words[0]) and _DAY.fullmatch(words[-1].rstrip(",")) is not None)
    return _DAY.fullmatch(body) is not None and head.endswith(" ") and _is_month(words[-1])


def _is_month(word: str) -> bool:
    """Whether a word is the name of a month; `may` in lower case is the verb."""
    word = word.strip(".,(\"'")
    return word in ("May", "MAY") or word.lower() in _MONTHS
