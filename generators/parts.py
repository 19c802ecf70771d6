"""What a generator hands over: the pieces to plant in a document, and the questions on them."""

from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["number", "text", "copy", "free"]
"""How an answer is judged; a `free` one is only compared with the answer of another arm."""


@dataclass(frozen=True)
class Question:
    """One question on a document, with its only right answer."""

    text: str
    """The question as the model reads it, how to answer included."""
    gold: str
    """The right answer, as it stands in the document; of an `absent` question, the words that say that there is none."""
    answer_type: AnswerType
    """How an answer is judged."""
    kind: str
    """How the question gets at its answer: `name`, `ordinal`, `attribute`, `absent`; `marked`, `section`, `after`, `rows`;
    `2 hops` and so on."""
    piece: int | None
    """Index into `Plant.pieces` of the piece that holds the answer; None where none does."""
    distractors: tuple[str, ...] = ()
    """Other values that stand in the document; none equals `gold`. Empty for copying."""
    accepted: tuple[str, ...] = ()
    """Other ways to write the gold that are right as well."""


@dataclass(frozen=True)
class Plant:
    """Pieces of text for one document, to stand in it in this order, and questions on them."""

    pieces: tuple[str, ...]
    """Whole paragraphs (separated by a blank line), without blank lines at their ends; or sentences, where `inline`."""
    questions: tuple[Question, ...]
    inline: bool = False
    """Whether the pieces are sentences that stand within paragraphs of prose, instead of between them."""
