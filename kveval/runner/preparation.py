"""Before the first engine starts: checks everything that can be checked, and builds the samples."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kveval.arms import BASELINE, Arm
from kveval.config import RunConfig
from kveval.engine.inspection import ELSEWHERE, Inspection, Installed
from kveval.engine.progress import Progress
from kveval.engine.server import command_line
from kveval.errors import LengthError
from kveval.models.checkpoint import Checkpoint, load_checkpoint
from kveval.models.tokenizer import Tokenizer
from kveval.prompts.samples import Sample, build_all, without_document
from kveval.store.manifest import LeftOut
from kveval.tasks import Task, load_tasks

WITHOUT_DOCUMENT = 20
"""Number of questions per task that are also asked without the document, to see whether the model needs it."""


@dataclass(frozen=True)
class Prepared:
    """Everything that a run needs before its first engine starts."""

    config: RunConfig
    checkpoint: Checkpoint
    tasks: tuple[Task, ...]
    samples: tuple[Sample, ...]
    without_document: tuple[Sample, ...]
    """Questions asked without their documents, of the baseline only."""
    vllm: Installed

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Rows that are not asked on any arm because their documents are longer than the length, by task and length."""
        built = Counter((sample.task, sample.length) for sample in self.samples)
        found: list[LeftOut] = []
        for task in self.tasks:
            number = len(task.places(self.config.samples))
            missing = {length: number - built[task.name, length] for length in self.config.lengths}
            if not task.at_every_length:
                longest = max(missing)
                missing = {longest: number - sum(built[task.name, length] for length in missing)}
            found += [LeftOut(task=task.name, length=at, rows=rows, of=number) for at, rows in missing.items() if rows]
        return tuple(found)

    def sent_to(self, arm: Arm) -> tuple[Sample, ...]:
        return self.samples + self.without_document if arm.name == BASELINE else self.samples


def prepare(config: RunConfig, progress: Progress) -> Prepared:
    """Check `config` and build its samples. Raises a KVEvalError if `config` cannot be run."""
    arms = config.arms
    tasks = load_tasks(config.tasks)
    for task in tasks:
        for note in task.notes:
            progress.note(f"{task.name}: {note}")
        if len(task.rows) > config.samples:
            progress.note(f"{task.name}: {config.samples} of {len(task.rows):,} rows are used (limited by --samples)")
    progress.stage("Loading the model's config and tokenizer")
    checkpoint = load_checkpoint(config)
    if config.engine_arg("max-model-len") is None:
        checkpoint.check_lengths(config.lengths, checkpoint.max_length, "")
    # vLLM needs seconds to check the command lines; the samples are built meanwhile. Other devices accept the arguments for a
    # CPU too, and the device of this machine is only known from vLLM's answer.
    lines = [command_line(checkpoint.path, arm, max(config.lengths), config.engine_args, "cpu") for arm in arms]
    inspection = None if config.endpoints else Inspection(lines)
    try:
        progress.stage("Building documents")
        samples, closed_book = samples_of(config, tasks, checkpoint.tokenizer)
        progress.stage("Checking the command line with vLLM")
        vllm = inspection.result() if inspection else ELSEWHERE
        checkpoint.check_lengths(config.lengths, vllm.max_model_len, " with --engine-arg max-model-len")
        return Prepared(config, checkpoint, tasks, samples, closed_book, vllm)
    finally:
        if inspection:
            inspection.cancel()


def samples_of(
    config: RunConfig, tasks: Sequence[Task], tokenizer: Tokenizer
) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """Build all samples of a run, and closed-book ones: samples of the shortest length, asked without the document."""
    by_length = {
        length: build_all(tasks, length, tokenizer, samples=config.samples, seed=config.seed)
        for length in config.lengths
    }
    for task in tasks:
        if not task.at_every_length:
            _keep_shortest(task, by_length)
    closed_book = tuple(
        sample
        for task in tasks
        for sample in without_document(task, _closed_book_sources(task, by_length), tokenizer, number=WITHOUT_DOCUMENT)
    )
    return tuple(sample for built in by_length.values() for sample in built), closed_book


def _of(task: Task, samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.task == task.name]


def _closed_book_sources(task: Task, by_length: dict[int, list[Sample]]) -> list[Sample]:
    """Return the samples of the shortest length that has any; if each row of the task has only one length, all samples."""
    found = [_of(task, by_length[length]) for length in sorted(by_length)]
    if not task.at_every_length:
        return [sample for built in found for sample in built]
    return next(filter(None, found), [])


def _keep_shortest(task: Task, by_length: dict[int, list[Sample]]) -> None:
    """Keep each prompt of a task only at the shortest length that it fits. Raises LengthError if no prompt fits any."""
    seen: set[str] = set()
    for length in sorted(by_length):
        of_task = _of(task, by_length[length])
        by_length[length] = [
            sample for sample in by_length[length] if sample.task != task.name or sample.prompt_hash not in seen
        ]
        seen |= {sample.prompt_hash for sample in of_task}
    if not seen:
        raise LengthError(
            f"Length {max(by_length):,} is too short for task {task.name}: none of its documents fits. Use a longer length."
        )
