"""Series of documents: what tasks with equal contents, language and prompt ask about, at one length."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from kveval.errors import LengthError, TaskError
from kveval.generators import document as report
from kveval.generators.copy import PassageError
from kveval.generators.counting import side_by_side
from kveval.generators.document import Planting, Sentence
from kveval.generators.parts import Question
from kveval.prompts.filler import Prose, within
from kveval.prompts.template import ChatFrame, Head, PromptFrame, TokenIds
from kveval.tasks import SyntheticTask


@dataclass(frozen=True)
class _Plan:
    """What a document is to hold, before it is written."""

    planting: Planting
    sizes: dict[str, int]
    """Tokens by piece."""
    tails: dict[str, TokenIds]
    """The ids that a prompt ends with, by its question."""
    room: int
    """Tokens for the document."""
    rng: random.Random
    """To go on with."""


@dataclass(frozen=True)
class Document(Head):
    """One finished and verified document."""

    index: int
    planting: Planting
    text: str
    more: tuple[Sentence, ...]
    """Further sentences of its prose, for fillers."""


class Series:
    """Makes the documents of a task at one length, each on demand and once."""

    def __init__(self, task: SyntheticTask, length: int, frame: ChatFrame, seed: int) -> None:
        self.length = length
        self._task = task
        self._prompt = PromptFrame(frame, task.turns, task.answer_prefix)
        self._seed = f"{seed}/{task.language}/{length}"
        self._plans: dict[int, _Plan] = {}
        self._documents: dict[int, Document] = {}
        self._prose = Prose(task.language, length, frame, self._seed, before=task.before_document, task=task.name)

    def short_by(self, documents: Iterable[int]) -> int:
        """Tokens that the length lacks for the most demanding of some documents; 0 where it holds them all."""
        plans = self._plan(documents)
        return max(0, *(sum(plan.sizes.values()) - plan.room for plan in plans))

    def _plan(self, documents: Iterable[int]) -> list[_Plan]:
        """The plans of some documents. Those that are new are made side by side."""
        wanted = list(documents)
        if new := [index for index in wanted if index not in self._plans]:
            self._plans |= zip(new, self._new_plans(new), strict=True)
        return [self._plans[index] for index in wanted]

    def _new_plans(self, documents: Sequence[int]) -> Iterator[_Plan]:
        task, encoder = self._task, self._prose.encoder
        rngs = [random.Random(f"{self._seed}/{index}") for index in documents]
        plantings = self._plant(documents, rngs)
        of_all = [task.question] if task.question is not None else []
        asked = [[question.text for question in planting.questions] + of_all for planting in plantings]
        questions = list(dict.fromkeys(chain.from_iterable(asked)))
        tails = dict(zip(questions, self._prompt.tails(questions), strict=True))
        sizes = report.sizes_of(plantings, encoder.count)
        before = len(self._prompt.opening) + len(encoder.encode(task.before_document))
        for planting, rng, taken, mine in zip(plantings, rngs, sizes, asked, strict=True):
            # What is left beside the longest question and answer of all tasks that share the document, and beside a filler
            # that can be made to any number of tokens.
            own = {question: tails[question] for question in mine}
            longest = max(map(len, own.values()))
            room = self.length - before - longest - task.documents.answer_reserve - self._prose.ending_tokens
            yield _Plan(planting, taken, own, room, rng)

    def _plant(self, documents: Sequence[int], rngs: Sequence[random.Random]) -> list[Planting]:
        contents, language = self._task.documents.contents, self._prose.language
        try:
            return side_by_side(
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
                    f"Task {self._task.name}: {error} with this model's tokenizer. Widen documents.passages.tokens, or ask "
                    "for another kind of passages."
                ) from error
            raise LengthError(
                f"Length {self.length:,} is too short for task {self._task.name}: {error}. Use --lengths {enough} or more."
            ) from error

    def document(self, index: int) -> Document:
        """Document `index`, in which every question is proved to have one answer."""
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
        """The ids that follow a document's head in the prompt of one question: filler, question, template close."""
        (plan,) = self._plan([document.index])
        tail = plan.tails[question.text]
        missing = self.length - answer_tokens - len(document.head) - len(tail)
        return self._prose.filler(missing, document.index, document.more) + tail
