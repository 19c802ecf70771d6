"""Copy fidelity: how exactly an output repeats a passage of its document.

Passage and output are split into words: text between white space, single characters in scripts without spaces, and
HTML tags. Both are converted to NFC and lose their zero-width characters; nothing else is normalized.

The passage is aligned with the run of output words that has the smallest Levenshtein distance to it (Sellers 1980,
computed with the bit vectors of Myers 1999, one bit per passage word). The text before the run is the preamble and the
text after it the trailer; neither counts as an error ("Sure, here it is:", ``` fences, a repetition). If several runs
have the smallest distance, the first end is used (adjacent ends count as one, the last of them), and of the runs with
that end the longest. So a wrong last word counts as a substitution, not as a dropped word plus a trailer. If no run is
closer than the empty run, nothing is aligned and every passage word counts as dropped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rapidfuzz.distance import Levenshtein, Opcodes

from kveval.scoring.characters import UNSPACED, normalize, visible

SPLICE_WORDS = 5
"""Minimum number of consecutive wrong words that count as a splice if they occur elsewhere in the document."""

_TAG = r"</?[A-Za-z|][^<>\s]{0,40}>"
_WORD = re.compile(rf"{_TAG}|[{UNSPACED}]|(?:[^\s<{UNSPACED}]++|(?!{_TAG})<)++")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_OPENING, _CLOSING = "\"'“‘„«`*_", "\"'”’“»`*_"


@dataclass(frozen=True, slots=True)
class CopyScore:
    """Fidelity of one copy. Counts are in words (characters in scripts without spaces)."""

    similarity: float
    """1 − (substituted + inserted + dropped) ÷ words of the passage, at least 0."""
    first_error: int | None
    """Index of the first passage word that is wrong or preceded by an insertion; None if the copy is exact."""
    substituted: int
    inserted: int
    dropped: int
    spliced: int
    """Number of splices: runs of at least five wrong words that occur elsewhere in the document."""
    preamble: str
    """Text of the output before the copy."""
    trailer: str
    """Text of the output after the copy."""

    @property
    def exact(self) -> bool:
        return self.first_error is None


def copy_fidelity(output: str, passage: str, source: str | None = None) -> CopyScore:
    """Compare `output` (without reasoning) with the `passage` that it should repeat.

    `source` is the document, in which splices are looked up; without it `spliced` is 0. Quotes, backticks, asterisks or
    underscores around the copy and `>` before its lines are ignored unless the passage has them itself. Every output is
    an exact copy of a passage without words. Never raises.
    """
    output = normalize("NFC", visible(output))
    if not _QUOTE.search(visible(passage)):
        output = _QUOTE.sub("", output)
    passage_words, output_words = words(passage), _WORD.findall(output)
    if not passage_words:
        return CopyScore(1.0, None, 0, 0, 0, 0, output.strip(), "")
    place = _find_exact(passage_words, output_words)
    start, end = place if place else _nearest_run(passage_words, _without_attached_marks(output_words, passage_words))
    preamble, trailer = _preamble_and_trailer(output, start, end, len(output_words))
    if place:
        return CopyScore(1.0, None, 0, 0, 0, 0, preamble, trailer)
    copied = _unwrapped(output_words[start:end], passage_words, before=output_words[start - 1] if start else "")
    changes = Levenshtein.opcodes(passage_words, copied)
    counts = {"replace": 0, "insert": 0, "delete": 0, "equal": 0}
    for change in changes:
        counts[change.tag] += max(change.src_end - change.src_start, change.dest_end - change.dest_start)
    wrong = [change.src_start for change in changes if change.tag != "equal"]
    return CopyScore(
        similarity=max(0.0, 1 - (counts["replace"] + counts["insert"] + counts["delete"]) / len(passage_words)),
        first_error=wrong[0] if wrong else None,
        substituted=counts["replace"],
        inserted=counts["insert"],
        dropped=counts["delete"],
        spliced=0 if source is None else _splices(changes, copied, passage_words, source),
        preamble=preamble,
        trailer=trailer,
    )


def words(text: str) -> list[str]:
    """Split a text into words, each with its punctuation; single characters in scripts without spaces."""
    return _WORD.findall(normalize("NFC", visible(text)))


def _find_exact(passage_words: Sequence[str], output_words: Sequence[str]) -> tuple[int, int] | None:
    """Return start and end of the first exact copy of `passage_words` in `output_words`, or None."""
    haystack = _joined(output_words)
    place = haystack.find(_joined(passage_words))
    if place < 0:
        return None
    start = haystack.count(" ", 0, place)
    return start, start + len(passage_words)


def _nearest_run(passage_words: Sequence[str], output_words: Sequence[str]) -> tuple[int, int]:
    """Return start and end of the run of `output_words` nearest to `passage_words`: an empty run if no other is nearer."""
    if place := _find_exact(passage_words, output_words):
        return place
    distances = _distances(passage_words, output_words, anchored=False)
    distance = min(distances)
    if distance == len(passage_words):
        return 0, 0
    end = distances.index(distance)
    while distances[end + 1 : end + 2] == [distance]:
        end += 1
    backwards = output_words[max(0, end - len(passage_words) - distance) : end][::-1]
    lengths = _distances(passage_words[::-1], backwards, anchored=True)
    longest = max(length for length, to_here in enumerate(lengths) if to_here == distance)
    return end - longest, end


def _distances(passage_words: Sequence[str], output_words: Sequence[str], *, anchored: bool) -> list[int]:
    """Return distances from the passage to the output words before each k from 0 to their number.

    With `anchored` it is the distance to all words before k, else to the nearest run that ends at k.

    Bit i of `up` (`down`) is set if column k of the edit-distance matrix rises (falls) by one from passage word i − 1 to
    word i.
    """
    bits_by_word: dict[str, int] = {}
    for i, word in enumerate(passage_words):
        bits_by_word[word] = bits_by_word.get(word, 0) | 1 << i
    every, last = (1 << len(passage_words)) - 1, 1 << len(passage_words) - 1
    up, down, distance = every, 0, len(passage_words)
    distances = [distance]
    for word in output_words:
        match = bits_by_word.get(word, 0)
        level = ((match & up) + up ^ up) | match | down  # rows where the diagonal step is free
        grows, falls = down | every & ~(level | up), up & level
        if grows & last:
            distance += 1
        elif falls & last:
            distance -= 1
        grows = grows << 1 | anchored
        up, down = every & (falls << 1 | ~(level | grows)), every & grows & level
        distances.append(distance)
    return distances


def _preamble_and_trailer(output: str, start: int, end: int, count: int) -> tuple[str, str]:
    """Return the text before word `start` and the text from word `end` on, for an output of `count` words."""
    if start == end:
        return output.strip(), ""
    begin = next(islice(_WORD.finditer(output), start, None)).start() if start else 0
    stop = next(islice(_WORD.finditer(output), end, None)).start() if end < count else len(output)
    return output[:begin].strip(), output[stop:].strip()


def _without_attached_marks(output_words: Sequence[str], passage_words: Sequence[str]) -> list[str]:
    """Return `output_words` with marks stripped from copies of the passage's first and last word, to find the run."""
    first, last = passage_words[0], passage_words[-1]

    def bare(word: str) -> str:
        if first in word and word.lstrip(_OPENING) == first:
            return first
        if last in word and word.rstrip(_CLOSING) == last:
            return last
        return first if first == last == word.strip(_OPENING + _CLOSING) else word

    return [bare(word) for word in output_words]


def _unwrapped(copied: list[str], passage_words: Sequence[str], *, before: str) -> list[str]:
    """Return `copied` without the marks in which the output wraps the passage, on its first and last word.

    Closing marks are removed only if there are as many opening marks: attached to the first word, or as the word
    `before`. They may be followed by the punctuation of the sentence that quotes the passage.
    """
    if not copied or passage_words[0].startswith(tuple(_OPENING)):
        return copied
    first, last = copied[0], copied[-1]
    opening = first[: len(first) - len(first.lstrip(_OPENING))] or ("" if before.strip(_OPENING) else before)

    def opened(word: str) -> str:
        return passage_words[0] if word.removeprefix(opening) == passage_words[0] else word

    def closed(word: str) -> str:
        marks = word.removeprefix(passage_words[-1]).rstrip(".,;:!?")
        is_wrapped = word.startswith(passage_words[-1]) and len(marks) == len(opening) > 0 and not marks.strip(_CLOSING)
        return passage_words[-1] if is_wrapped else word

    if len(copied) == 1:
        word = closed(first.removeprefix(opening))
        return [word] if word == passage_words[0] else copied
    return [opened(first), *copied[1:-1], closed(last)]


def _splices(changes: Opcodes, copied: Sequence[str], passage_words: Sequence[str], source: str) -> int:
    """Count the runs of `copied` with at least five consecutive wrong words that occur elsewhere in the document.

    Two runs count as one splice if fewer than five words separate them, or if the document contains both and the words
    between them as one run: words that are right by chance do not split a splice.
    """
    wrong = [False] * len(copied)
    for change in changes:
        if change.tag != "equal":
            for i in range(change.dest_start, change.dest_end):
                wrong[i] = True
    runs = [i for i in range(len(copied) - SPLICE_WORDS + 1) if all(wrong[i : i + SPLICE_WORDS])]
    if not runs:
        return 0
    document, fives = _words_and_runs(source)
    elsewhere = document.replace(_joined(passage_words), " \n ")
    splices, last = 0, None
    for i in runs:
        if tuple(copied[i : i + SPLICE_WORDS]) in fives and _joined(copied[i : i + SPLICE_WORDS]) in elsewhere:
            if last is None or not (
                i - last < 2 * SPLICE_WORDS or _joined(copied[last : i + SPLICE_WORDS]) in elsewhere
            ):
                splices += 1
            last = i
    return splices


def _joined(text: Sequence[str]) -> str:
    """Join words with a space around each, so that a substring search matches whole words."""
    return f" {' '.join(text)} "


@lru_cache(maxsize=2)
def _words_and_runs(source: str) -> tuple[str, frozenset[tuple[str, ...]]]:
    """Return a document's words as one string, and all its runs of five; cached for consecutive samples on a document."""
    text = words(source)
    return _joined(text), frozenset(zip(*(text[i:] for i in range(SPLICE_WORDS)), strict=False))
