"""Documents of one's own at an exact length: each in a stretch of prose, at a depth of its own."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kveval.data import Row
from kveval.errors import LengthError, ModelError, TaskError
from kveval.fillers import BREAK, Prose, lost_characters, within
from kveval.generators import report
from kveval.generators.report import Sentence
from kveval.prompts import ChatFrame, Head
from kveval.tasks import OwnTask

COMMON = 0.1
"""Share of the prose in which a text may stand that is left out of it: `the` is everywhere."""


@dataclass(frozen=True)
class OwnDocument(Head):
    """One document with prose before it."""

    index: int
    text: str
    depth: float
    """Where the document begins, as a share (0 to 1) of the prompt's tokens."""
    more: tuple[Sentence, ...]
    """Further prose, for fillers."""
    kept_out: frozenset[str]
    """Answers and distractors that the prose may not hold, in small letters."""


class OwnSeries:
    """Makes the documents of a task on data of one's own, at one length."""

    def __init__(self, task: OwnTask, length: int, frame: ChatFrame, seed: int, samples: int) -> None:
        """For the first `samples` rows.

        Raises LengthError where no document fits, TaskError where the budget does not hold an answer, and ModelError where
        the tokenizer cannot write a text.
        """
        self.length = length
        self._task = task
        self._asked = Counter(task.places(samples))
        self._frame = frame
        self._seed = f"{seed}/{task.name}/{length}"
        self._prose = Prose(task.language, length, frame, self._seed, before=task.before_document, task=task.name)
        self._check_texts()
        self._check_answers()
        self._check_rooms()

    def rows(self, index: int) -> tuple[Row, ...]:
        """The rows that are asked about document `index`."""
        return self._task.by_document[index][: self._asked[index]]

    @cached_property
    def _all_rows(self) -> tuple[Row, ...]:
        return tuple(row for index in self._asked for row in self.rows(index))

    def _check_texts(self) -> None:
        lost = {row.id: "".join(lost_characters(self._frame, row.question, *row.answer)) for row in self._all_rows}
        for index in self._asked:
            lost[self.rows(index)[0].id] += "".join(lost_characters(self._frame, self.rows(index)[0].document))
        if bad := {key: characters for key, characters in lost.items() if characters}:
            raise ModelError(
                f"The model's tokenizer cannot write task {self._task.name}: it loses {next(iter(bad.values()))[:10]} in "
                f"{_named(bad)}. Leave these rows out, or take another model."
            )

    def _check_answers(self) -> None:
        longest = {row.id: max(len(self._frame.encode(text)) for text in row.answer) for row in self._all_rows}
        over = {key: tokens for key, tokens in longest.items() if tokens >= self._task.answer_tokens}
        if over:
            raise TaskError(
                f"Task {self._task.name}: answer_tokens is {self._task.answer_tokens}, and the answers of {_named(over)} have "
                f"up to {max(over.values()):,} with this model's tokenizer: give more in a task file."
            )

    def _check_rooms(self) -> None:
        """Raises LengthError where not one document fits; those that do not are left out."""
        needs = [self.length - room for room in self._rooms.values()]
        if not self.fitting and self._task.pad != "none":
            raise LengthError(
                f"Length {self.length:,} is too short for task {self._task.name}: its documents need {min(needs):,} to "
                f"{max(needs):,} tokens with prompt and answer. Use --lengths {max(needs)} or more for all of them."
            )

    @cached_property
    def fitting(self) -> tuple[int, ...]:
        """The documents that are asked about and that this length holds."""
        return tuple(index for index, room in self._rooms.items() if room >= 0)

    @cached_property
    def _rooms(self) -> dict[int, int]:
        """By document, tokens that are left for prose beside it, its longest question and the answer."""
        return {index: self._room(index) for index in self._asked}

    @cached_property
    def _bare_tokens(self) -> dict[int, int]:
        """By document, the tokens that a prompt begins with where no prose stands before it."""
        return {index: len(self._head(self.rows(index)[0].document)) for index in self._asked}

    @cached_property
    def _tails(self) -> dict[str, tuple[int, ...]]:
        """The ids that prompts end with, by row id."""
        encoded = self._frame.encode_all([self._task.after_document(row.question) for row in self._all_rows])
        return {row.id: (*ids, *self._frame.close) for row, ids in zip(self._all_rows, encoded, strict=True)}

    def _head(self, text: str) -> tuple[int, ...]:
        return (*self._frame.opening, *self._frame.encode(self._task.before_document + text))

    def _room(self, index: int) -> int:
        rows = self.rows(index)
        longest = max(len(self._tails[row.id]) for row in rows)
        return self.length - self._bare_tokens[index] - longest - self._task.answer_tokens

    def document(self, index: int) -> OwnDocument:
        """Document `index`, as far down as it stands among the documents that are asked about."""
        rows = self.rows(index)
        document = rows[0].document
        if self._task.pad == "none":
            return OwnDocument(self._head(document), index, document, 0.0, (), frozenset())
        sentences, kept_out = self._innocent(rows, random.Random(f"{self._seed}/{index}"))
        # A filler can only be made to any number of tokens where it has room for a few sentences.
        room = self._rooms[index] - self._prose.ending_tokens
        share = (index + 0.5) / len(self._asked)
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
        depth = (len(head) - self._bare_tokens[index]) / (self.length - self._task.answer_tokens)
        return OwnDocument(head, index, text, round(depth, 4), more, kept_out)

    def _innocent(self, rows: tuple[Row, ...], rng: random.Random) -> tuple[Iterator[Sentence], frozenset[str]]:
        """Prose without what would be a right or wrong answer, and which these are: words as prose has everywhere stay in."""
        sentences = list(self._prose.sentences(rng))
        folded = [sentence.casefold() for sentence, _ in sentences]
        texts = {text.casefold().strip() for row in rows for text in (*row.answer, *row.distractors)}
        holding = {text: {n for n, sentence in enumerate(folded) if text in sentence} for text in texts}
        left_out: set[int] = set()
        kept_out: set[str] = set()
        for text in sorted(texts, key=lambda text: (len(holding[text]), text)):
            if len(holding[text]) <= COMMON * len(sentences) and len(left_out | holding[text]) <= len(sentences) / 2:
                left_out |= holding[text]
                kept_out.add(text)
        return (sentence for n, sentence in enumerate(sentences) if n not in left_out), frozenset(kept_out)

    def rest(self, document: OwnDocument, row: Row) -> tuple[int, ...]:
        """The ids that follow a document's head in the prompt of one row: filler, question, template close."""
        tail = self._tails[row.id]
        if self._task.pad == "none":
            return tail
        missing = self.length - self._task.answer_tokens - len(document.head) - len(tail)
        return (*self._prose.filler(missing, document.index, document.more, document.kept_out), *tail)


def _named(rows: Iterable[str]) -> str:
    """`row a, b, c and 3 more`."""
    ids = list(rows)
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return f"row{'s' * (len(ids) > 1)} {', '.join(ids[:5])}{more}"
