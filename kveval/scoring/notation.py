"""Number notations, rewritten to one form: `1 234`, `1.5 million`, `1.5万`, `2 × 10^3`, `20 percent`, `百分之20`.

After `rewrite`, magnitudes are exponents (`2k` is `2e3`), digit groups separated by a space are joined, percent is a
sign, and addresses and list numbers are removed. Ambiguous text is rewritten so that it does not parse as a number:
`1e3k` becomes `1e3e3`, `3万5` (30,005, or 35,000 in speech) becomes `_`. Every pattern takes linear time.
"""

import re

from kveval.scoring.characters import WORD

_ADDRESS = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,10}://[^\s<>()\[\],;\"']+")
_LIST_NUMBER = re.compile(r"^[ \t]*([0-9]{1,3})(?:[.)](?=[ \t]+\S)|、)", re.MULTILINE)

_WORDS = {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "mln": 6, "mn": 6, "crore": 7, "billion": 9, "bn": 9}
_WORDS |= {"trillion": 12}
_PERCENT = "percent|per cent|pct"
_LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9}
_CJK_MAGNITUDES = dict.fromkeys("十", 1) | dict.fromkeys("百", 2) | dict.fromkeys("千천", 3)
_CJK_MAGNITUDES |= dict.fromkeys("万萬만", 4) | dict.fromkeys("亿億억", 8)
# 千 means kilo in 千克 and 千米; 百分 means percent; 十 after digits is a magnitude only in 十万 and 十亿.
_CJK = r"(?:十(?=[万萬亿億])|百(?!分)|千(?![克米瓦赫卡帕伏焦]|字节)|[천万萬만亿億억])+"
_CJK_AMOUNT = re.compile(
    rf"[0-9](?<![0-9][0-9])(?<![0-9][.,][0-9])[0-9,.]*+ ?{_CJK}(?:[0-9][0-9,.]*+ ?{_CJK})*(?:[0-9][0-9,.]*+)?"
)
_CJK_PART = re.compile(rf"([0-9,.]+) ?({_CJK})?")
_CJK_FRACTION = re.compile("分之|(?<=[0-9])又(?=[0-9])")  # 5分之3 is three fifths; 3又1/2 is three and a half
_TRILLION = re.compile(r"([0-9]) ?兆")  # 10^6 in China, 10^12 in Japan: ambiguous, so not a number
_VULGAR_FRACTION = re.compile(r"([0-9]) (?=[¼-¾⅐-⅞])")
_SUPERSCRIPT = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")

_MINUS_WORD = re.compile(
    rf"(?<!{WORD})(?<![0-9%)\]] )(?:minus|negative) (?=[$€£¥]?\.?[0-9])|(?:负|負|零下) ?(?=[0-9])", re.IGNORECASE
)
_ARROW = re.compile(r"(?<![-=])[-=]++>|<-+(?= )")
_SENTENCE_END = re.compile(r"\.(?<=[0-9a-z]\.)(?=[A-Z][a-z])")  # in "42.The"; "42.txt" is a name
_DEGREE = re.compile(r"° ?[CF](?![A-Za-z])")
_PERCENT_WORD = re.compile(rf"([0-9])[$)\]]{{0,2}} {{0,2}}-?(?:{_PERCENT})(?!{WORD})", re.IGNORECASE)
_CJK_PERCENT = re.compile(r"([百千])分之 ?([0-9]+(?:[.,][0-9]+)*)")
_FRACTION_BAR = re.compile(r"([0-9])(?: ?/ ?(?=[0-9])| (?=[0-9]+/[0-9]))")  # 5 / 6, and 2 1/2
_SPACED_GROUPS = re.compile(
    rf"[1-9](?<!{WORD}[0-9])(?<![0-9][.,:'/][0-9])(?<!{WORD}-[0-9])(?<![0-9] [0-9])"
    r"[0-9]{0,2}(?: [0-9]{3})+(?![0-9]| [0-9])"
)
_WORD_MAGNITUDE = re.compile(rf"([0-9])[$)\]]{{0,2}} {{0,3}}-?({'|'.join(_WORDS)})s?(?!{WORD})", re.IGNORECASE)
_LETTER_MAGNITUDE = re.compile(rf"([0-9])(?:([kKMB])|\$? {{1,2}}([kKM]|B(?![):]|\. ?\S))(?![-']))(?!{WORD})")
_POWER_OF_TEN = re.compile(r"([0-9]) {0,2}[×·x] {0,2}10(?:\^\(?([-+]?[0-9]+)\)?|([⁺⁻]?[⁰¹²³⁴-⁹]+))")
VALUE_BEHIND = rf"[%％‰]|(?i:{_PERCENT}|{'|'.join(_WORDS)})s?(?!{WORD})|{_CJK}"
"""Regex for signs and words that are part of the value of the number before them, with or without a space between."""


def rewrite(text: str) -> str:
    """Return `text`, folded and without markup, with its numbers in one notation."""
    text = _SENTENCE_END.sub(". ", _without_list_numbers(text))
    if ">" in text or "<" in text:
        text = _ARROW.sub("→", text)
    if "--" in text:
        text = re.sub("--+", "—", text)
    if "/" in text:
        text = _FRACTION_BAR.sub(r"\1/", _ADDRESS.sub(" ", text))
    text = _MINUS_WORD.sub("-", text)
    text = _SPACED_GROUPS.sub(lambda number: number[0].replace(" ", ""), text)
    text = _PERCENT_WORD.sub(r"\1%", text)
    if not text.isascii():
        text = _rewrite_cjk(_VULGAR_FRACTION.sub(r"\1", _DEGREE.sub("°", text)))
    if "10" in text:
        text = _POWER_OF_TEN.sub(lambda power: f"{power[1]}e{power[2] or power[3].translate(_SUPERSCRIPT)}", text)
    text = _WORD_MAGNITUDE.sub(lambda word: f"{word[1]}e{_WORDS[word[2].lower()]}", text)
    return _LETTER_MAGNITUDE.sub(lambda letter: f"{letter[1]}e{_LETTERS[letter[2] or letter[3]]}", text)


def _rewrite_cjk(text: str) -> str:
    text = _CJK_PERCENT.sub(lambda share: share[2] + ("%" if share[1] == "百" else "‰"), text)
    text = _CJK_FRACTION.sub("_", text)
    return _TRILLION.sub(r"\1_", _CJK_AMOUNT.sub(_cjk_amount, text))


def _without_list_numbers(text: str) -> str:
    """Remove list numbers (1., 2., 3. at the start of lines); a `42.` at the start of an answer is kept."""
    last = 0

    def remove(item: re.Match[str]) -> str:
        nonlocal last
        if int(item[1]) not in (1, last + 1):
            return item[0]
        last = int(item[1])
        return ""

    return _LIST_NUMBER.sub(remove, text)


def _cjk_amount(amount: re.Match[str]) -> str:
    """Rewrite `1.5万` as 1.5e4 and `1亿2000万` as 120000000; `_` unless each part is below the magnitude before it."""
    parts = [(part[1], sum(_CJK_MAGNITUDES[c] for c in part[2] or "")) for part in _CJK_PART.finditer(amount[0])]
    if len(parts) == 1:
        return f"{parts[0][0]}e{parts[0][1]}"
    total, room = 0, 16
    for digits, exponent in parts:
        digits = digits.rstrip(",.")
        if not digits.isdecimal() or len(digits) + exponent > room or (exponent == 0 and len(digits) == 1):
            return "_"
        total, room = total + int(digits) * 10**exponent, exponent
    return str(total)
