"""One long document: records, passages and chains of facts planted in prose, spread evenly over its depth."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from . import copy, evidence, haystack, multihop
from .copy import Passages
from .counting import Count, Counting
from .evidence import Records
from .language import Language
from .multihop import Chains
from .parts import Plant, Question
from .proofs import copy as copy_proof
from .proofs import evidence as evidence_proof
from .proofs import multihop as multihop_proof

Family = Literal["evidence", "copy", "multihop"]

BINS = 10
"""Stretches of equal size over which depths are stratified."""
PARAGRAPH_TOKENS = 2
"""What a break between paragraphs adds, at most, in tokenizers seen."""
_PARAGRAPH = range(3, 8)  # sentences
BREAK_SHARE = PARAGRAPH_TOKENS / _PARAGRAPH.start
"""What each sentence of a paragraph adds for its break, at most."""
_PASSAGE_SHARE = 24  # a passage takes up no more than one part in so many of its document

Sentence = tuple[str, int]
"""A sentence, and its tokens after another one."""


@dataclass(frozen=True)
class Contents:
    """What the documents of a series hold beside prose. Raises ValueError where that cannot be."""

    questions: int = 4
    """Questions of each family."""
    records: Records | None = None
    passages: Passages | None = None
    chains: Chains | None = None

    def __post_init__(self) -> None:
        if self.questions < 1:
            raise ValueError(f"questions must be 1 or more, not {self.questions}")
        for what, family in (("records", self.records), ("chains", self.chains)):
            if family is not None and self.questions > family.most_questions:
                raise ValueError(
                    f"questions must be {family.most_questions} or less for these {what}, not {self.questions}"
                )
        if self.passages is not None and self.questions > BINS:
            raise ValueError(f"questions must be {BINS} or less for passages, not {self.questions}")
        if not self.families:
            raise ValueError("one of records, passages and chains must be given")

    @property
    def families(self) -> tuple[Family, ...]:
        """Whose questions can be asked."""
        given: dict[Family, object] = {"evidence": self.records, "copy": self.passages, "multihop": self.chains}
        return tuple(family for family, value in given.items() if value is not None)


@dataclass(frozen=True)
class Planting:
    """What one document holds beside its prose, decided before its prose is written."""

    plants: Mapping[Family, Plant]
    passage_bins: tuple[int, ...]
    """The stretch that each passage stands in, ascending."""

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        return tuple(piece for plant in self.plants.values() for piece in plant.pieces)

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for plant in self.plants.values() for question in plant.questions)

    def stretch_of(self, family: Family, piece: int) -> int:
        """The stretch that a piece stands in: passages where they were put, all others evenly over the document."""
        if family == "copy":
            return self.passage_bins[piece]
        return piece * BINS // len(self.plants[family].pieces)

    def pieces_in(self, stretch: int, *, inline: bool) -> list[list[str]]:
        """The pieces of one stretch, in their order, a list for each family."""
        return [
            [piece for k, piece in enumerate(plant.pieces) if self.stretch_of(family, k) == stretch]
            for family, plant in self.plants.items()
            if plant.inline == inline
        ]


def plant(
    rng: random.Random, index: int, contents: Contents, language: Language, *, length: int, seed: str
) -> Counting[Planting]:
    """Chooses what stands in document `index` of a series, and the questions on it.

    The documents of a series (one `seed`) take turns over records, facts and stretches, so that over the series every depth
    is asked about equally often. Passages grow with `length` (tokens) up to the most that `contents` allows. Raises
    PassageError where none comes out between its limits, with the tokenizer that counts.
    """
    each = contents.questions
    plants: dict[Family, Plant] = {}
    if records := contents.records:
        asked = _turns(f"{seed}/records", index, each, records.number)
        asked = asked[index % each :] + asked[: index % each]  # the last ones may be absent: not always the same
        before, after = (math.floor(round(k * each * records.absent, 6)) for k in (index, index + 1))
        planted = evidence.plant(rng, language.records, records, asked=asked, absent=after - before)
        plants["evidence"] = replace(planted, questions=tuple(rng.sample(planted.questions, each)))
    bins: list[int] = []
    if passages := contents.passages:
        bins = sorted(_turns(f"{seed}/passages", index, each, BINS))
        plants["copy"] = yield from copy.plant(
            rng,
            language.passages,
            passages,
            number=each,
            most_tokens=max(passages.tokens[0] * 3 // 2, length // _PASSAGE_SHARE),
        )
    if chains := contents.chains:
        places = _turns(f"{seed}/chains", index, each, chains.facts)
        plants["multihop"] = multihop.plant(rng, language.chains, chains, places=places, index=index)
    return Planting(plants, tuple(bins))


def length_of_all_passages(contents: Contents) -> int:
    """The length from which on documents hold passages of any length that `contents` allows."""
    return contents.passages.tokens[1] * _PASSAGE_SHARE if contents.passages else 0


def _turns(seed: str, index: int, each: int, places: int) -> list[int]:
    """The `each` places that are the turn of member `index`, in a seeded order of all places."""
    order = _order(seed, places)
    return [order[(index * each + k) % places] for k in range(each)]


@lru_cache(maxsize=64)
def _order(seed: str, places: int) -> list[int]:
    return random.Random(seed).sample(range(places), places)


def check(planting: Planting, document: str, language: Language) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not."""
    plants = planting.plants
    if "evidence" in plants:
        evidence_proof.check(plants["evidence"], document, language.records)
    if "copy" in plants:
        copy_proof.check(plants["copy"], document, language.passages)
    if "multihop" in plants:
        multihop_proof.check(plants["multihop"], document, language.chains)


def prose(rng: random.Random, language: Language, count: Count) -> Iterator[Sentence]:
    """The sentences of one document, none twice, each with its tokens after another one."""
    sentences = haystack.sentences(rng, language.haystack)
    while True:
        batch = [next(sentences) for _ in range(64)]
        yield from zip(batch, count([language.between + sentence for sentence in batch]), strict=True)


def compose(
    rng: random.Random,
    planting: Planting,
    room: int,
    sentences: Iterator[Sentence],
    language: Language,
    sizes: Mapping[str, int],
) -> str:
    """A document of about `room` tokens: the pieces of `planting`, of so many tokens each, in prose from `sentences`."""
    between = [planting.pieces_in(stretch, inline=False) for stretch in range(BINS)]
    within = [planting.pieces_in(stretch, inline=True) for stretch in range(BINS)]
    taken = [sum(sizes[piece] for family in (*b, *w) for piece in family) for b, w in zip(between, within, strict=True)]
    blocks: list[str] = []
    used = 0.0
    for stretch in range(BINS):
        used += taken[stretch]
        # In a short document, pieces to come may need the room that prose would fill here.
        limit = min(room * (stretch + 1) // BINS, room - sum(taken[stretch + 1 :]))
        filling: list[str] = []
        while True:
            sentence, tokens = next(sentences)
            size = tokens + BREAK_SHARE
            if used + size > limit:
                break
            filling.append(sentence)
            used += size
        text = _merge(rng, [filling, *within[stretch]])
        blocks += _interleave(rng, _merge(rng, between[stretch]), text, language.between)
    return "\n\n".join(blocks)


def sizes_of(plantings: Sequence[Planting], count: Count) -> list[dict[str, int]]:
    """Tokens that each piece of each planting takes up in a document, at most."""
    tokens = iter(count([piece for planting in plantings for piece in planting.pieces]))
    return [{piece: next(tokens) + PARAGRAPH_TOKENS for piece in planting.pieces} for planting in plantings]


def paragraphs(rng: random.Random, sentences: Sequence[str], between: str) -> Iterator[str]:
    """Sentences as paragraphs of prose."""
    start = 0
    while start < len(sentences):
        end = start + rng.choice(_PARAGRAPH)
        yield between.join(sentences[start:end])
        start = end


def _merge(rng: random.Random, lists: Sequence[list[str]]) -> list[str]:
    """All lists in one, each in its order, anywhere among the others."""
    merged, *others = lists or [[]]
    for more in others:
        places = sorted(rng.randint(0, len(merged)) for _ in more)
        for place, text in zip(reversed(places), reversed(more), strict=True):
            merged = [*merged[:place], text, *merged[place:]]
    return merged


def _interleave(rng: random.Random, pieces: list[str], sentences: list[str], between: str) -> Iterator[str]:
    """Paragraphs of prose with the pieces between them, at places drawn evenly over the sentences."""
    cuts = sorted(rng.randint(0, len(sentences)) for _ in pieces)
    start = 0
    for piece, cut in zip([*pieces, ""], [*cuts, len(sentences)], strict=True):
        yield from paragraphs(rng, sentences[start:cut], between)
        start = cut
        if piece:
            yield piece
