"""Series of generated documents at one length, shared by tasks with equal contents, language and prompt."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from kveval.errors import LengthError, TaskError
from kveval.generators import document as report
from kveval.generators.copy import PassageError
from kveval.generators.counting import write_together
from kveval.generators.document import Planting, Sentence
from kveval.generators.parts import Question
from kveval.prompts.filler import Prose, within
from kveval.prompts.template import ChatFrame, Head, PromptFrame, TokenIds
from kveval.tasks import SyntheticTask


@dataclass(frozen=True)
class _Plan:
    """Contents of a document that is not written yet."""

    planting: Planting
    sizes: dict[str, int]
    """Number of tokens of each piece."""
    tails: dict[str, TokenIds]
    """Ids after the filler in a prompt, by question."""
    room: int
    """Tokens available for the document."""
    rng: random.Random
    """Random numbers for writing the document."""


@dataclass(frozen=True)
class Document(Head):
    """Finished and verified document."""

    index: int
    planting: Planting
    text: str
    more: tuple[Sentence, ...]
    """Unused sentences of its prose, for fillers."""


class Series:
    """Documents of a task at one length, each made once and on demand."""

    def __init__(self, task: SyntheticTask, length: int, frame: ChatFrame, seed: int) -> None:
        self.length = length
        self._task = task
        self._prompt = PromptFrame(frame, task.turns, task.answer_prefix)
        self._seed = f"{seed}/{task.language}/{length}"
        self._plans: dict[int, _Plan] = {}
        self._documents: dict[int, Document] = {}
        self._prose = Prose(task.language, length, frame, self._seed, before=task.before_document, task=task.name)

    def short_by(self, documents: Iterable[int]) -> int:
        """Return how many tokens the length is short of the largest of these documents; 0 if all fit."""
        plans = self._plan(documents)
        return max(0, *(sum(plan.sizes.values()) - plan.room for plan in plans))

    def _plan(self, documents: Iterable[int]) -> list[_Plan]:
        """Return the plans of some documents. New plans are made together, for speed."""
        wanted = list(documents)
        if new := [index for index in wanted if index not in self._plans]:
            self._plans |= zip(new, self._new_plans(new), strict=True)
        return [self._plans[index] for index in wanted]

    def _new_plans(self, documents: Sequence[int]) -> Iterator[_Plan]:
        task, encoder = self._task, self._prose.encoder
        rngs = [random.Random(f"{self._seed}/{index}") for index in documents]
        plantings = self._plant(documents, rngs)
        whole = [task.question] if task.question is not None else []
        texts = [[question.text for question in planting.questions] + whole for planting in plantings]
        questions = list(dict.fromkeys(chain.from_iterable(texts)))
        tails = dict(zip(questions, self._prompt.tails(questions), strict=True))
        sizes = report.sizes_of(plantings, encoder.count)
        before = len(self._prompt.opening) + len(encoder.encode(task.before_document))
        for planting, rng, piece_sizes, own_texts in zip(plantings, rngs, sizes, texts, strict=True):
            # The room that is left by the longest question and answer of all tasks that share the document, and by the
            # shortest filler that can have any number of tokens.
            own_tails = {question: tails[question] for question in own_texts}
            longest = max(map(len, own_tails.values()))
            room = self.length - before - longest - task.documents.answer_reserve - self._prose.ending_tokens
            yield _Plan(planting, piece_sizes, own_tails, room, rng)

    def _plant(self, documents: Sequence[int], rngs: Sequence[random.Random]) -> list[Planting]:
        contents, language = self._task.documents.contents, self._prose.language
        try:
            return write_together(
                [
                    report.plant(rng, index, contents, language, length=self.length, seed=self._seed)
                    for index, rng in zip(documents, rngs, strict=True)
                ],
                self._prose.encoder.count,
            )
        except PassageError as error:
            enough = report.length_of_all_passages(contents)
            if self.length >= enough:
                raise TaskError(
                    f"Task {self._task.name}: {error} with this model's tokenizer. Widen documents.passages.tokens, or use "
                    "other kinds of passages."
                ) from error
            raise LengthError(
                f"Length {self.length:,} is too short for task {self._task.name}: {error}. Use --lengths {enough} or more."
            ) from error

    def document(self, index: int) -> Document:
        """Return document `index`, after checking that every question about it has exactly one answer."""
        if index not in self._documents:
            (plan,) = self._plan([index])
            sentences = self._prose.sentences(plan.rng)
            text = report.compose(plan.rng, plan.planting, plan.room, sentences, self._prose.language, plan.sizes)
            report.check(plan.planting, text, self._prose.language)
            head = self._prompt.opening + self._prose.encoder.encode(self._task.before_document + text)
            more = tuple(within(sentences, self.length - len(head)))
            self._documents[index] = Document(head, index, plan.planting, text, more)
        return self._documents[index]

    def rest(self, document: Document, question: Question, answer_tokens: int) -> TokenIds:
        """Return the ids after a document's head in the prompt of one question: filler, question, template close."""
        (plan,) = self._plan([document.index])
        tail = plan.tails[question.text]
        missing = self.length - answer_tokens - len(document.head) - len(tail)
        return self._prose.filler(missing, document.index, document.more) + tail
