"""What a generator hands over: the pieces to plant in a document, and the questions on them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One question on a document, with its only right answer."""

    text: str
    """The question as the model reads it, how to answer included."""
    gold: str
    """The right answer, as it stands in the document."""
    distractors: tuple[str, ...]
    """Values of other records that stand in the document; none equals `gold` by value. Empty for copying."""
    piece: int
    """Index into `Plant.pieces` of the piece that holds the answer."""
    kind: str
    """How the piece is named in the question: `name`, `ordinal`, `attribute`; `marked`, `section`."""


@dataclass(frozen=True)
class Plant:
    """Pieces of text for one document, to stand in it in this order, and questions on them."""

    pieces: tuple[str, ...]
    """Each piece is one or more whole paragraphs (separated by a blank line), without blank lines at its ends."""
    questions: tuple[Question, ...]
