"""Copy fidelity: how exactly an output repeats a passage of its document.

Both are read as words (text between white space; characters where a script has no spaces; HTML tags), in NFC without
characters of no width, and nothing else is normalised. The passage is aligned with the run of output words that has the
smallest Levenshtein distance to it (Sellers 1980, computed with the bit vectors of Myers 1999 on integers of one bit a
passage word). What stands before and after the run is preamble and trailer, and no error: "Sure, here it is:", ```
fences, a repetition. Of several runs with the smallest distance the first is taken (ends that follow one another count
as one), and of those the longest: a wrong last word is a word replaced, not one dropped and a trailer. Where no run
comes closer than none at all, nothing is aligned and every word is dropped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rapidfuzz.distance import Levenshtein, Opcodes

from kveval.scoring.characters import UNSPACED, normalize, visible

SPLICE_WORDS = 5
"""Wrong words in a row that, when they stand elsewhere in the document, are a splice."""

_TAG = r"</?[A-Za-z|][^<>\s]{0,40}>"
_WORD = re.compile(rf"{_TAG}|[{UNSPACED}]|(?:[^\s<{UNSPACED}]++|(?!{_TAG})<)++")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_OPENING, _CLOSING = "\"'“‘„«`*_", "\"'”’“»`*_"


@dataclass(frozen=True, slots=True)
class CopyScore:
    """How an output repeats a passage; counts are words (characters in scripts without spaces)."""

    similarity: float
    """1 − (substituted + inserted + dropped) ÷ words of the passage, floored at 0."""
    first_error: int | None
    """Index of the first passage word that is wrong or has something inserted before it; None in an exact copy."""
    substituted: int
    inserted: int
    dropped: int
    spliced: int
    """Number of splices: runs of five wrong words or more that stand elsewhere in the document."""
    preamble: str
    """What the output says before the copy."""
    trailer: str
    """What the output says after the copy."""

    @property
    def exact(self) -> bool:
        return self.first_error is None


def copy_fidelity(output: str, passage: str, source: str | None = None) -> CopyScore:
    """Compare `output` (without reasoning) with the `passage` it should repeat; `source` is the document, to find
    splices in.

    Quotes, backticks, asterisks or underscores around the copy, and `>` before its lines, do not count where the passage
    does not begin with them. A passage without words is copied by anything. Never raises.
    """
    output = normalize("NFC", visible(output))
    if not _QUOTE.search(visible(passage)):
        output = _QUOTE.sub("", output)
    wanted, said = words(passage), _WORD.findall(output)
    if not wanted:
        return CopyScore(1.0, None, 0, 0, 0, 0, output.strip(), "")
    place = _place(wanted, said)
    start, end = place if place else _nearest_run(wanted, _bare(said, wanted))
    preamble, trailer = _around(output, start, end, len(said))
    if place:
        return CopyScore(1.0, None, 0, 0, 0, 0, preamble, trailer)
    copied = _unwrapped(said[start:end], wanted, before=said[start - 1] if start else "")
    changes = Levenshtein.opcodes(wanted, copied)
    counts = {"replace": 0, "insert": 0, "delete": 0, "equal": 0}
    for change in changes:
        counts[change.tag] += max(change.src_end - change.src_start, change.dest_end - change.dest_start)
    wrong = [change.src_start for change in changes if change.tag != "equal"]
    return CopyScore(
        similarity=max(0.0, 1 - (counts["replace"] + counts["insert"] + counts["delete"]) / len(wanted)),
        first_error=wrong[0] if wrong else None,
        substituted=counts["replace"],
        inserted=counts["insert"],
        dropped=counts["delete"],
        spliced=0 if source is None else _splices(changes, copied, wanted, source),
        preamble=preamble,
        trailer=trailer,
    )


def words(text: str) -> list[str]:
    """The words of a text, each with its punctuation; single characters in scripts without spaces."""
    return _WORD.findall(normalize("NFC", visible(text)))


def _place(wanted: Sequence[str], said: Sequence[str]) -> tuple[int, int] | None:
    """Start and end of the first exact copy of `wanted` in `said`."""
    haystack = _spaced(said)
    place = haystack.find(_spaced(wanted))
    if place < 0:
        return None
    start = haystack.count(" ", 0, place)
    return start, start + len(wanted)


def _nearest_run(wanted: Sequence[str], said: Sequence[str]) -> tuple[int, int]:
    """Start and end of the run of `said` that is nearest to `wanted`; an empty run where none is nearer than that."""
    if place := _place(wanted, said):
        return place
    distances = _distances(wanted, said, anchored=False)
    distance = min(distances)
    if distance == len(wanted):
        return 0, 0
    end = distances.index(distance)
    while distances[end + 1 : end + 2] == [distance]:
        end += 1
    backwards = said[max(0, end - len(wanted) - distance) : end][::-1]
    lengths = _distances(wanted[::-1], backwards, anchored=True)
    longest = max(length for length, to_here in enumerate(lengths) if to_here == distance)
    return end - longest, end


def _distances(wanted: Sequence[str], said: Sequence[str], *, anchored: bool) -> list[int]:
    """For each length k of `said`, the distance of `wanted` to `said[:k]` (anchored) or to the nearest run that ends
    at k.

    Bit i of `up` (`down`) says that the column of the edit-distance matrix at k grows (falls) by one from passage word
    i − 1 to i.
    """
    places: dict[str, int] = {}
    for i, word in enumerate(wanted):
        places[word] = places.get(word, 0) | 1 << i
    every, last = (1 << len(wanted)) - 1, 1 << len(wanted) - 1
    up, down, distance = every, 0, len(wanted)
    distances = [distance]
    for word in said:
        match = places.get(word, 0)
        level = ((match & up) + up ^ up) | match | down  # the diagonal step costs nothing
        grows, falls = down | every & ~(level | up), up & level
        if grows & last:
            distance += 1
        elif falls & last:
            distance -= 1
        grows = grows << 1 | anchored
        up, down = every & (falls << 1 | ~(level | grows)), every & grows & level
        distances.append(distance)
    return distances


def _around(output: str, start: int, end: int, count: int) -> tuple[str, str]:
    """The text of an output of `count` words before word `start` and from word `end` on."""
    if start == end:
        return output.strip(), ""
    begin = next(islice(_WORD.finditer(output), start, None)).start() if start else 0
    stop = next(islice(_WORD.finditer(output), end, None)).start() if end < count else len(output)
    return output[:begin].strip(), output[stop:].strip()


def _bare(said: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """`said` with the passage's first and last word free of marks that are glued to them, for finding the run."""
    first, last = wanted[0], wanted[-1]

    def bare(word: str) -> str:
        if first in word and word.lstrip(_OPENING) == first:
            return first
        if last in word and word.rstrip(_CLOSING) == last:
            return last
        return first if first == last == word.strip(_OPENING + _CLOSING) else word

    return [bare(word) for word in said]


def _unwrapped(copied: list[str], wanted: Sequence[str], *, before: str) -> list[str]:
    """`copied` without the marks that are glued to its first and last word because the output wraps the passage in
    them.

    The marks at the end go only where as many stand at the start: glued to the first word, or as the word `before`. They
    may have the punctuation of the sentence behind them that quotes the passage.
    """
    if not copied or wanted[0].startswith(tuple(_OPENING)):
        return copied
    first, last = copied[0], copied[-1]
    opening = first[: len(first) - len(first.lstrip(_OPENING))] or ("" if before.strip(_OPENING) else before)

    def opened(word: str) -> str:
        return wanted[0] if word.removeprefix(opening) == wanted[0] else word

    def closed(word: str) -> str:
        marks = word.removeprefix(wanted[-1]).rstrip(".,;:!?")
        is_wrapped = word.startswith(wanted[-1]) and len(marks) == len(opening) > 0 and not marks.strip(_CLOSING)
        return wanted[-1] if is_wrapped else word

    if len(copied) == 1:
        word = closed(first.removeprefix(opening))
        return [word] if word == wanted[0] else copied
    return [opened(first), *copied[1:-1], closed(last)]


def _splices(changes: Opcodes, copied: Sequence[str], wanted: Sequence[str], source: str) -> int:
    """Stretches of `copied` whose words are wrong and stand elsewhere in the document, five in a row.

    Two such stretches are one splice when fewer than five words part them, or when the document holds them in one
    piece: words that happen to be right do not split a splice.
    """
    wrong = [False] * len(copied)
    for change in changes:
        if change.tag != "equal":
            for i in range(change.dest_start, change.dest_end):
                wrong[i] = True
    runs = [i for i in range(len(copied) - SPLICE_WORDS + 1) if all(wrong[i : i + SPLICE_WORDS])]
    if not runs:
        return 0
    document, fives = _document(source)
    elsewhere = document.replace(_spaced(wanted), " \n ")
    splices, last = 0, None
    for i in runs:
        if tuple(copied[i : i + SPLICE_WORDS]) in fives and _spaced(copied[i : i + SPLICE_WORDS]) in elsewhere:
            if last is None or not (
                i - last < 2 * SPLICE_WORDS or _spaced(copied[last : i + SPLICE_WORDS]) in elsewhere
            ):
                splices += 1
            last = i
    return splices


def _spaced(text: Sequence[str]) -> str:
    """Words with a space around each, so that one string is found in another as words are."""
    return f" {' '.join(text)} "


@lru_cache(maxsize=2)
def _document(source: str) -> tuple[str, frozenset[tuple[str, ...]]]:
    """A document's words in one string, and all runs of five; kept, because samples on a document follow one another."""
    text = words(source)
    return _spaced(text), frozenset(zip(*(text[i:] for i in range(SPLICE_WORDS)), strict=False))
