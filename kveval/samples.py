"""From a task and a length to documents and samples whose prompts have that length to the token.

A prompt is: template opening, text before the document, document, filler, question, template close. Opening, text and
document are the same ids for every question on a document, so that an engine's prefix cache serves them. The filler is more
prose of the same document; it makes up, to the token, for what questions and answer budgets differ in.
"""

import hashlib
import random
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from kveval.errors import LengthError
from kveval.generators import copy, evidence, report
from kveval.prompts import ChatFrame, Tokenizer
from kveval.tasks import Task

POOL_SENTENCES = 1200
"""Sentences from which the short ones are taken to end a filler at exactly the right token."""


@dataclass(frozen=True)
class Sample:
    """One question on one document, ready to send."""

    id: str
    document_id: str
    """Samples with one document id share the ids of the document as a prefix, also across tasks."""
    task: str
    length: int
    """`len(prompt_token_ids) + max_answer_tokens`, exactly."""
    prompt_token_ids: tuple[int, ...] = field(repr=False)
    prompt_hash: str
    max_answer_tokens: int
    question: str
    gold: tuple[str, ...]
    distractors: tuple[str, ...]
    kind: str
    """How the question names what it asks for."""
    depth: float
    """Where the passage or record begins, as a share (0 to 1) of the document's characters."""
    document: str = field(repr=False)
    """The document's text, without the filler."""


def build_samples(task: Task, length: int, tokenizer: Tokenizer, *, samples: int, seed: int) -> list[Sample]:
    """`samples` questions of `task`, each of exactly `length` tokens, prompt and answer budget together.

    The same arguments make the same samples in any process. Raises LengthError, naming the number that would do, where the
    length cannot hold the task's documents.
    """
    frame = ChatFrame(tokenizer)
    documents = range(-(-samples // task.documents.questions))
    builder = _Builder(task, length, frame, seed)
    if short_by := builder.short_by(documents):
        enough = length
        while short_by:  # another length makes other documents, with needs of their own
            enough += short_by
            short_by = _Builder(task, enough, frame, seed).short_by(documents)
        raise LengthError(
            f"Length {length:,} is too short for task {task.name}: its documents need {enough:,} tokens with this model's "
            f"tokenizer. Use --lengths {enough} or more."
        )
    return [sample for index in documents for sample in builder.samples(index)][:samples]


class _Builder:
    """Builds the documents of one task at one length."""

    def __init__(self, task: Task, length: int, frame: ChatFrame, seed: int) -> None:
        self._task = task
        self._length = length
        self._frame = frame
        self._seed = f"{seed}/{task.documents.generator}/{length}"
        # The last sentences of a filler come from the shorter half of a pool, one list for each number of tokens.
        pool = report.prose(random.Random(f"{self._seed}/filler"), self._count)
        short = sorted((next(pool) for _ in range(POOL_SENTENCES)), key=itemgetter(1))[: POOL_SENTENCES // 2]
        self._pool: dict[int, list[str]] = defaultdict(list)
        for sentence, tokens in short:
            self._pool[tokens].append(sentence)
        self._longest = max(self._pool)

    def _count(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._frame.encode_all(texts)] if texts else []

    def short_by(self, documents: Iterable[int]) -> int:
        """Tokens that the length lacks for the most demanding of some documents; 0 where it holds them all."""
        plans = (self._plan(index) for index in documents)
        return max(0, *(report.size_of(planting.pieces, self._count) - room for _, planting, room in plans))

    def _plan(self, index: int) -> tuple[random.Random, report.Planting, int]:
        """What document `index` holds, the room for it in tokens, and the stream of chance to go on with."""
        spec = self._task.documents
        rng = random.Random(f"{self._seed}/{index}")
        planting = report.plant(
            rng,
            index,
            records=spec.records,
            questions=spec.questions,
            length=self._length,
            seed=self._seed,
            count=self._count,
        )
        # What is left beside the longest question and answer of all tasks that share the document, and beside a filler of two
        # short sentences, which can be made to any number of tokens.
        tails = self._count([self._task.after_document(question.text) for question in planting.questions])
        scaffold = len(self._frame.opening) + self._count([self._task.before_document])[0] + len(self._frame.close)
        return rng, planting, self._length - scaffold - max(tails) - spec.answer_reserve - 2 * self._longest

    def samples(self, index: int) -> Iterator[Sample]:
        """The samples on document `index`."""
        task = self._task
        rng, planting, room = self._plan(index)
        sentences = report.prose(rng, self._count)
        text = report.compose(rng, planting, room, sentences, self._count)
        evidence.check(planting.evidence, text)
        copy.check(planting.copy, text)
        head = (*self._frame.opening, *self._frame.encode(task.before_document + text))
        document_id = f"{task.documents.generator}-{self._length}-{index}-{_digest(head)[:8]}"

        plant = {"evidence": planting.evidence, "copy": planting.copy}[task.ask]
        filler_sentences = list(_within(sentences, self._length - len(head)))
        for number, question in enumerate(plant.questions):
            tail = (*self._frame.encode(task.after_document(question.text)), *self._frame.close)
            missing = self._length - task.answer_tokens - len(head) - len(tail)
            ids = (*head, *self._filler(missing, filler_sentences, text), *tail)
            if len(ids) + task.answer_tokens != self._length:
                # Ours to mend, and no input's fault.
                raise RuntimeError(f"{task.name} {self._length} {index}-{number} has {len(ids)} prompt tokens")
            yield Sample(
                id=f"{task.name}-{self._length}-{index}-{number}",
                document_id=document_id,
                task=task.name,
                length=self._length,
                prompt_token_ids=ids,
                prompt_hash=_digest(ids),
                max_answer_tokens=task.answer_tokens,
                question=question.text,
                gold=(question.gold,),
                distractors=question.distractors,
                kind=question.kind,
                depth=round(text.index(plant.pieces[question.piece]) / len(text), 4),
                document=text,
            )

    def _filler(self, tokens: int, sentences: Sequence[tuple[str, int]], document: str) -> list[int]:
        """The ids of a paragraph of exactly `tokens` tokens, with no sentence that stands in `document`."""
        chosen: list[str] = []
        left = tokens - report.PARAGRAPH_TOKENS
        for sentence, size in sentences:
            if left - size < 2 * self._longest:
                break
            chosen.append(sentence)
            left -= size
        for size in sorted(self._pool, reverse=True):
            while left >= 2 * self._longest and (last := self._ending([size], chosen, document)):
                chosen += last
                left -= size
        # Tokens of sentences nearly always add up; where a tokenizer joins them otherwise, the next pair is tried.
        for total in (left, left + 1, left - 1, left + 2):
            for first in [0, *sorted(self._pool)]:
                sizes = [first, total - first] if first else [total]
                if ending := self._ending(sizes, chosen, document):
                    ids = self._frame.encode("\n\n" + " ".join([*chosen, *ending]))
                    if len(ids) == tokens:
                        return ids
        # No whole sentences fit, with this tokenizer: end in the middle of one.
        return self._frame.encode("\n\n" + " ".join(sentence for sentence, _ in sentences))[:tokens]

    def _ending(self, sizes: Sequence[int], used: Sequence[str], document: str) -> list[str] | None:
        """Different sentences of the pool with so many tokens each, none of them used before, or None."""
        ending: list[str] = []
        for size in sizes:
            for sentence in self._pool.get(size, []):
                if sentence not in used and sentence not in ending and sentence not in document:
                    ending.append(sentence)
                    break
            else:
                return None
        return ending


def _within(sentences: Iterator[tuple[str, int]], tokens: int) -> Iterator[tuple[str, int]]:
    """Sentences that add up to `tokens` and a little more."""
    while tokens > 0:
        sentence, size = next(sentences)
        tokens -= size
        yield sentence, size
    yield next(sentences)


def _digest(ids: Sequence[int]) -> str:
    return hashlib.sha256(array("I", ids).tobytes()).hexdigest()[:16]
