"""Composition of documents: records, passages and chains of facts, planted evenly over the depth of long prose."""

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
"""Number of equal stretches of a document over which depths are stratified."""
PARAGRAPH_TOKENS = 2
"""Maximum tokens of a paragraph break, in the tokenizers examined."""
_PARAGRAPH = range(3, 8)  # sentences per paragraph
BREAK_SHARE = PARAGRAPH_TOKENS / _PARAGRAPH.start
"""Maximum tokens of a paragraph break per sentence."""
_PASSAGE_SHARE = 24  # a passage has at most 1/24 of the tokens of its document

Sentence = tuple[str, int]
"""Sentence with the number of its tokens after another sentence."""


@dataclass(frozen=True)
class Contents:
    """Contents of the documents of a series, besides prose. Raises ValueError for invalid fields."""

    questions: int = 4
    """Number of questions of each family per document."""
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
        """Families of questions that can be asked."""
        given: dict[Family, object] = {"evidence": self.records, "copy": self.passages, "multihop": self.chains}
        return tuple(family for family, value in given.items() if value is not None)


@dataclass(frozen=True)
class Planting:
    """Contents of one document besides its prose."""

    plants: Mapping[Family, Plant]
    passage_bins: tuple[int, ...]
    """Stretch of each passage, ascending."""

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        return tuple(piece for plant in self.plants.values() for piece in plant.pieces)

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for plant in self.plants.values() for question in plant.questions)

    def stretch_of(self, family: Family, piece: int) -> int:
        """Return the stretch of a piece: from `passage_bins` for passages; the others are spread evenly."""
        if family == "copy":
            return self.passage_bins[piece]
        return piece * BINS // len(self.plants[family].pieces)

    def pieces_in(self, stretch: int, *, inline: bool) -> list[list[str]]:
        """Return the pieces of one stretch in order, one list per family."""
        return [
            [piece for k, piece in enumerate(plant.pieces) if self.stretch_of(family, k) == stretch]
            for family, plant in self.plants.items()
            if plant.inline == inline
        ]


def plant(
    rng: random.Random, index: int, contents: Contents, language: Language, *, length: int, seed: str
) -> Counting[Planting]:
    """Choose the contents of document `index` of a series, with the questions about it.

    The documents of a series (one `seed`) take turns over records, facts and stretches, so that questions are spread evenly
    over all depths. The size of passages grows with `length` (tokens) up to the maximum of `contents`. Raises PassageError
    if no passage fits its limits with the tokenizer that counts.
    """
    each = contents.questions
    plants: dict[Family, Plant] = {}
    if records := contents.records:
        targets = _turns(f"{seed}/records", index, each, records.number)
        targets = targets[index % each :] + targets[: index % each]  # rotated, since the last ones may be absent
        before, after = (math.floor(round(k * each * records.absent, 6)) for k in (index, index + 1))
        planted = evidence.plant(rng, language.records, records, targets=targets, absent=after - before)
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
    """Return the smallest length at which documents can contain the longest passages of `contents`; 0 without passages."""
    return contents.passages.tokens[1] * _PASSAGE_SHARE if contents.passages else 0


def _turns(seed: str, index: int, each: int, places: int) -> list[int]:
    """Return the `each` places of document `index`, in turn over a seeded order of all places."""
    order = _order(seed, places)
    return [order[(index * each + k) % places] for k in range(each)]


@lru_cache(maxsize=64)
def _order(seed: str, places: int) -> list[int]:
    return random.Random(seed).sample(range(places), places)


def check(planting: Planting, document: str, language: Language) -> None:
    """Check that every question has exactly one answer in the finished document. Raises ValueError with the reason if not."""
    plants = planting.plants
    if "evidence" in plants:
        evidence_proof.check(plants["evidence"], document, language.records)
    if "copy" in plants:
        copy_proof.check(plants["copy"], document, language.passages)
    if "multihop" in plants:
        multihop_proof.check(plants["multihop"], document, language.chains)


def prose(rng: random.Random, language: Language, count: Count) -> Iterator[Sentence]:
    """Yield distinct sentences with the number of their tokens after another sentence."""
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
    """Return a document of about `room` tokens: the pieces of `planting`, with their `sizes` in tokens, within prose."""
    between = [planting.pieces_in(stretch, inline=False) for stretch in range(BINS)]
    within = [planting.pieces_in(stretch, inline=True) for stretch in range(BINS)]
    piece_tokens = [
        sum(sizes[piece] for family in (*b, *w) for piece in family) for b, w in zip(between, within, strict=True)
    ]
    blocks: list[str] = []
    used = 0.0
    for stretch in range(BINS):
        used += piece_tokens[stretch]
        # In a short document, later pieces may need the room that prose would fill here.
        limit = min(room * (stretch + 1) // BINS, room - sum(piece_tokens[stretch + 1 :]))
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
    """Return upper bounds for the tokens of each piece of each planting in a document."""
    tokens = iter(count([piece for planting in plantings for piece in planting.pieces]))
    return [{piece: next(tokens) + PARAGRAPH_TOKENS for piece in planting.pieces} for planting in plantings]


def paragraphs(rng: random.Random, sentences: Sequence[str], between: str) -> Iterator[str]:
    """Join sentences into paragraphs."""
    start = 0
    while start < len(sentences):
        end = start + rng.choice(_PARAGRAPH)
        yield between.join(sentences[start:end])
        start = end


def _merge(rng: random.Random, lists: Sequence[list[str]]) -> list[str]:
    """Merge lists at random positions, keeping the order within each."""
    merged, *others = lists or [[]]
    for more in others:
        places = sorted(rng.randint(0, len(merged)) for _ in more)
        for place, text in zip(reversed(places), reversed(more), strict=True):
            merged = [*merged[:place], text, *merged[place:]]
    return merged


def _interleave(rng: random.Random, pieces: list[str], sentences: list[str], between: str) -> Iterator[str]:
    """Yield paragraphs of prose with pieces between them, at uniformly drawn positions."""
    cuts = sorted(rng.randint(0, len(sentences)) for _ in pieces)
    start = 0
    for piece, cut in zip([*pieces, ""], [*cuts, len(sentences)], strict=True):
        yield from paragraphs(rng, sentences[start:cut], between)
        start = cut
        if piece:
            yield piece
