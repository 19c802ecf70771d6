"""Names, phrases and identifiers in answers.

An accepted text must stand in the answer, after NFKC, with apostrophes, quotes and hyphens unified, case and white
space folded (between initials and beside Chinese characters it means nothing), and with a word boundary on both sides:
no letter or digit may touch it. `+` and `#` belong to the word before them (C is not C++), `&` to both words that it
joins (AT is not AT&T); CJK has no boundaries. Digits reach further than letters: 12 does not stand in 12.5, 12%,
2024-12 or F-12, an identifier (digits and a hyphen) not in a longer one, an e-mail address not in another. A text of
one character must be the whole answer, in the same case; punctuation and markup around it do not count.

The answer is read as it is and without its markup, but what its writer struck out (`~~Oslo~~`) is gone. An accepted
text that stands only inside a distractor (Oslo in Oslo Harbour) is not named by it, and the other way round.
"""

import re
from collections.abc import Iterable, Sequence

from kveval.scoring.characters import CJK, UNSPACED, WORD, normalize, visible
from kveval.scoring.markup import plain, without_struck
from kveval.scoring.score import Score

_UNIFIED = (
    dict.fromkeys(map(ord, "‘’‚‛ʻʼ′´＇"), "'")
    | dict.fromkeys(map(ord, "“”„‟″«»〝〞＂"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-")
    | dict.fromkeys(map(ord, "•‧⋅∙・･"), "·")  # between the parts of a foreign name in Chinese and Japanese
)
_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(WORD)
_WORD_BEFORE = re.compile(rf"{WORD}(?:[+#]{{0,2}}|&)\Z")
_WORD_BEHIND = re.compile(rf"[+#]|&?{WORD}")
_NUMBER_BEFORE = re.compile(r"-\Z|[0-9][.,:/']\Z")
_NUMBER_BEHIND = re.compile(rf"[.,:/'][0-9]|-{WORD}{{0,8}}[0-9]|%")  # 12-rc1 is a code, 12-month is 12
_CODE = re.compile(r"(?=.*-)(?=.*[0-9])")
_CODE_BEFORE, _CODE_BEHIND = re.compile(rf"{WORD}[-/]\Z"), re.compile(rf"[-/]{WORD}")
_ADDRESS_BEFORE, _ADDRESS_BEHIND = re.compile(rf"{WORD}[-.+/]\Z"), re.compile(rf"[-./]{WORD}")
_INITIALS = re.compile(r"(?<=\b[^\W\d_]\.) (?=[^\W\d_]\.)")
_CJK_SPACE = re.compile(f"(?<=[{UNSPACED}]) | (?=[{UNSPACED}])")
_BULLET = re.compile("^[-·→] ")
_AROUND = " .,;:!?()[]{}<>\"'`*_$\\。、…「」『』【】"


def text_match(output: str, gold: str | Sequence[str], distractors: Sequence[str] = (), *, question: str = "") -> Score:
    """Whether an answer names the gold text, and no text of another record.

    `gold` is one text or a list of accepted ones; a string is one text, never its characters. Distractors that stand in
    `question`, or equal a gold, are not held against the answer. Never raises, whatever `output` holds.

    Reasons: `right`; `hedged` (a gold and a distractor); without a gold: `other record` (a distractor), `no answer`
    (nothing but white space), `other`.
    """
    golds = _wanted((gold,) if isinstance(gold, str) else gold)
    asked = _folded(_unified(question))
    others = {text for text in _wanted(distractors) if text not in golds and not _starts(text, asked)}
    output = without_struck(output)
    readings = [(whole, _folded(whole)) for whole in {_unified(output), _unified(plain(output))}]
    right = any(_names(*reading, golds, others) for reading in readings)
    wrong = any(_names(*reading, others, golds) for reading in readings)
    if right:
        return Score(0.0, "hedged") if wrong else Score(1.0, "right")
    if wrong:
        return Score(0.0, "other record")
    return Score(0.0, "other" if output.strip() else "no answer")


def same_text(a: str, b: str) -> bool:
    """Whether two texts are one to `text_match`."""
    return _wanted([a]) == _wanted([b])


def _wanted(texts: Iterable[str]) -> set[str]:
    """The texts to look for; one character keeps its case."""
    unified = {_unified(text) for text in texts}
    return {text if len(text) == 1 else _folded(text) for text in unified if text}


def _names(whole: str, folded: str, texts: set[str], others: set[str]) -> bool:
    """Whether an answer, as it is (`whole`) and `folded`, names one of `texts` other than inside one of `others`."""
    if singles := {text for text in texts if len(text) == 1}:
        bare = _BULLET.sub("", whole.strip(_AROUND)).strip(_AROUND)
        if whole in singles or bare in singles:
            return True
    starts = {text: _starts(text, folded) for text in texts | others}
    return any(
        not any(start - offset in starts[longer] for longer in others for offset in _offsets(text, longer))
        for text in texts
        for start in starts[text]
    )


def _offsets(text: str, longer: str) -> list[int]:
    return [offset for offset in range(len(longer) - len(text) + 1) if longer.startswith(text, offset)]


def _starts(text: str, answer: str) -> set[int]:
    """Where `text`, of two characters or more, stands in `answer` with boundaries on both sides; both are folded."""
    starts: set[int] = set()
    if len(text) < 2:
        return starts
    start = answer.find(text)
    while start >= 0:
        if _begins(text, answer, start) and _ends(text, answer, start + len(text)):
            starts.add(start)
        start = answer.find(text, start + 1)
    return starts


def _begins(text: str, answer: str, start: int) -> bool:
    """Whether `text` may begin at `start`: no word that it would be a part of reaches over its first character."""
    edge, before = text[0], answer[max(0, start - 3) : start]
    if _CJK.match(edge):
        return True
    if _WORD_BEFORE.search(before) or (edge.isdecimal() and _NUMBER_BEFORE.search(before)):
        return False
    if "@" in text and _ADDRESS_BEFORE.search(before):
        return False
    return not (_CODE.match(text) and _CODE_BEFORE.search(before))


def _ends(text: str, answer: str, end: int) -> bool:
    """Whether `text` may end at `end`: no word that it would be a part of reaches over its last character."""
    edge = text[-1]
    if _CJK.match(edge):
        return True
    if _WORD_BEHIND.match(answer, end) or (edge.isdecimal() and _NUMBER_BEHIND.match(answer, end)):
        return False
    if "@" in text and _ADDRESS_BEHIND.match(answer, end):
        return False
    return not (_CODE.match(text) and _CODE_BEHIND.match(answer, end))


def _unified(text: str) -> str:
    """NFKC with one form of apostrophe, quote and hyphen, and single spaces."""
    if not text.isascii():
        text = normalize("NFKC", visible(text).translate(_UNIFIED)).translate(_UNIFIED)
    return " ".join(text.split())


def _folded(unified: str) -> str:
    """A unified text without regard to case, and without spaces that mean nothing: `J. K. Rowling`, `5 月 6 日`."""
    folded = _INITIALS.sub("", normalize("NFKC", unified.casefold()))
    return folded if folded.isascii() else _CJK_SPACE.sub("", folded)
