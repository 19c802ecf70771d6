"""Series of documents: what tasks with equal contents, language and prompt ask about, at one length."""

import hashlib
import random
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter
from unicodedata import normalize

from kveval.encoding import Encoder
from kveval.errors import LengthError, ModelError, TaskError
from kveval.generators import haystack, report
from kveval.generators.copy import PassageError
from kveval.generators.language import LANGUAGES
from kveval.generators.parts import Question
from kveval.generators.report import Planting, Sentence
from kveval.prompts import ChatFrame
from kveval.tasks import Task

POOL_SENTENCES = 800
"""Sentences from which the short ones are taken to end a filler at exactly the right token."""
STOCK_DOCUMENTS = 4
"""Documents that the sentences of a series would fill: each of them takes some, in an order of its own."""
_RUN = 8  # sentences that stay together, since they are about one scene
_PROBE_SENTENCES = 50
_BREAK = "\n\n"
_STARS = ("", *(_BREAK + " ".join("*" * number) for number in range(1, 4)))
"""What may end a filler: where each Chinese character has three tokens, no sentences make up other numbers of tokens."""


@dataclass(frozen=True)
class _Plan:
    """What a document is to hold, before it is written."""

    planting: Planting
    sizes: dict[str, int]
    """Tokens by piece."""
    tails: dict[str, tuple[int, ...]]
    """The ids that a prompt ends with, by its question."""
    room: int
    """Tokens for the document."""
    rng: random.Random
    """To go on with."""


@dataclass(frozen=True)
class Document:
    """One finished and verified document."""

    index: int
    planting: Planting
    text: str
    head: tuple[int, ...]
    """The ids that all prompts on it begin with, to the last one of the document."""
    more: tuple[Sentence, ...]
    """Further sentences of its prose, for fillers."""

    @cached_property
    def hashed(self) -> "hashlib._Hash":
        """The hash of its head, to be copied and gone on with."""
        return hashlib.sha256(array("I", self.head))


class Series:
    """Makes the documents of a task at one length, each on demand and once."""

    def __init__(self, task: Task, length: int, frame: ChatFrame, seed: int) -> None:
        self.length = length
        self._task = task
        self._frame = frame
        self._seed = f"{seed}/{task.language}/{length}"
        self._language = LANGUAGES[task.language]
        self._plans: dict[int, _Plan] = {}
        self._documents: dict[int, Document] = {}
        self._fillers: dict[tuple[int, int], list[int]] = {}

    @cached_property
    def _encoder(self) -> Encoder:
        sentences = list(
            islice(haystack.sentences(random.Random(self._seed), self._language.haystack), _PROBE_SENTENCES)
        )
        paragraphs = report.paragraphs(random.Random(self._seed), sentences, self._language.between)
        probe = self._task.before_document + _BREAK.join(paragraphs)
        read = self._frame.decode(self._frame.encode(probe))
        if lost := set(normalize("NFKC", probe)) - set(normalize("NFKC", read)) - {"\n"}:
            raise ModelError(
                f"The model's tokenizer cannot write the documents of task {self._task.name} ({self._task.language}): it loses "
                f"{''.join(sorted(lost)[:10])}. Leave that task out."
            )
        return Encoder(self._frame, probe)

    @cached_property
    def _pool(self) -> dict[int, list[str]]:
        """Short sentences that stand in no document, one list for each number of tokens."""
        taken = {sentence for run in self._stock for sentence, _ in run}
        drawn = (drawn for drawn in islice(self._write("filler"), POOL_SENTENCES) if drawn[0] not in taken)
        pool: dict[int, list[str]] = defaultdict(list)
        for sentence, tokens in sorted(drawn, key=itemgetter(1))[: POOL_SENTENCES // 2]:
            pool[tokens].append(sentence)
        return dict(pool)

    @cached_property
    def _ending_tokens(self) -> int:
        """Tokens that two sentences of the pool can make up exactly, as they can any number not far below."""
        sizes = sorted(tokens for tokens, sentences in self._pool.items() for _ in sentences)
        return 2 * sizes[len(sizes) * 3 // 4]

    @cached_property
    def _commonest(self) -> int:
        """The number of tokens that most sentences of the pool have."""
        return max(self._pool, key=lambda tokens: len(self._pool[tokens]))

    @cached_property
    def _break(self) -> list[int]:
        """The ids of a break between paragraphs."""
        return self._frame.encode(f"{_BREAK}A")[: -len(self._frame.encode("A"))]

    @cached_property
    def _stock(self) -> list[list[Sentence]]:
        """Runs of sentences, with their tokens: to write new ones for every document would take most of the time."""
        sentences = list(_within(self._write("prose"), STOCK_DOCUMENTS * self.length))
        return [sentences[start : start + _RUN] for start in range(0, len(sentences), _RUN)]

    def _write(self, name: str) -> Iterator[Sentence]:
        """New sentences without end."""
        return report.prose(random.Random(f"{self._seed}/{name}"), self._language, self._encoder.count)

    def _prose(self, rng: random.Random) -> Iterator[Sentence]:
        """The sentences of one document, none twice."""
        return chain.from_iterable(rng.sample(self._stock, len(self._stock)))

    def short_by(self, documents: Iterable[int]) -> int:
        """Tokens that the length lacks for the most demanding of some documents; 0 where it holds them all."""
        plans = (self._plan(index) for index in documents)
        return max(0, *(sum(plan.sizes.values()) - plan.room for plan in plans))

    def _plan(self, index: int) -> _Plan:
        if index in self._plans:
            return self._plans[index]
        task = self._task
        rng = random.Random(f"{self._seed}/{index}")
        count = self._encoder.count
        try:
            planting = report.plant(
                rng,
                index,
                task.documents.contents,
                self._language,
                length=self.length,
                seed=self._seed,
                count=count,
            )
        except PassageError as error:
            enough = report.length_of_all_passages(task.documents.contents)
            if self.length >= enough:
                raise TaskError(
                    f"Task {task.name}: {error} with this model's tokenizer. Widen documents.passages.tokens, or ask for "
                    "another kind of passages."
                ) from error
            raise LengthError(
                f"Length {self.length:,} is too short for task {task.name}: {error}. Use --lengths {enough} or more."
            ) from error
        # What is left beside the longest question and answer of all tasks that share the document, and beside a filler that
        # can be made to any number of tokens.
        questions = [question.text for question in planting.questions]
        encoded = self._frame.encode_all([task.after_document(question) for question in questions])
        tails = {question: (*ids, *self._frame.close) for question, ids in zip(questions, encoded, strict=True)}
        before = len(self._frame.opening) + len(self._encoder.encode(task.before_document))
        longest = max(map(len, tails.values()))
        room = self.length - before - longest - task.documents.answer_reserve - self._ending_tokens
        plan = _Plan(planting, report.sizes_of(planting, count), tails, room, rng)
        self._plans[index] = plan
        return plan

    def document(self, index: int) -> Document:
        """Document `index`, in which every question is proved to have one answer."""
        if index not in self._documents:
            plan = self._plan(index)
            sentences = self._prose(plan.rng)
            text = report.compose(plan.rng, plan.planting, plan.room, sentences, self._language, plan.sizes)
            report.check(plan.planting, text, self._language)
            head = (*self._frame.opening, *self._encoder.encode(self._task.before_document + text))
            more = tuple(_within(sentences, self.length - len(head)))
            self._documents[index] = Document(index, plan.planting, text, head, more)
        return self._documents[index]

    def rest(self, document: Document, question: Question, answer_tokens: int) -> tuple[int, ...]:
        """The ids that follow a document's head in the prompt of one question: filler, question, template close."""
        tail = self._plan(document.index).tails[question.text]
        missing = self.length - answer_tokens - len(document.head) - len(tail)
        return (*self._filler(missing, document), *tail)

    def _filler(self, tokens: int, document: Document) -> list[int]:
        """The ids of exactly `tokens` tokens of paragraphs, with no sentence that stands in the document."""
        chosen = 0
        left: float = tokens - len(self._break)
        for _, size in document.more:
            if left - size < self._ending_tokens:
                break
            chosen += 1
            left -= size + report.BREAK_SHARE
        begun = self._begun(document, chosen)
        missing = tokens - len(begun)
        rest = missing
        last: list[str] = []
        while rest >= self._ending_tokens and (more := self._ending([self._commonest], last)):
            last += more
            rest -= self._commonest
        between = self._language.between
        for stars in _STARS:
            want = rest - len(self._frame.encode(stars)) if stars else rest
            # A sentence that begins a paragraph can have another number of tokens than behind another one: try those around.
            for total in (want, want + 1, want - 1):
                for first in [0, *sorted(self._pool)]:
                    if ending := self._ending([first, total - first] if first else [total], last):
                        text = between.join([*last, *ending]) + stars
                        ids = self._encoder.encode(between + text if chosen else text)
                        if len(ids) == missing:
                            return [*begun, *ids]
        # No whole sentences make up the rest, with this tokenizer: end in the middle of one.
        text = between.join(sentence for sentence, _ in document.more)
        return [*self._break, *self._encoder.encode(text)][:tokens]

    def _begun(self, document: Document, chosen: int) -> list[int]:
        """The ids of a break and the first `chosen` sentences of a document's fillers, in paragraphs."""
        key = (document.index, chosen)
        if key not in self._fillers:
            sentences = [sentence for sentence, _ in document.more[:chosen]]
            paragraphs = report.paragraphs(random.Random(document.index), sentences, self._language.between)
            self._fillers[key] = [*self._break, *self._encoder.encode(_BREAK.join(paragraphs))]
        return self._fillers[key]

    def _ending(self, sizes: Sequence[int], used: Sequence[str]) -> list[str] | None:
        """Different sentences of the pool with so many tokens each, none of them used before, or None."""
        ending: list[str] = []
        for size in sizes:
            for sentence in self._pool.get(size, []):
                if sentence not in used and sentence not in ending:
                    ending.append(sentence)
                    break
            else:
                return None
        return ending


def _within(sentences: Iterator[Sentence], tokens: int) -> Iterator[Sentence]:
    """Sentences that add up to `tokens` and a little more."""
    while tokens > 0:
        sentence, size = next(sentences)
        tokens -= size
        yield sentence, size
    yield next(sentences)
