"""One long document: records and passages planted in prose, each record in its own stretch of the document."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from . import copy, evidence, haystack
from .parts import Plant, Question

BINS = 10
"""Stretches of equal size over which depths are stratified."""
MIN_PASSAGE_TOKENS, MAX_PASSAGE_TOKENS = 64, 512
PARAGRAPH_TOKENS = 2
"""What a break between paragraphs adds, at most, in tokenizers seen."""

CountTokens = Callable[[Sequence[str]], list[int]]
"""The number of tokens of each text, encoded on its own."""


@dataclass(frozen=True)
class Planting:
    """What one document holds beside its prose, decided before its prose is written."""

    evidence: Plant
    copy: Plant
    passage_bins: tuple[int, ...]
    """The stretch that each passage stands in, ascending."""

    @property
    def pieces(self) -> tuple[str, ...]:
        return self.evidence.pieces + self.copy.pieces

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.evidence.questions + self.copy.questions

    def pieces_in(self, stretch: int, rng: random.Random) -> list[str]:
        """The pieces of one stretch: records in their order, which their ordinals name, passages anywhere among them."""
        records = self.evidence.pieces
        pieces = [text for k, text in enumerate(records) if k * BINS // len(records) == stretch]
        for k, text in zip(self.passage_bins, self.copy.pieces, strict=True):
            if k == stretch:
                pieces.insert(rng.randint(0, len(pieces)), text)
        return pieces


def plant(
    rng: random.Random, index: int, *, records: int, questions: int, length: int, seed: str, count: CountTokens
) -> Planting:
    """Choose the records and passages of document `index` of a series, and `questions` on each of the two.

    The documents of a series (one `seed`) take turns over records and stretches, so that over the series every depth is asked
    about equally often. Passages grow with `length` (tokens), up to 512.
    """
    longest = min(MAX_PASSAGE_TOKENS, max(MIN_PASSAGE_TOKENS + 32, length // 24))
    return Planting(
        evidence=evidence.plant(
            rng, records=records, questions=questions, asked=_turns(f"{seed}/records", index, questions, records)
        ),
        copy=copy.plant(
            rng,
            passages=questions,
            min_tokens=MIN_PASSAGE_TOKENS,
            max_tokens=longest,
            count_tokens=lambda text: count([text])[0],
        ),
        passage_bins=tuple(sorted(_turns(f"{seed}/passages", index, questions, BINS))),
    )


def _turns(seed: str, index: int, each: int, places: int) -> list[int]:
    """The `each` places that are the turn of member `index`, in a seeded order of all places."""
    order = random.Random(seed).sample(range(places), places)
    return [order[(index * each + k) % places] for k in range(each)]


def prose(rng: random.Random, count: CountTokens) -> Iterator[tuple[str, int]]:
    """The sentences of one document, none twice, each with its tokens after a space."""
    sentences = haystack.sentences(rng)
    while True:
        batch = [next(sentences) for _ in range(64)]
        yield from zip(batch, count([f" {sentence}" for sentence in batch]), strict=True)


def compose(
    rng: random.Random, planting: Planting, room: int, sentences: Iterator[tuple[str, int]], count: CountTokens
) -> str:
    """A document of about `room` tokens: the pieces of `planting`, in prose from `sentences`."""
    stretches = [planting.pieces_in(stretch, rng) for stretch in range(BINS)]
    sizes = [size_of(pieces, count) for pieces in stretches]
    blocks: list[str] = []
    used = 0.0
    for stretch, pieces in enumerate(stretches):
        used += sizes[stretch]
        # In a short document, pieces to come may need the room that prose would fill here.
        limit = min(room * (stretch + 1) // BINS, room - sum(sizes[stretch + 1 :]))
        filling: list[str] = []
        while True:
            sentence, tokens = next(sentences)
            size = tokens + PARAGRAPH_TOKENS / 3  # a paragraph has three sentences or more
            if used + size > limit:
                break
            filling.append(sentence)
            used += size
        blocks += _interleave(rng, pieces, filling)
    return "\n\n".join(blocks)


def size_of(pieces: Sequence[str], count: CountTokens) -> int:
    """Tokens that pieces take up in a document."""
    return sum(tokens + PARAGRAPH_TOKENS for tokens in count(pieces))


def _interleave(rng: random.Random, pieces: list[str], sentences: list[str]) -> Iterator[str]:
    """Paragraphs of prose with the pieces between them, at places drawn evenly over the sentences."""
    cuts = sorted(rng.randint(0, len(sentences)) for _ in pieces)
    start = 0
    for piece, cut in zip([*pieces, ""], [*cuts, len(sentences)], strict=True):
        while start < cut:
            end = min(cut, start + rng.randint(3, 7))
            yield " ".join(sentences[start:end])
            start = end
        if piece:
            yield piece
