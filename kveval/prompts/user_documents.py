"""Documents of one's own at an exact length: each among prose or other rows' documents, at a depth of its own."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kveval.data import Row
from kveval.errors import LengthError, ModelError, TaskError
from kveval.generators import document as report
from kveval.generators.document import Sentence
from kveval.prompts.filler import BREAK, Prose, lost_characters, within
from kveval.prompts.template import ChatFrame, Head, PromptFrame, TokenIds
from kveval.scoring import Number, find_numbers, parse_number
from kveval.tasks import OwnTask

BREAK_TOKENS = 2
"""What the cuts between documents add to their tokens, at most."""
COMMON = 0.1
"""Share of the prose in which a text may stand that is left out of it: `the` is everywhere."""


@dataclass(frozen=True)
class OwnDocument(Head):
    """One document with what stands around it."""

    index: int
    text: str
    depth: float | None
    """Where the document begins, as a share (0 to 1) of the prompt's tokens; None where nothing is added to it."""
    more: tuple[Sentence, ...]
    """Further prose, for fillers."""
    kept_out: frozenset[str]
    """Answers and distractors that the prose may not hold, in small letters."""
    prose: float | None = None
    """The share of the prompt's tokens that is prose, beside other rows' documents; None where none are asked for."""


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
        self._prompt = PromptFrame(frame, task.turns, task.answer_prefix)
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
        if self._task.is_free:
            return
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
    def _tails(self) -> dict[str, TokenIds]:
        """The ids that prompts end with, by row id."""
        tails = self._prompt.tails([row.question for row in self._all_rows])
        return {row.id: ids for row, ids in zip(self._all_rows, tails, strict=True)}

    def _head(self, text: str) -> TokenIds:
        return self._prompt.opening + self._frame.encode(self._task.before_document + text)

    def _room(self, index: int) -> int:
        rows = self.rows(index)
        longest = max(len(self._tails[row.id]) for row in rows)
        return self.length - self._bare_tokens[index] - longest - self._task.answer_tokens

    def document(self, index: int) -> OwnDocument:
        """Document `index`, as far down as it stands among the documents that are asked about."""
        rows = self.rows(index)
        document = rows[0].document
        if self._task.pad == "none":
            return OwnDocument(self._head(document), index, document, None, (), frozenset())
        sentences, kept_out = self._innocent(rows, random.Random(f"{self._seed}/{index}"))
        # A filler can only be made to any number of tokens where it has room for a few sentences.
        room = self._rooms[index] - self._prose.ending_tokens
        share = (self.fitting.index(index) + 0.5) / len(self.fitting)
        others = self._others(index) if self._task.pad == "rows" else iter(())
        before = _taken(others, room * share)
        after: list[Sentence] = []
        used = float(sum(tokens for _, tokens in before))
        prose: list[str] = []
        for sentence, tokens in sentences:
            if used + tokens > room * share:
                break
            prose.append(sentence)
            used += tokens + report.BREAK_SHARE
        if self._task.pad == "rows":
            after = _taken(self._others(index, without={text for text, _ in before}), room - used)
        paragraphs = report.paragraphs(random.Random(index), prose, self._prose.language.between)
        start = BREAK.join([*paragraphs, *(text for text, _ in before)])
        text = BREAK.join(filter(None, (start, document)))
        above = head = self._head(text)
        if after:
            text = BREAK.join((text, *(other for other, _ in after)))
            head = self._head(text)
        more = tuple(within(sentences, self.length - len(head)))
        prompt = self.length - self._task.answer_tokens
        depth = (len(above) - self._bare_tokens[index]) / prompt
        taken = sum(tokens for _, tokens in (*before, *after))
        left = max(0.0, self._rooms[index] - taken) / prompt if self._task.pad == "rows" else None
        return OwnDocument(head, index, text, round(depth, 4), more, kept_out, left)

    @cached_property
    def _documents(self) -> list[str]:
        """All of the task, asked about or not."""
        return [rows[0].document for rows in self._task.by_document]

    @cached_property
    def _sizes(self) -> list[int]:
        """Tokens of every document of the task among others, at most."""
        encoded = self._frame.encode_all([BREAK + document for document in self._documents])
        return [len(ids) + BREAK_TOKENS for ids in encoded]

    @cached_property
    def _numbers(self) -> list[frozenset[Number]]:
        """The numbers in every document of the task."""
        return [frozenset(find_numbers(document)) for document in self._documents]

    @cached_property
    def _folded(self) -> list[str]:
        return [_folded(document) for document in self._documents]

    def _holding(self, answer: str) -> set[int]:
        """The documents that hold an answer: its value, whatever it is written like, or its words as whole ones."""
        number = parse_number(answer) if self._task.data.answer_type == "number" else None
        if number is not None:
            return {n for n, numbers in enumerate(self._numbers) if number in numbers}
        words = re.compile(
            rf"(?<![^\W_]){re.escape(_folded(answer))}(?![^\W_])" if answer.isascii() else re.escape(_folded(answer))
        )
        return {n for n, document in enumerate(self._folded) if words.search(document)}

    def _others(self, index: int, without: Collection[str] = ()) -> Iterator[Sentence]:
        """Other rows' documents and their tokens in an order of document `index`, but for those that hold one of its answers.

        What stands in most documents tells none of them apart, and keeps none out.
        """
        documents = self._documents
        kept_out: set[int] = {index}
        for text in {text for row in self.rows(index) for text in row.answer}:
            holding = self._holding(text)
            if len(holding) <= len(documents) / 2:
                kept_out |= holding
        order = random.Random(f"{self._seed}/{index}/others").sample(range(len(documents)), len(documents))
        return ((documents[n], self._sizes[n]) for n in order if n not in kept_out and documents[n] not in without)

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

    def rest(self, document: OwnDocument, row: Row) -> TokenIds:
        """The ids that follow a document's head in the prompt of one row: filler, question, template close."""
        tail = self._tails[row.id]
        if self._task.pad == "none":
            return tail
        missing = self.length - self._task.answer_tokens - len(document.head) - len(tail)
        return self._prose.filler(missing, document.index, document.more, document.kept_out) + tail


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _taken(texts: Iterator[Sentence], room: float) -> list[Sentence]:
    """The texts that fit into so many tokens, each tried in its turn."""
    taken = []
    for text, tokens in texts:
        if tokens <= room:
            taken.append((text, tokens))
            room -= tokens
    return taken


def _named(rows: Iterable[str]) -> str:
    """`row a, b, c and 3 more`."""
    ids = list(rows)
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return f"row{'s' * (len(ids) > 1)} {', '.join(ids[:5])}{more}"
