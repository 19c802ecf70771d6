"""Samples of a task at an exact length in tokens.

A prompt consists of: template opening, text before the document, document, filler, question, template close. The ids up to
the end of the document are the same for every question about it, so that an engine's prefix cache can reuse them. The filler
is further prose of the same document; it compensates, to the token, for different questions and answer budgets.
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
"""Question kind of questions about a whole document."""


@dataclass(frozen=True)
class Sample:
    """One question on one document, ready to send."""

    id: str
    document_id: str
    """Samples with equal document ids have the document's token ids as a common prefix, also across tasks."""
    task: str
    length: int
    """Exactly `len(prompt_token_ids) + max_answer_tokens`; for unpadded rows, the length at which they are answerable."""
    prompt_token_ids: TokenIds = field(repr=False, hash=False)
    prompt_hash: str
    max_answer_tokens: int
    question: str
    answer_type: AnswerType
    gold: tuple[str, ...]
    distractors: tuple[str, ...]
    kind: str
    """Kind of the question; `absent` if the document does not contain the answer."""
    depth: float | None
    """Start of the passage or record as a share (0 to 1) of the document's characters; None if there is none. For user
    documents, start of the document as a share of the prompt's tokens."""
    document: str = field(repr=False)
    """Text of the document, without the filler."""
    with_document: bool = True
    """Whether the prompt contains the document; False for closed-book questions."""
    stop: tuple[str, ...] = ()
    """Texts at which generation stops."""
    reasoning_tags: tuple[tuple[str, str], ...] = ()
    """Opening and closing tags of reasoning, in addition to the built-in ones."""
    metadata: tuple[tuple[str, str], ...] = ()
    """Names and values of fields by which results are broken down."""
    prose: float | None = None
    """Share of the prompt's tokens that other rows' documents cannot fill, so that prose does; None without `pad: rows`."""


def build_samples(task: Task, length: int, tokenizer: Tokenizer, *, samples: int, seed: int) -> list[Sample]:
    """Return `samples` questions of `task`, each of exactly `length` tokens including the answer budget.

    The result depends only on the arguments, in any process. Raises LengthError, with a sufficient length, if the task's
    documents do not fit.
    """
    return build_all([task], length, tokenizer, samples=samples, seed=seed)


def build_all(tasks: Sequence[Task], length: int, tokenizer: Tokenizer, *, samples: int, seed: int) -> list[Sample]:
    """Return the samples of several tasks in order, as by `build_samples`; shared documents are made once."""
    with _garbage_collection_paused():
        return _build(tasks, length, ChatFrame(tokenizer), samples, seed)


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection: documents and samples are many long-lived objects without cycles, and collecting them
    repeatedly takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
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
    """Raise ModelError if the tokenizer loses letters or digits of the task's prompt."""
    lost = lost_characters(frame, *(turn.content for turn in task.turns), task.answer_prefix)
    if letters := "".join(character for character in lost if character.isalnum()):
        raise ModelError(
            f"The model's tokenizer cannot write the prompt of task {task.name}: it loses {letters[:10]}. Leave the task "
            "out, or write its prompt without these characters."
        )


def _too_short(
    task: SyntheticTask, series: Series, documents: Sequence[int], short_by: int, frame: ChatFrame, seed: int
) -> LengthError:
    enough = series.length
    while short_by:  # another length makes different documents, which may need more: add 5 % and try again
        enough = -(-(enough + short_by) * 21 // 20 // 128) * 128
        short_by = Series(task, enough, frame, seed).short_by(documents)
    return LengthError(
        f"Length {series.length:,} is too short for task {task.name}: its documents need {enough:,} tokens with this model's "
        f"tokenizer. Use --lengths {enough} or more."
    )


def without_document(task: Task, samples: Sequence[Sample], tokenizer: Tokenizer, *, number: int) -> list[Sample]:
    """Return up to `number` of a task's samples as closed-book prompts, without document and filler, documents in turn.

    A model answers these from knowledge or by guessing, not from the cache. Questions that the document does not answer are
    omitted, since "not stated" is right without the document too. Tasks without documents or without gold answers give no
    samples.
    """
    if task.is_free or not task.has_documents:
        return []
    frame = ChatFrame(tokenizer)
    answerable = [sample for sample in samples if sample.kind != ABSENT]
    by_document: dict[str, list[Sample]] = {}
    for sample in answerable:
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
    """Yield the samples of `task` on document `index`."""
    document = series.document(index)
    document_id = f"{task.language}-{series.length}-{index}-{document.digest}"
    for number, question in enumerate(_questions(document, task)):
        rest = series.rest(document, question, task.answer_tokens)
        ids = document.head + rest
        if len(ids) + task.answer_tokens != series.length:
            # A bug in kveval, which no input may cause.
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
    """Return the samples of the requested rows by document, without documents that do not fit the length."""
    built = []
    for index in series.fitting:
        document = series.document(index)
        document_id = f"{task.name}-{series.length}-{index}-{document.digest}"
        for row in series.rows(index):
            rest = series.rest(document, row)
            built.append(
                Sample(
                    # No task name contains a slash, so ids are unique across tasks.
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
