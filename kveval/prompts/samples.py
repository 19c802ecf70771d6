"""From a task and a length to documents and samples whose prompts have that length to the token.

A prompt is: template opening, text before the document, document, filler, question, template close. Opening, text and
document are the same ids for every question on a document, so that an engine's prefix cache serves them. The filler is more
prose of the same document; it makes up, to the token, for what questions and answer budgets differ in.
"""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from kveval.data.rows import ROW, WITHOUT_DOCUMENT
from kveval.errors import LengthError, ModelError
from kveval.generators.evidence import ABSENT
from kveval.generators.parts import AnswerType, Question
from kveval.models.tokenizer import Tokenizer
from kveval.prompts.filler import lost_characters
from kveval.prompts.synthetic import Document, Series
from kveval.prompts.template import ChatFrame, Head, PromptFrame, TokenIds
from kveval.prompts.user_documents import OwnSeries
from kveval.tasks import OwnTask, SyntheticTask, Task

WHOLE = "whole document"
"""The kind of a question about all that a document says."""


@dataclass(frozen=True)
class Sample:
    """One question on one document, ready to send."""

    id: str
    document_id: str
    """Samples with one document id share the ids of the document as a prefix, also across tasks."""
    task: str
    length: int
    """`len(prompt_token_ids) + max_answer_tokens`, exactly; of a row that is not padded, the length that holds it."""
    prompt_token_ids: TokenIds = field(repr=False, hash=False)
    prompt_hash: str
    max_answer_tokens: int
    question: str
    answer_type: AnswerType
    gold: tuple[str, ...]
    distractors: tuple[str, ...]
    kind: str
    """How the question gets at its answer; `absent` where the document does not hold one."""
    depth: float | None
    """Where the passage or record begins, as a share (0 to 1) of the document's characters; None of an absent one. Of a
    document of one's own, where it begins in the prompt."""
    document: str = field(repr=False)
    """The document's text, without the filler."""
    with_document: bool = True
    """Whether the prompt holds the document; False of questions that ask whether it is needed."""
    stop: tuple[str, ...] = ()
    """Texts at which an answer ends."""
    reasoning_tags: tuple[tuple[str, str], ...] = ()
    """Opening and closing tags of reasoning, beside those that are known."""
    metadata: tuple[tuple[str, str], ...] = ()
    """Fields to break results down by, with their values."""
    prose: float | None = None
    """The share of the prompt's tokens that is prose, where other rows' documents are asked for and do not fill it."""


def build_samples(task: Task, length: int, tokenizer: Tokenizer, *, samples: int, seed: int) -> list[Sample]:
    """`samples` questions of `task`, each of exactly `length` tokens, prompt and answer budget together.

    The same arguments make the same samples in any process. Raises LengthError, naming the number that would do, where the
    length cannot hold the task's documents.
    """
    return build_all([task], length, tokenizer, samples=samples, seed=seed)


def build_all(tasks: Sequence[Task], length: int, tokenizer: Tokenizer, *, samples: int, seed: int) -> list[Sample]:
    """`build_samples` of several tasks, one after the other; a document that they share is made once."""
    with _garbage_kept():
        return _build(tasks, length, ChatFrame(tokenizer), samples, seed)


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Documents and samples are many objects, stay, and hold no cycles: to look for some again and again costs a fifth of the
    time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _build(tasks: Sequence[Task], length: int, frame: ChatFrame, samples: int, seed: int) -> list[Sample]:
    shared: dict[object, Series] = {}
    built: list[Sample] = []
    for task in tasks:
        _check_prompt(task, frame)
        if isinstance(task, OwnTask):
            built += _own_samples(task, OwnSeries(task, length, frame, seed, samples))
        elif isinstance(task, SyntheticTask):
            series = shared.setdefault(task.shares, Series(task, length, frame, seed))
            documents = sorted(set(task.places(samples)))
            if short_by := series.short_by(documents):
                raise _too_short(task, series, documents, short_by, frame, seed)
            built += [sample for index in documents for sample in _samples(task, series, index)][:samples]
    return built


def _check_prompt(task: Task, frame: ChatFrame) -> None:
    """Raises ModelError where the tokenizer loses letters or digits of what a task says in every prompt."""
    lost = lost_characters(frame, *(turn.content for turn in task.turns), task.answer_prefix)
    if letters := "".join(character for character in lost if character.isalnum()):
        raise ModelError(
            f"The model's tokenizer cannot write the prompt of task {task.name}: it loses {letters[:10]}. Leave it out, or "
            "word it in other characters."
        )


def _too_short(
    task: SyntheticTask, series: Series, documents: Sequence[int], short_by: int, frame: ChatFrame, seed: int
) -> LengthError:
    enough = series.length
    while short_by:  # another length makes other documents, with needs of their own: some more than what is lacking
        enough = -(-(enough + short_by) * 21 // 20 // 128) * 128
        short_by = Series(task, enough, frame, seed).short_by(documents)
    return LengthError(
        f"Length {series.length:,} is too short for task {task.name}: its documents need {enough:,} tokens with this model's "
        f"tokenizer. Use --lengths {enough} or more."
    )


def without_document(task: Task, samples: Sequence[Sample], tokenizer: Tokenizer, *, number: int) -> list[Sample]:
    """Up to `number` of a task's samples with prompts from which the document and its filler are gone, documents in turns.

    What a model answers to these it knows, or guesses: it does not read it in the cache. Questions that the document does not
    answer are left out, since they are right to refuse without it too; and so are tasks that need no document, or know no right
    answer.
    """
    if task.is_free or not task.has_documents:
        return []
    frame = ChatFrame(tokenizer)
    asked = [sample for sample in samples if sample.kind != ABSENT]
    by_document: dict[str, list[Sample]] = {}
    for sample in asked:
        by_document.setdefault(sample.document_id, []).append(sample)
    in_turns = [sample for turn in zip_longest(*by_document.values()) for sample in turn if sample is not None]
    return [_without_document(task, sample, frame) for sample in in_turns[:number]]


def _without_document(task: Task, sample: Sample, frame: ChatFrame) -> Sample:
    ids = PromptFrame(frame, task.turns, task.answer_prefix).without_document(sample.question)
    return replace(
        sample,
        id=f"{sample.id}{WITHOUT_DOCUMENT}",
        document_id=f"none-{sample.id}",
        length=len(ids) + sample.max_answer_tokens,
        prompt_token_ids=ids,
        prompt_hash=Head(ids).prompt_hash(),
        document="",
        with_document=False,
        prose=None,
    )


def _samples(task: SyntheticTask, series: Series, index: int) -> Iterator[Sample]:
    """The samples of `task` on document `index`."""
    document = series.document(index)
    document_id = f"{task.language}-{series.length}-{index}-{document.digest}"
    for number, question in enumerate(_questions(document, task)):
        rest = series.rest(document, question, task.answer_tokens)
        ids = document.head + rest
        if len(ids) + task.answer_tokens != series.length:
            # Ours to mend, and no input's fault.
            raise RuntimeError(f"{task.name} {series.length} {index}-{number} has {len(ids)} prompt tokens")
        yield Sample(
            id=f"{task.name}-{series.length}-{index}-{number}",
            document_id=document_id,
            task=task.name,
            length=series.length,
            prompt_token_ids=ids,
            prompt_hash=document.prompt_hash(rest),
            max_answer_tokens=task.answer_tokens,
            question=question.text,
            answer_type=question.answer_type,
            gold=() if task.is_free else (question.gold, *question.accepted),
            distractors=question.distractors,
            kind=question.kind,
            depth=_depth(document, task, question),
            document=document.text,
            stop=task.stop,
            reasoning_tags=task.reasoning_tags,
        )


def _questions(document: Document, task: SyntheticTask) -> tuple[Question, ...]:
    if task.ask is not None:
        return document.planting.plants[task.ask].questions
    return (Question(task.question or "", "", "free", WHOLE, piece=None),)


def _own_samples(task: OwnTask, series: OwnSeries) -> list[Sample]:
    """The rows that are asked, by document, without those whose documents are longer than the length."""
    built = []
    for index in series.fitting:
        document = series.document(index)
        document_id = f"{task.name}-{series.length}-{index}-{document.digest}"
        for row in series.rows(index):
            rest = series.rest(document, row)
            built.append(
                Sample(
                    # A slash, which no task's name holds: no two tasks make the same id.
                    id=f"{task.name}/{series.length}/{row.id}",
                    document_id=document_id,
                    task=task.name,
                    length=series.length,
                    prompt_token_ids=document.head + rest,
                    prompt_hash=document.prompt_hash(rest),
                    max_answer_tokens=task.answer_tokens,
                    question=row.question,
                    answer_type=task.data.answer_type,
                    gold=row.answer,
                    distractors=row.distractors,
                    kind=ROW,
                    depth=document.depth,
                    document=document.text,
                    stop=task.stop,
                    reasoning_tags=task.reasoning_tags,
                    metadata=row.metadata,
                    prose=document.prose,
                )
            )
    return built


def _depth(document: Document, task: SyntheticTask, question: Question) -> float | None:
    if question.piece is None or task.ask is None:
        return None
    piece = document.planting.plants[task.ask].pieces[question.piece]
    return round(document.text.index(piece) / len(document.text), 4)
