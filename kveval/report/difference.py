"""Two texts side by side, with what differs between them marked."""

import re

from rapidfuzz.distance import Levenshtein

from kveval.scoring.characters import UNSPACED

KEPT_WORDS = 6
"""Words around a difference that are shown; longer stretches of equal words become `…`."""
APART_WORDS = 3
"""So many equal words set two differences apart."""
MOST_CHANGES = 12
MOST_WORDS = 40
"""In one difference; of longer ones the rest becomes a count."""

_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+|\r?\n")


def side_by_side(a: str, b: str) -> tuple[str, str]:
    """`a` and `b` on one line each, with `[[ ]]` around the words (characters of scripts without spaces) that differ.

    Equal stretches are shortened to what stands around a difference. Texts that differ in white space alone come out equal.
    """
    words_a, words_b = _WORD.findall(a), _WORD.findall(b)
    runs = _runs(words_a, words_b)
    differing = sum(not equal for equal, _, _ in runs)
    shown: list[tuple[str, str]] = []
    marked = 0
    for index, (equal, here_a, here_b) in enumerate(runs):
        if equal:
            kept = _shortened(here_a, first=index == 0, last=index == len(runs) - 1)
            shown.append((kept, kept))
        elif marked == MOST_CHANGES:
            rest = f"… ({differing - marked} more places)"
            shown.append((rest, rest))
            break
        else:
            marked += 1
            shown.append((f"[[{_cut(here_a)}]]", f"[[{_cut(here_b)}]]"))
    return " ".join(side for side, _ in shown), " ".join(side for _, side in shown)


def _runs(a: list[str], b: list[str]) -> list[tuple[bool, list[str], list[str]]]:
    """Both word lists cut into runs that are equal and runs that differ, in turns; a few equal words between two differences
    belong to them."""
    runs: list[tuple[bool, list[str], list[str]]] = []
    changes = Levenshtein.opcodes(a, b)
    for index, change in enumerate(changes):
        here_a, here_b = a[change.src_start : change.src_end], b[change.dest_start : change.dest_end]
        inside = 0 < index < len(changes) - 1
        equal = change.tag == "equal" and not (inside and len(here_a) < APART_WORDS)
        if runs and not equal and not runs[-1][0]:
            runs[-1] = (False, runs[-1][1] + here_a, runs[-1][2] + here_b)
        else:
            runs.append((equal, here_a, here_b))
    return runs


def _shortened(words: list[str], *, first: bool, last: bool) -> str:
    """Equal words: those next to a difference, and `…` for those between."""
    before = 0 if first and not last else KEPT_WORDS
    behind = 0 if last else KEPT_WORDS
    if len(words) <= before + behind + 1:
        return _joined(words)
    kept = [_joined(words[:before]), "…", _joined(words[len(words) - behind :])]
    return " ".join(filter(None, kept))


def _cut(words: list[str]) -> str:
    if len(words) <= MOST_WORDS:
        return _joined(words)
    return f"{_joined(words[:MOST_WORDS])} … ({len(words) - MOST_WORDS} more words)"


def _joined(words: list[str]) -> str:
    """Words with spaces between; none beside characters of scripts without spaces. A line break becomes `⏎`."""
    text = ""
    for word in words:
        spaced = text and not (_is_unspaced(word) or _is_unspaced(text[-1]))
        text += (" " if spaced else "") + ("⏎" if word.isspace() else word)
    return text


def _is_unspaced(word: str) -> bool:
    return re.match(f"[{UNSPACED}]", word) is not None
