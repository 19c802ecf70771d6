"""The prose around what is asked: an endless stream of English sentences, none of them twice.

The words are in `scenes`, the grammar is in `prose`. The grammar is expanded once, with a generator of its own, into a
stock of blueprints (a pattern and the slots to fill in it); a sentence then costs one blueprint and one choice a slot.
The stream stays in one scene for a few sentences, as a chronicle would.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice, product, repeat
from typing import NamedTuple

from .prose import COMMON, GRAMMAR, IRREGULAR_VERBS
from .scenes import SCENES

_STOCK = 30_000  # blueprints drawn from the grammar
_STAY = range(5, 12)  # sentences before the scene changes
_WORDS = range(6, 46)  # words a sentence may have
_ONCE = ("when", "place", "manner", "however", "absolute")  # slots that would contradict a twin in the same sentence
_REPEATABLE = frozenset(("been", "from", "into", "most", "over", "that", "them", "they", "were", "with"))
"""Every other word of more than three letters may stand only once in a sentence: a reader would stumble over it."""

_IRREGULAR = {base: forms for base, *forms in (verb.split() for verb in IRREGULAR_VERBS.split(","))}
_GERUNDS = {"dye": "dyeing", "label": "labelling", "reset": "resetting", "shoe": "shoeing", "tie": "tying"}
_DOUBLING = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")  # one vowel, one consonant: trim, trimmed, trimming


class _Blueprint(NamedTuple):
    """A sentence without its words."""

    pattern: str
    """`%s` where a slot is filled."""
    slots: tuple[str, ...]
    """What is filled in, in this order: the shape of the sentence."""


def sentences(rng: random.Random) -> Iterator[str]:
    """Yields sentences of 6 to 45 words, without digits and proper names, for ever and none of them twice."""
    return (sentence for _, sentence in _told(rng))


def _told(rng: random.Random) -> Iterator[tuple[_Blueprint, str]]:
    """`sentences` with their blueprints."""
    pick = rng.random  # indexing by it is several times faster than rng.choice
    stock, scenes = _stock(), _scenes()
    told: set[str] = set()
    scene, stay = scenes[0], 0
    while True:
        if not stay:
            scene, stay = scenes[int(pick() * len(scenes))], _STAY[int(pick() * len(_STAY))]
        blueprint = stock[int(pick() * len(stock))]
        pools = [scene[slot] for slot in blueprint.slots]
        sentence = blueprint.pattern % tuple([pool[int(pick() * len(pool))] for pool in pools])
        words = sentence[:-1].replace(",", "").replace(";", "").split(" ")
        long = [word for word in words if len(word) > 3 and word not in _REPEATABLE]
        if len(words) not in _WORDS or len(set(long)) < len(long) or sentence in told:
            continue
        told.add(sentence)
        stay -= 1
        yield blueprint, sentence[0].upper() + sentence[1:]


@cache
def _stock() -> tuple[_Blueprint, ...]:
    """_Blueprints as often as the grammar makes them; the same in every process."""
    grammar = {
        symbol: [re.split(r"([A-Z]{2,})", line.strip()) for line in lines]
        for symbol, *lines in (paragraph.split("\n") for paragraph in GRAMMAR.strip().split("\n\n"))
    }
    pick = random.Random("kveval.haystack").random

    def expand(symbol: str) -> str:
        alternatives = grammar[symbol]
        alternative = alternatives[int(pick() * len(alternatives))]
        return "".join([expand(part) if part in grammar else part for part in alternative])

    def blueprint(sentence: str) -> _Blueprint:
        parts = re.split(r"\{(\w+)\}", sentence.replace(" ,", ",") + ".")
        return _Blueprint("%s".join(parts[::2]), tuple(parts[1::2]))

    blueprints = (blueprint(expand("SENTENCE")) for _ in repeat(None))
    sound = (drawn for drawn in blueprints if all(drawn.slots.count(slot) < 2 for slot in _ONCE))
    return tuple(islice(sound, _STOCK))


@cache
def _scenes() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """For every scene what each slot can be filled with."""
    common = _pools(COMMON)
    return tuple(common | _pools(scene) for scene in SCENES.strip().split("\n\n"))


def _pools(text: str) -> dict[str, tuple[str, ...]]:
    """Slots and what they can be filled with, from entries `slot: alternatives > alternatives ...`."""
    pools: defaultdict[str, list[str]] = defaultdict(list)
    for entry in re.split(r"\n(?=\w)", text.strip()):
        slot, _, value = entry.partition(":")
        fields = [[" ".join(option.split()) for option in field.split("|")] for field in value.split(">")]
        if slot == "work":
            _add_work(pools, *fields)
            continue
        pools[slot] += [" ".join(choice) for choice in product(*fields)]
        if slot == "person":
            pools["a_person"] += [("an " if person[0] in "aeiou" else "a ") + person for person in fields[0]]
    return {slot: tuple(options) for slot, options in pools.items()}


def _add_work(
    pools: defaultdict[str, list[str]], verbs: list[str], objects: list[str], circumstances: list[str]
) -> None:
    for verb, marked in product(verbs, objects):
        base, past, participle, gerund = _forms(verb)
        thing = marked.removeprefix("*")
        was = "were" if thing != marked else "was"
        deeds = {
            "do": f"{base} {thing}",
            "did": f"{past} {thing}",
            "done": f"{participle} {thing}",
            "doing": f"{gerund} {thing}",
            "passive": f"{thing} {was} {participle}",
        }
        for slot, deed in deeds.items():
            pools[slot].append(deed)
            pools[f"{slot}_so"] += [f"{deed} {circumstance}" for circumstance in circumstances]
        pools["passive_perfect"].append(f"{thing} had been {participle}")
        pools["passive_must"].append(f"{thing} had to be {participle}")
        pools["passive_should"].append(f"{thing} should be {participle}")
        pools["passive_ongoing"].append(f"{thing} {was} being {participle}")


def _forms(verb: str) -> tuple[str, str, str, str]:
    """Base form, past, past participle and gerund, each with the verb's particle."""
    base, space, particle = verb.partition(" ")
    stem = base + base[-1] if _DOUBLING.fullmatch(base) else base
    regular = f"{base[:-1]}ied" if re.search(r"[^aeiou]y$", base) else f"{stem.removesuffix('e')}ed"
    past, *differing = _IRREGULAR.get(base, [regular])
    participle = differing[0] if differing else past
    gerund = _GERUNDS.get(base, f"{stem.removesuffix('e')}ing")
    return base + space + particle, past + space + particle, participle + space + particle, gerund + space + particle
