"""The prose around what is asked: an endless stream of sentences, none of them twice.

The words and the grammar are those of a language (`en.haystack`, `zh.haystack`). The grammar is expanded once, with a
generator of its own, into a stock of blueprints (a pattern and the slots to fill in it); a sentence then costs one
blueprint and one choice a slot. The stream stays in one scene for a few sentences, as a chronicle would.
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
_STAY = range(5, 12)  # sentences before the scene changes


@dataclass(frozen=True, eq=False)
class Haystack:
    """What the sentences of one language are made of."""

    grammar: str
    """Paragraphs of a symbol and its alternatives, one a line: a `SYMBOL` is expanded further, a `{slot}` is filled."""
    common: str
    """Entries `name: alternatives > alternatives ...` that fit every scene; `|` stands between alternatives."""
    scenes: str
    """Paragraphs of such entries, one for each place of work."""
    fill: Callable[[str, list[list[str]]], Iterable[tuple[str, str]]]
    """From an entry's name and alternatives to slots, each with a text that it can be filled with."""
    finish: Callable[[str], str]
    """From an expanded `SENTENCE` to one with its stop, and with the spaces that the language writes."""
    once: tuple[str, ...]
    """Slots that would contradict a twin in the same sentence."""
    conspicuous: Callable[[str], list[str]]
    """Those words of a text that may stand only once in a sentence: a reader would stumble over the second."""
    lengths: range
    """How many characters a sentence may have."""


class _Blueprint(NamedTuple):
    """A sentence without its words."""

    pattern: str
    """`%s` where a slot is filled."""
    slots: tuple[str, ...]
    """What is filled in, in this order: the shape of the sentence. A slot that opens it has a capital letter."""
    words: int
    """The conspicuous words of the pattern, a bit for each."""


_Scene = dict[str, list[tuple[str, int]]]
"""What each slot can be filled with, and the conspicuous words in that, a bit for each."""


def sentences(rng: random.Random, language: Haystack) -> Iterator[str]:
    """Yields sentences without digits and proper names, for ever and none of them twice."""
    bits = rng.getrandbits  # several times faster than rng.choice
    stock, scenes = _furnish(language)
    lengths = language.lengths
    told: set[str] = set()
    scene, stay = scenes[0], 0
    while True:
        if not stay:
            scene, stay = scenes[bits(30) % len(scenes)], _STAY[bits(30) % len(_STAY)]
        pattern, slots, said = stock[bits(30) % len(stock)]
        texts = []
        for slot in slots:
            pool = scene[slot]
            text, words = pool[bits(30) % len(pool)]
            if said & words:
                break
            said |= words
            texts.append(text)
        else:
            sentence = pattern % (*texts,)
            if len(sentence) in lengths and sentence not in told:
                told.add(sentence)
                stay -= 1
                yield sentence


class _Bits(dict[str, int]):
    """A bit for each word, the next free one on first sight."""

    def __missing__(self, word: str) -> int:
        return self.setdefault(word, 1 << len(self))


@cache
def _furnish(language: Haystack) -> tuple[list[_Blueprint], list[_Scene]]:
    """The stock of blueprints, and the scenes."""
    bits = _Bits()
    stock = list(islice(_blueprints(language, bits), _STOCK))
    common = _pools(language, language.common, bits)
    # Words of different scenes never meet and may have the same bits: small numbers are fast.
    scenes = [common | _pools(language, text, _Bits(bits)) for text in language.scenes.strip().split("\n\n")]
    return stock, scenes


def _blueprints(language: Haystack, bits: _Bits) -> Iterator[_Blueprint]:
    """Blueprints as often as the grammar makes them; the same in every process."""
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
        # Interned, a slot is looked up without comparing letters.
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
