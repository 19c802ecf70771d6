"""User documents at an exact length, each padded with prose or other rows' documents and placed at a set depth."""

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
"""Maximum tokens that joining two documents adds."""
COMMON = 0.1
"""Maximum share of sentences that may contain an answer for it to be excluded from the prose; `the` occurs too often."""


@dataclass(frozen=True)
class OwnDocument(Head):
    """Document with its padding."""

    index: int
    text: str
    depth: float | None
    """Start of the document as a share (0 to 1) of the prompt's tokens; None if it is not padded."""
    more: tuple[Sentence, ...]
    """Unused sentences of prose, for fillers."""
    excluded: frozenset[str]
    """Answers and distractors that must not occur in the prose, in lower case."""
    prose: float | None = None
    """Share of the prompt's tokens that other rows' documents do not fill, so that prose does; None without `pad: rows`."""


class OwnSeries:
    """Padded documents of a task on user data, at one length."""

    def __init__(self, task: OwnTask, length: int, frame: ChatFrame, seed: int, samples: int) -> None:
        """Prepare the documents of the first `samples` rows.

        Raises LengthError if no document fits, TaskError if an answer exceeds the answer budget, and ModelError if the
        tokenizer cannot represent a text.
        """
        self.length = length
        self._task = task
        self._row_counts = Counter(task.places(samples))
        self._frame = frame
        self._prompt = PromptFrame(frame, task.turns, task.answer_prefix)
        self._seed = f"{seed}/{task.name}/{length}"
        self._prose = Prose(task.language, length, frame, self._seed, before=task.before_document, task=task.name)
        self._check_texts()
        self._check_answers()
        self._check_rooms()

    def rows(self, index: int) -> tuple[Row, ...]:
        """Return the requested rows on document `index`."""
        return self._task.by_document[index][: self._row_counts[index]]

    @cached_property
    def _all_rows(self) -> tuple[Row, ...]:
        return tuple(row for index in self._row_counts for row in self.rows(index))

    def _check_texts(self) -> None:
        lost = {row.id: "".join(lost_characters(self._frame, row.question, *row.answer)) for row in self._all_rows}
        for index in self._row_counts:
            lost[self.rows(index)[0].id] += "".join(lost_characters(self._frame, self.rows(index)[0].document))
        if bad := {key: characters for key, characters in lost.items() if characters}:
            raise ModelError(
                f"The model's tokenizer cannot write task {self._task.name}: it loses {next(iter(bad.values()))[:10]} in "
                f"{_format_rows(bad)}. Leave these rows out, or use another model."
            )

    def _check_answers(self) -> None:
        if self._task.is_free:
            return
        longest = {row.id: max(len(self._frame.encode(text)) for text in row.answer) for row in self._all_rows}
        over = {key: tokens for key, tokens in longest.items() if tokens >= self._task.answer_tokens}
        if over:
            raise TaskError(
                f"Task {self._task.name}: answer_tokens is {self._task.answer_tokens}, and the answers of {_format_rows(over)} "
                f"have up to {max(over.values()):,} with this model's tokenizer: raise answer_tokens in a task file."
            )

    def _check_rooms(self) -> None:
        """Raise LengthError if no document fits. If some fit, the others are left out."""
        needs = [self.length - room for room in self._rooms.values()]
        if not self.fitting and self._task.pad != "none":
            raise LengthError(
                f"Length {self.length:,} is too short for task {self._task.name}: its documents need {min(needs):,} to "
                f"{max(needs):,} tokens with prompt and answer. Use --lengths {max(needs)} or more for all of them."
            )

    @cached_property
    def fitting(self) -> tuple[int, ...]:
        """Indices of the requested documents that fit this length."""
        return tuple(index for index, room in self._rooms.items() if room >= 0)

    @cached_property
    def _rooms(self) -> dict[int, int]:
        """Tokens left for padding by the document, its longest question and the answer, by document."""
        return {index: self._room(index) for index in self._row_counts}

    @cached_property
    def _bare_tokens(self) -> dict[int, int]:
        """Tokens of a prompt up to the end of an unpadded document, by document."""
        return {index: len(self._head(self.rows(index)[0].document)) for index in self._row_counts}

    @cached_property
    def _tails(self) -> dict[str, TokenIds]:
        """Ids after the filler in a prompt, by row id."""
        tails = self._prompt.tails([row.question for row in self._all_rows])
        return {row.id: ids for row, ids in zip(self._all_rows, tails, strict=True)}

    def _head(self, text: str) -> TokenIds:
        return self._prompt.opening + self._frame.encode(self._task.before_document + text)

    def _room(self, index: int) -> int:
        rows = self.rows(index)
        longest = max(len(self._tails[row.id]) for row in rows)
        return self.length - self._bare_tokens[index] - longest - self._task.answer_tokens

    def document(self, index: int) -> OwnDocument:
        """Return document `index` with its padding. The documents' depths are spread evenly, in order."""
        rows = self.rows(index)
        document = rows[0].document
        if self._task.pad == "none":
            return OwnDocument(self._head(document), index, document, None, (), frozenset())
        sentences, excluded = self._prose_without_answers(rows, random.Random(f"{self._seed}/{index}"))
        # A filler needs room for a few sentences to have an exact number of tokens.
        room = self._rooms[index] - self._prose.ending_tokens
        share = (self.fitting.index(index) + 0.5) / len(self.fitting)
        others = self._others(index) if self._task.pad == "rows" else iter(())
        before = _select_fitting(others, room * share)
        after: list[Sentence] = []
        used = float(sum(tokens for _, tokens in before))
        prose: list[str] = []
        for sentence, tokens in sentences:
            if used + tokens > room * share:
                break
            prose.append(sentence)
            used += tokens + report.BREAK_SHARE
        if self._task.pad == "rows":
            after = _select_fitting(self._others(index, without={text for text, _ in before}), room - used)
        paragraphs = report.paragraphs(random.Random(index), prose, self._prose.language.between)
        start = BREAK.join([*paragraphs, *(text for text, _ in before)])
        text = BREAK.join(filter(None, (start, document)))
        to_document = head = self._head(text)
        if after:
            text = BREAK.join((text, *(other for other, _ in after)))
            head = self._head(text)
        more = tuple(within(sentences, self.length - len(head)))
        prompt = self.length - self._task.answer_tokens
        depth = (len(to_document) - self._bare_tokens[index]) / prompt
        of_others = sum(tokens for _, tokens in (*before, *after))
        prose_share = max(0.0, self._rooms[index] - of_others) / prompt if self._task.pad == "rows" else None
        return OwnDocument(head, index, text, round(depth, 4), more, excluded, prose_share)

    @cached_property
    def _documents(self) -> list[str]:
        """All documents of the task, requested or not."""
        return [rows[0].document for rows in self._task.by_document]

    @cached_property
    def _sizes(self) -> list[int]:
        """Upper bounds for the tokens of each document of the task as padding."""
        encoded = self._frame.encode_all([BREAK + document for document in self._documents])
        return [len(ids) + BREAK_TOKENS for ids in encoded]

    @cached_property
    def _numbers(self) -> list[frozenset[Number]]:
        """Numbers in each document of the task."""
        return [frozenset(find_numbers(document)) for document in self._documents]

    @cached_property
    def _folded(self) -> list[str]:
        return [_folded(document) for document in self._documents]

    def _documents_containing(self, answer: str) -> set[int]:
        """Return the documents that contain an answer: its value in any notation, or its text as whole words."""
        number = parse_number(answer) if self._task.data.answer_type == "number" else None
        if number is not None:
            return {n for n, numbers in enumerate(self._numbers) if number in numbers}
        words = re.compile(
            rf"(?<![^\W_]){re.escape(_folded(answer))}(?![^\W_])" if answer.isascii() else re.escape(_folded(answer))
        )
        return {n for n, document in enumerate(self._folded) if words.search(document)}

    def _others(self, index: int, without: Collection[str] = ()) -> Iterator[Sentence]:
        """Return other rows' documents with their tokens, in an order specific to document `index`.

        Documents that contain an answer about document `index` are omitted, unless more than half of all documents contain it.
        """
        documents = self._documents
        omitted: set[int] = {index}
        for text in {text for row in self.rows(index) for text in row.answer}:
            containing = self._documents_containing(text)
            if len(containing) <= len(documents) / 2:
                omitted |= containing
        order = random.Random(f"{self._seed}/{index}/others").sample(range(len(documents)), len(documents))
        return ((documents[n], self._sizes[n]) for n in order if n not in omitted and documents[n] not in without)

    def _prose_without_answers(
        self, rows: tuple[Row, ...], rng: random.Random
    ) -> tuple[Iterator[Sentence], frozenset[str]]:
        """Return prose without sentences that contain answers or distractors, and the texts excluded in this way.

        Texts that occur in too many sentences are not excluded.
        """
        sentences = list(self._prose.sentences(rng))
        folded = [sentence.casefold() for sentence, _ in sentences]
        texts = {text.casefold().strip() for row in rows for text in (*row.answer, *row.distractors)}
        containing = {text: {n for n, sentence in enumerate(folded) if text in sentence} for text in texts}
        omitted: set[int] = set()
        excluded: set[str] = set()
        for text in sorted(texts, key=lambda text: (len(containing[text]), text)):
            if (
                len(containing[text]) <= COMMON * len(sentences)
                and len(omitted | containing[text]) <= len(sentences) / 2
            ):
                omitted |= containing[text]
                excluded.add(text)
        return (sentence for n, sentence in enumerate(sentences) if n not in omitted), frozenset(excluded)

    def rest(self, document: OwnDocument, row: Row) -> TokenIds:
        """Return the ids after a document's head in the prompt of one row: filler, question, template close."""
        tail = self._tails[row.id]
        if self._task.pad == "none":
            return tail
        missing = self.length - self._task.answer_tokens - len(document.head) - len(tail)
        return self._prose.filler(missing, document.index, document.more, document.excluded) + tail


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _select_fitting(texts: Iterator[Sentence], room: float) -> list[Sentence]:
    """Return the texts that fit into `room` tokens, chosen greedily in order."""
    chosen = []
    for text, tokens in texts:
        if tokens <= room:
            chosen.append((text, tokens))
            room -= tokens
    return chosen


def _format_rows(rows: Iterable[str]) -> str:
    """Format row ids: `rows a, b, c, d, e and 3 more`."""
    ids = list(rows)
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return f"row{'s' * (len(ids) > 1)} {', '.join(ids[:5])}{more}"
