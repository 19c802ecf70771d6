"""Output of the generators: pieces to plant in a document, and questions about them."""

from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["number", "text", "copy", "free"]
"""How an answer is scored. `free` answers have no gold answer and are only compared between arms."""


@dataclass(frozen=True)
class Question:
    """One question about a document, with its only right answer."""

    text: str
    """Question as the model reads it, including the instruction how to answer."""
    gold: str
    """Right answer as written in the document; for an `absent` question, the words that say that there is none."""
    answer_type: AnswerType
    """How an answer is scored."""
    kind: str
    """How the question identifies its answer: `name`, `ordinal`, `attribute`, `absent`; `marked`, `section`, `after`,
    `rows`; `2 hops` and so on."""
    piece: int | None
    """Index into `Plant.pieces` of the piece with the answer; None if there is none."""
    distractors: tuple[str, ...] = ()
    """Other values in the document, all different from `gold`. Empty for copies."""
    accepted: tuple[str, ...] = ()
    """Other accepted notations of the gold answer."""


@dataclass(frozen=True)
class Plant:
    """Pieces of text for one document, in order, and questions about them."""

    pieces: tuple[str, ...]
    """Whole paragraphs (possibly several, separated by blank lines); or single sentences if `inline`."""
    questions: tuple[Question, ...]
    inline: bool = False
    """Whether the pieces are sentences to place within paragraphs of prose rather than between them."""
