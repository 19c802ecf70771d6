"""Names, phrases and identifiers in answers.

An accepted text matches if the answer contains it with a word boundary on both sides. Both are compared after NFKC,
with one form of apostrophe, quote and hyphen, and without regard to case and to the amount of white space; spaces
between initials and next to Chinese characters are ignored.

A word boundary means that no letter or digit touches the text. `+` and `#` belong to the word before them (C is not
C++), and `&` to both words that it joins (AT is not AT&T). CJK text has no word boundaries. For digits, more characters
count as part of the word: the answers 12.5, 12%, 2024-12 and F-12 do not contain 12. An identifier (digits and a
hyphen) does not match inside a longer identifier, nor an e-mail address inside another. A text of one character must be
the whole answer, in the same case, apart from punctuation and markup around it.

The answer is searched both as it is and without its markup, in both cases without struck-out text (`~~Oslo~~`). A gold
text that occurs only inside a distractor (Oslo in Oslo Harbour) does not match, nor does a distractor that occurs only
inside a gold text.
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
_SURROUNDING = " .,;:!?()[]{}<>\"'`*_$\\。、…「」『』【】"


def text_match(output: str, gold: str | Sequence[str], distractors: Sequence[str] = (), *, question: str = "") -> Score:
    """Score an answer 1.0 if it contains a gold text and no distractor, else 0.0.

    `gold` is one text or a list of accepted texts. Distractors that occur in `question` or equal a gold text are ignored.
    Never raises.

    Reasons: `right`; `hedged` (a gold text and a distractor); without a gold text `other record` (a distractor),
    `no answer` (only white space) or `other`.
    """
    golds = _normalized((gold,) if isinstance(gold, str) else gold)
    folded_question = _folded(_unified(question))
    others = {text for text in _normalized(distractors) if text not in golds and not _starts(text, folded_question)}
    output = without_struck(output)
    readings = [(whole, _folded(whole)) for whole in {_unified(output), _unified(plain(output))}]
    right = any(_contains_any(*reading, golds, others) for reading in readings)
    wrong = any(_contains_any(*reading, others, golds) for reading in readings)
    if right:
        return Score(0.0, "hedged") if wrong else Score(1.0, "right")
    if wrong:
        return Score(0.0, "other record")
    return Score(0.0, "other" if output.strip() else "no answer")


def same_text(a: str, b: str) -> bool:
    """Whether `text_match` treats two texts as equal."""
    return _normalized([a]) == _normalized([b])


def _normalized(texts: Iterable[str]) -> set[str]:
    """Return the normalized texts to search for. Texts of one character keep their case."""
    unified = {_unified(text) for text in texts}
    return {text if len(text) == 1 else _folded(text) for text in unified if text}


def _contains_any(whole: str, folded: str, texts: set[str], others: set[str]) -> bool:
    """Whether an answer, given unified (`whole`) and `folded`, contains one of `texts` outside all of `others`."""
    if singles := {text for text in texts if len(text) == 1}:
        stripped = _BULLET.sub("", whole.strip(_SURROUNDING)).strip(_SURROUNDING)
        if whole in singles or stripped in singles:
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
    """Return where `text` starts in `answer` with word boundaries on both sides; none for texts of one character.

    Both are folded.
    """
    starts: set[int] = set()
    if len(text) < 2:
        return starts
    start = answer.find(text)
    while start >= 0:
        if _is_word_start(text, answer, start) and _is_word_end(text, answer, start + len(text)):
            starts.add(start)
        start = answer.find(text, start + 1)
    return starts


def _is_word_start(text: str, answer: str, start: int) -> bool:
    """Whether there is a word boundary before `text` if it begins at `start`."""
    edge, before = text[0], answer[max(0, start - 3) : start]
    if _CJK.match(edge):
        return True
    if _WORD_BEFORE.search(before) or (edge.isdecimal() and _NUMBER_BEFORE.search(before)):
        return False
    if "@" in text and _ADDRESS_BEFORE.search(before):
        return False
    return not (_CODE.match(text) and _CODE_BEFORE.search(before))


def _is_word_end(text: str, answer: str, end: int) -> bool:
    """Whether there is a word boundary after `text` if it ends at `end`."""
    edge = text[-1]
    if _CJK.match(edge):
        return True
    if _WORD_BEHIND.match(answer, end) or (edge.isdecimal() and _NUMBER_BEHIND.match(answer, end)):
        return False
    if "@" in text and _ADDRESS_BEHIND.match(answer, end):
        return False
    return not (_CODE.match(text) and _CODE_BEHIND.match(answer, end))


def _unified(text: str) -> str:
    """Convert a text to NFKC with one form of apostrophe, quote and hyphen, and single spaces."""
    if not text.isascii():
        text = normalize("NFKC", visible(text).translate(_UNIFIED)).translate(_UNIFIED)
    return " ".join(text.split())


def _folded(unified: str) -> str:
    """Fold the case of a unified text and remove insignificant spaces, as in `J. K. Rowling` and `5 月 6 日`."""
    folded = _INITIALS.sub("", normalize("NFKC", unified.casefold()))
    return folded if folded.isascii() else _CJK_SPACE.sub("", folded)
