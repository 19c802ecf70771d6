"""Documents of one's own at an exact length: each in a stretch of prose, at a depth of its own."""

import hashlib
import random
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kveval.data import Row
from kveval.errors import LengthError, TaskError
from kveval.fillers import BREAK, Prose, within
from kveval.generators import report
from kveval.generators.report import Sentence
from kveval.prompts import ChatFrame
from kveval.tasks import OwnTask

COMMON = 0.1
"""Share of the prose in which a text may stand that is left out of it: `the` is everywhere."""


@dataclass(frozen=True)
class OwnDocument:
    """One document with prose before it."""

    index: int
    text: str
    head: tuple[int, ...]
    """The ids that all prompts on it begin with, to the last one of the document."""
    depth: float
    """Where the document begins, as a share of the text."""
    more: tuple[Sentence, ...]
    """Further prose, for fillers."""

    @cached_property
    def hashed(self) -> "hashlib._Hash":
        """The hash of its head, to be copied and gone on with."""
        return hashlib.sha256(array("I", self.head))


class OwnSeries:
    """Makes the documents of a task on data of one's own, at one length."""

    def __init__(self, task: OwnTask, length: int, frame: ChatFrame, seed: int) -> None:
        """Raises LengthError where no document fits, and TaskError where the budget does not hold an answer."""
        self.length = length
        self._task = task
        self._frame = frame
        self._seed = f"{seed}/{task.name}/{length}"
        self._prose = Prose(task.language, length, frame, self._seed, before=task.before_document, task=task.name)
        self._check_answers()
        self._check_rooms()

    def _check_answers(self) -> None:
        longest = {row.id: max(len(self._frame.encode(text)) for text in row.answer) for row in self._task.rows}
        over = {key: tokens for key, tokens in longest.items() if tokens >= self._task.answer_tokens}
        if over:
            raise TaskError(
                f"Task {self._task.name}: answer_tokens is {self._task.answer_tokens}, and the answers of {_named(over)} have "
                f"up to {max(over.values()):,} with this model's tokenizer: give more in a task file."
            )

    def _check_rooms(self) -> None:
        """Raises LengthError where not one document fits; those that do not are left out."""
        needs = [self.length - room for room in self._rooms]
        if not self.fitting:
            raise LengthError(
                f"Length {self.length:,} is too short for task {self._task.name}: its documents need {min(needs):,} to "
                f"{max(needs):,} tokens with prompt and answer. Use --lengths {max(needs)} or more for all of them."
            )

    @cached_property
    def fitting(self) -> tuple[int, ...]:
        """The documents that this length holds."""
        return tuple(index for index, room in enumerate(self._rooms) if room >= 0)

    @cached_property
    def _rooms(self) -> list[int]:
        """By document, tokens that are left for prose beside it, its longest question and the answer."""
        return [self._room(index) for index in range(len(self._task.by_document))]

    @cached_property
    def _tails(self) -> dict[str, tuple[int, ...]]:
        """The ids that prompts end with, by row id."""
        rows = self._task.rows
        encoded = self._frame.encode_all([self._task.after_document(row.question) for row in rows])
        return {row.id: (*ids, *self._frame.close) for row, ids in zip(rows, encoded, strict=True)}

    def _head(self, text: str) -> tuple[int, ...]:
        return (*self._frame.opening, *self._frame.encode(self._task.before_document + text))

    def _room(self, index: int) -> int:
        rows = self._task.by_document[index]
        longest = max(len(self._tails[row.id]) for row in rows)
        return self.length - len(self._head(rows[0].document)) - longest - self._task.answer_tokens

    def document(self, index: int) -> OwnDocument:
        """Document `index`, of all documents the one at its share of the way down."""
        rows = self._task.by_document[index]
        document = rows[0].document
        sentences = self._innocent(rows, random.Random(f"{self._seed}/{index}"))
        # A filler can only be made to any number of tokens where it has room for a few sentences.
        room = self._rooms[index] - self._prose.ending_tokens
        share = (index + 0.5) / len(self._task.by_document)
        before: list[str] = []
        used = 0.0
        for sentence, tokens in sentences:
            if used + tokens > room * share:
                break
            before.append(sentence)
            used += tokens + report.BREAK_SHARE
        start = BREAK.join(report.paragraphs(random.Random(index), before, self._prose.language.between))
        text = BREAK.join(filter(None, (start, document)))
        head = self._head(text)
        more = tuple(within(sentences, self.length - len(head)))
        return OwnDocument(index, text, head, round((len(text) - len(document)) / len(text), 4), more)

    def _innocent(self, rows: tuple[Row, ...], rng: random.Random) -> Iterator[Sentence]:
        """Prose without what would be a right or wrong answer, unless that is a word as prose has it everywhere."""
        sentences = [(sentence, sentence.casefold(), tokens) for sentence, tokens in self._prose.sentences(rng)]
        texts = {text.casefold().strip() for row in rows for text in (*row.answer, *row.distractors)}
        for text in texts:
            without = [each for each in sentences if text not in each[1]]
            if len(without) >= (1 - COMMON) * len(sentences):
                sentences = without
        yield from ((sentence, tokens) for sentence, _, tokens in sentences)

    def rest(self, document: OwnDocument, row: Row) -> tuple[int, ...]:
        """The ids that follow a document's head in the prompt of one row: filler, question, template close."""
        tail = self._tails[row.id]
        missing = self.length - self._task.answer_tokens - len(document.head) - len(tail)
        return (*self._prose.filler(missing, document.index, document.more), *tail)


def _named(rows: dict[str, int]) -> str:
    """`row a, b, c and 3 more`."""
    shown = list(rows)[:5]
    more = f" and {len(rows) - len(shown)} more" if len(rows) > len(shown) else ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(shown)}{more}"
