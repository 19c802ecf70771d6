"""English filler prose: inflection of verbs and choice of articles, for the words of `scenes` and `prose`."""

import re
from collections.abc import Iterator
from itertools import product

from ..haystack import Haystack
from .prose import COMMON, GRAMMAR, IRREGULAR_VERBS
from .scenes import SCENES

_REPEATABLE = frozenset(("been", "from", "into", "most", "over", "that", "them", "they", "were", "with"))
"""Words that may be repeated in a sentence. Any other word of more than three letters may occur only once."""

_IRREGULAR = {base: forms for base, *forms in (verb.split() for verb in IRREGULAR_VERBS.split(","))}
_GERUNDS = {"dye": "dyeing", "label": "labelling", "reset": "resetting", "shoe": "shoeing", "tie": "tying"}
_DOUBLING = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")  # one vowel, one consonant: trim, trimmed, trimming


def _fill(name: str, fields: list[list[str]]) -> Iterator[tuple[str, str]]:
    if name == "work":
        yield from _work(*fields)
        return
    for choice in product(*fields):
        yield name, " ".join(choice)
    if name == "person":
        for person in fields[0]:
            yield "a_person", ("an " if person[0] in "aeiou" else "a ") + person


def _work(verbs: list[str], objects: list[str], circumstances: list[str]) -> Iterator[tuple[str, str]]:
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
            yield slot, deed
            for circumstance in circumstances:
                yield f"{slot}_so", f"{deed} {circumstance}"
        yield "passive_perfect", f"{thing} had been {participle}"
        yield "passive_must", f"{thing} had to be {participle}"
        yield "passive_should", f"{thing} should be {participle}"
        yield "passive_ongoing", f"{thing} {was} being {participle}"


def _forms(verb: str) -> tuple[str, str, str, str]:
    """Return base form, past, past participle and gerund of a verb, each with its particle."""
    base, space, particle = verb.partition(" ")
    stem = base + base[-1] if _DOUBLING.fullmatch(base) else base
    regular = f"{base[:-1]}ied" if re.search(r"[^aeiou]y$", base) else f"{stem.removesuffix('e')}ed"
    past, *differing = _IRREGULAR.get(base, [regular])
    participle = differing[0] if differing else past
    gerund = _GERUNDS.get(base, f"{stem.removesuffix('e')}ing")
    return base + space + particle, past + space + particle, participle + space + particle, gerund + space + particle


def _conspicuous(text: str) -> list[str]:
    words = text.replace(",", "").replace(";", "").replace(".", "").split()
    return [word for word in words if len(word) > 3 and word not in _REPEATABLE]


def _finish(text: str) -> str:
    return text.replace(" ,", ",") + "."


HAYSTACK = Haystack(
    grammar=GRAMMAR,
    common=COMMON,
    scenes=SCENES,
    fill=_fill,
    finish=_finish,
    once=("when", "place", "manner", "however", "absolute"),
    conspicuous=_conspicuous,
    lengths=range(30, 281),
)
