"""Filler prose: an endless stream of distinct sentences.

Words and grammar belong to a language (`en.haystack`, `zh.haystack`). The grammar is expanded once, with its own random
generator, into a stock of blueprints (a pattern with slots to fill). A sentence then takes one blueprint and one choice per
slot. The stream stays in one scene for a few sentences.
"""

import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, repeat
from typing import NamedTuple

_STOCK = 30_000  # blueprints drawn from the grammar
_SENTENCES_PER_SCENE = range(5, 12)


@dataclass(frozen=True, eq=False)
class Haystack:
    """Grammar and words of the filler prose of one language."""

    grammar: str
    """Paragraphs of a symbol and its alternatives, one per line; a `SYMBOL` is expanded further, a `{slot}` is filled."""
    common: str
    """Entries `name: alternatives > alternatives ...` that fit every scene, with alternatives separated by `|`."""
    scenes: str
    """Paragraphs of such entries, one per scene."""
    fill: Callable[[str, list[list[str]]], Iterable[tuple[str, str]]]
    """Turns an entry's name and alternatives into pairs of a slot and a text for it."""
    finish: Callable[[str], str]
    """Adds the stop to an expanded `SENTENCE` and corrects its spaces."""
    once: tuple[str, ...]
    """Slots that may occur only once per sentence, since two of them would contradict each other."""
    conspicuous: Callable[[str], list[str]]
    """Returns the words of a text that may occur only once in a sentence, since a repetition would be noticeable."""
    lengths: range
    """Permitted numbers of characters of a sentence."""


class _Blueprint(NamedTuple):
    """Sentence with empty slots."""

    pattern: str
    """Text with `%s` for each slot."""
    slots: tuple[str, ...]
    """Names of the slots in order: the shape of the sentence. A slot that opens it is capitalized."""
    words: int
    """Bit mask of the conspicuous words in the pattern."""


_Scene = dict[str, list[tuple[str, int]]]
"""Texts for each slot, with bit masks of their conspicuous words."""


def sentences(rng: random.Random, language: Haystack) -> Iterator[str]:
    """Yield distinct sentences without digits and proper names, endlessly."""
    bits = rng.getrandbits  # several times faster than rng.choice
    stock, scenes = _stock_and_scenes(language)
    lengths = language.lengths
    used: set[str] = set()
    scene, remaining = scenes[0], 0
    while True:
        if not remaining:
            scene, remaining = (
                scenes[bits(30) % len(scenes)],
                _SENTENCES_PER_SCENE[bits(30) % len(_SENTENCES_PER_SCENE)],
            )
        pattern, slots, used_words = stock[bits(30) % len(stock)]
        texts = []
        for slot in slots:
            pool = scene[slot]
            text, words = pool[bits(30) % len(pool)]
            if used_words & words:
                break
            used_words |= words
            texts.append(text)
        else:
            sentence = pattern % (*texts,)
            if len(sentence) in lengths and sentence not in used:
                used.add(sentence)
                remaining -= 1
                yield sentence


class _Bits(dict[str, int]):
    """Bit of each word; a new word gets the next free bit."""

    def __missing__(self, word: str) -> int:
        return self.setdefault(word, 1 << len(self))


@cache
def _stock_and_scenes(language: Haystack) -> tuple[list[_Blueprint], list[_Scene]]:
    """Return the stock of blueprints and the scenes."""
    bits = _Bits()
    stock = list(islice(_blueprints(language, bits), _STOCK))
    common = _pools(language, language.common, bits)
    # Words of different scenes never occur together, so they can share bits: smaller numbers are faster.
    scenes = [common | _pools(language, text, _Bits(bits)) for text in language.scenes.strip().split("\n\n")]
    return stock, scenes


def _blueprints(language: Haystack, bits: _Bits) -> Iterator[_Blueprint]:
    """Yield random blueprints from the grammar, the same in every process."""
    grammar = {
        symbol: [re.split(r"([A-Z]{2,})", line.strip()) for line in lines]
        for symbol, *lines in (paragraph.split("\n") for paragraph in language.grammar.strip().split("\n\n"))
    }
    conspicuous = cache(language.conspicuous)
    pick = random.Random("kveval.haystack").random

    def expand(symbol: str) -> str:
        alternatives = grammar[symbol]
        alternative = alternatives[int(pick() * len(alternatives))]
        return "".join([expand(part) if part in grammar else part for part in alternative])

    for _ in repeat(None):
        parts = re.split(r"\{(\w+)\}", language.finish(expand("SENTENCE")))
        literal, slots = parts[::2], parts[1::2]
        words = [word for part in literal for word in conspicuous(part)]
        if len(set(words)) < len(words) or any(slots.count(slot) > 1 for slot in language.once):
            continue
        (literal if literal[0] else slots)[0] = _capital(literal[0] or slots[0])
        # Interned strings are compared by identity, which makes the lookup of slots faster.
        yield _Blueprint("%s".join(literal), tuple(map(sys.intern, slots)), sum([bits[word] for word in words]))


def _pools(language: Haystack, entries: str, bits: _Bits) -> _Scene:
    pools: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for entry in re.split(r"\n(?=\w)", entries.strip()):
        name, _, value = entry.partition(":")
        fields = [[" ".join(option.split()) for option in field.split("|")] for field in value.split(">")]
        for slot, text in language.fill(name, fields):
            words = language.conspicuous(text)
            if len(set(words)) == len(words):
                mask = sum([bits[word] for word in words])
                pools[slot].append((text, mask))
                pools[slot.capitalize()].append((_capital(text), mask))
    return dict(pools)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
