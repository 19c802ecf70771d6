"""Estimates memory, work and statistical power of a run before it starts.

It needs the model's config and the task files, but no tokenizer, weights or engine, because prompts have exact lengths.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kveval.analysis import DEFAULT_MARGIN
from kveval.analysis.comparison import WORST
from kveval.config import RunConfig, check_positive
from kveval.errors import LengthError
from kveval.models.checkpoint import Model
from kveval.planning.kv_pool import Machine, plan_memory
from kveval.stats import (
    bootstrap_mean_difference,
    classify,
    design_effect,
    detectable_loss,
    documents_to_pass,
    paired_interval,
)
from kveval.stats.decisions import ALPHA
from kveval.store.memory_record import Memory
from kveval.tasks import Task

QUESTION_TOKENS = 82
"""Prompt tokens computed for each further question on a document that is in the prefix cache: the end of the filler, the
question, and the tokens of an incomplete block. Measured in tests/runs/smollm2: 1,728 tokens for 21 questions."""


CHARACTERS_A_TOKEN = 3
"""A conservative estimate for texts that are not padded, because a plan loads no tokenizer."""


@dataclass(frozen=True)
class Speed:
    """Tokens per second over all requests in flight; None if not given."""

    prefill: float | None = None
    decode: float | None = None

    def __post_init__(self) -> None:
        """Raises UsageError unless both speeds are positive."""
        check_positive(prefill_speed=self.prefill, decode_speed=self.decode)


@dataclass(frozen=True)
class Work:
    """The work of one arm, which is the same for all arms."""

    arms: tuple[str, ...]
    documents: int
    questions: int
    prompt_tokens: int
    """Estimate with a prefix cache: each document once, plus `QUESTION_TOKENS` for each further question on it."""
    prompt_tokens_uncached: int
    """The same without a prefix cache."""
    answer_tokens: int
    """Upper limit."""
    prompt_seconds: float | None
    answer_seconds: float | None
    """Upper limit. Neither time includes engine start-up."""


@dataclass(frozen=True)
class Power:
    """The losses that each cell of one task can exclude or detect, as shares: 0.02 is 2 points, or 0.02 of similarity."""

    task: str
    measure: str
    """`right` for right and wrong answers, `similarity` for copies."""
    questions: int
    documents: int
    largest_loss: float
    """Largest loss inside the 95% interval even if no answer changes: the run cannot exclude losses up to this size."""
    can_pass: bool
    documents_to_pass: int
    """Smallest number of documents with which a cell can pass at the margin."""
    questions_to_pass: int
    detectable: tuple[float | None, float | None]
    """Loss that one cell detects with 80% power, if questions flip independently and if all questions on a document flip
    together. None if no loss is large enough."""
    detectable_of_all: tuple[float | None, float | None]
    """The same with Holm correction over all cells of the run."""


@dataclass(frozen=True)
class Plan:
    """Memory, work and statistical power of a run."""

    model: str
    lengths: tuple[int, ...]
    samples: int
    """Number of questions for each task and length."""
    margin: float
    cells: int
    """Number of cells with a verdict: each task at each length with each quantized cache."""
    memory: Memory
    work: Work
    power: tuple[Power, ...]
    """One entry for each task, valid at every length; empty if no cell gets a verdict."""

    def as_record(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self), "memory": self.memory.as_json()}


def make_plan(
    config: RunConfig,
    tasks: Sequence[Task],
    model: Model,
    machine: Machine,
    speed: Speed,
    *,
    margin: float = DEFAULT_MARGIN,
) -> Plan:
    """Plan the run that `config` describes. Raises UsageError if it cannot be run."""
    if config.engine_arg("max-model-len") is None:
        model.check_lengths(config.lengths, model.max_length, "")
    judged = [task for task in tasks if not task.is_free]
    cells = len(judged) * len(config.lengths) * (len(config.kv_dtypes) - 1)
    power = [plan_power(task, config.samples, cells, margin=margin, seed=config.seed) for task in judged if cells]
    memory, work = plan_memory(config, model, machine), plan_work(config, tasks, speed)
    return Plan(model.name, config.lengths, config.samples, margin, cells, memory, work, tuple(power))


def plan_work(config: RunConfig, tasks: Sequence[Task], speed: Speed) -> Work:
    """Documents, tokens and time of one arm. Raises LengthError if a length is too short for a task's answers alone."""
    sharing: dict[object, list[Task]] = defaultdict(list)
    for task in tasks:
        sharing[task.shares].append(task)
    documents = once = uncached = 0
    for length in config.lengths:
        for together in sharing.values():
            if length < max(config.lengths) and not together[0].at_every_length:
                continue
            prompts = [_prompt_tokens(task, length, config.samples) for task in together]
            if min(prompts) <= 0:
                names = ", ".join(task.name for task in together)
                raise LengthError(
                    f"Length {length:,} is too short for task {names}: the answers alone use it up. Use a longer length."
                )
            document_places = [task.places(config.samples) for task in together]
            distinct = len(set().union(*document_places))
            documents += distinct if together[0].has_documents else 0
            once += distinct * prompts[0] + (sum(map(len, document_places)) - distinct) * QUESTION_TOKENS
            uncached += sum(len(places) * prompt for places, prompt in zip(document_places, prompts, strict=True))
    question_counts = {task.name: len(task.places(config.samples)) for task in tasks}
    times = {task.name: len(config.lengths) if task.at_every_length else 1 for task in tasks}
    answers = sum(times[task.name] * question_counts[task.name] * task.answer_tokens for task in tasks)
    return Work(
        arms=tuple(arm.name for arm in config.arms),
        documents=documents,
        questions=sum(times[name] * count for name, count in question_counts.items()),
        prompt_tokens=once,
        prompt_tokens_uncached=uncached,
        answer_tokens=answers,
        prompt_seconds=once / speed.prefill if speed.prefill else None,
        answer_seconds=answers / speed.decode if speed.decode else None,
    )


def _prompt_tokens(task: Task, length: int, samples: int) -> int:
    """Estimated tokens of one prompt. For prompts that are not padded, the estimate uses their mean number of characters."""
    most = length - task.answer_tokens
    if task.at_every_length:
        return most
    texts = [f"{row.document}{row.question}" for row in task.rows[:samples]]
    around = sum(len(turn.content) for turn in task.turns)
    mean = sum(map(len, texts)) // max(1, len(texts))
    return min(most, (mean + around) // CHARACTERS_A_TOKEN) if most > 0 else most


def plan_power(task: Task, samples: int, cells: int, *, margin: float, seed: int) -> Power:
    """The losses that a cell of `task` can exclude or detect with `samples` questions, by the rules of `kveval score`.

    `cells` is the number of cells in the run, which the Holm correction covers.
    """
    document_ids = [f"{place:09}" for place in task.places(samples)]
    questions, documents = len(document_ids), len(set(document_ids))
    nothing = [0.0] * questions
    interval = (
        bootstrap_mean_difference(nothing, document_ids, seed, worst=WORST)[1:]
        if task.is_copying
        else paired_interval(nothing, document_ids)
    )
    fewest = documents_to_pass(margin)
    counts = (
        questions,
        int(questions / design_effect(nothing, document_ids)),
    )  # flips independent, and perfectly correlated within a document
    independent, together = ([detectable_loss(n, alpha=ALPHA / tests) for tests in (1, cells)] for n in counts)
    return Power(
        task=task.name,
        measure="similarity" if task.is_copying else "right",
        questions=questions,
        documents=documents,
        largest_loss=-interval[0],
        can_pass=classify(1.0, 0.0, interval, margin=margin, documents=documents) == "pass",
        documents_to_pass=fewest,
        questions_to_pass=-(-fewest * questions // documents),
        detectable=(independent[0], together[0]),
        detectable_of_all=(independent[1], together[1]),
    )
