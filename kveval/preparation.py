"""Before the first engine starts: everything that can be checked is checked, and the samples are built."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kveval.arms import BASELINE, Arm
from kveval.config import RunConfig
from kveval.engine.arguments import Inspection, Installed
from kveval.engine.server import command_line
from kveval.models.checkpoint import Checkpoint, load_checkpoint
from kveval.progress import Progress
from kveval.prompts import Tokenizer
from kveval.samples import Sample, build_all, without_document
from kveval.tasks import Task, load_tasks

WITHOUT_DOCUMENT = 20
"""Questions of each task that are asked without the document too, to see whether the model needs it."""


@dataclass(frozen=True)
class Prepared:
    """All that a run knows before its first engine starts."""

    config: RunConfig
    checkpoint: Checkpoint
    tasks: tuple[Task, ...]
    samples: tuple[Sample, ...]
    without_document: tuple[Sample, ...]
    """For the baseline alone: questions asked without their documents."""
    vllm: Installed

    @property
    def left_out(self) -> list[dict[str, Any]]:
        """Of each task and length how many rows are asked on no arm, since their documents are longer than the length."""
        asked = Counter((sample.task, sample.length) for sample in self.samples)
        places = {task.name: len(task.places(self.config.samples)) for task in self.tasks}
        return [
            {"task": name, "length": length, "rows": number - asked[name, length], "of": number}
            for name, number in places.items()
            for length in self.config.lengths
            if number > asked[name, length]
        ]

    def sent_to(self, arm: Arm) -> tuple[Sample, ...]:
        return self.samples + self.without_document if arm.name == BASELINE else self.samples


def prepare(config: RunConfig, progress: Progress) -> Prepared:
    """Raises a KVEvalError for whatever in `config` cannot be run."""
    arms = config.arms
    tasks = load_tasks(config.tasks)
    for task in tasks:
        for note in task.notes:
            progress.note(f"{task.name}: {note}")
        if len(task.rows) > config.samples:
            progress.note(f"{task.name}: {config.samples} of {len(task.rows):,} rows are asked, as --samples says")
    progress.stage("Loading the model's config and tokenizer")
    checkpoint = load_checkpoint(config)
    if config.engine_arg("max-model-len") is None:
        checkpoint.check_lengths(config.lengths, checkpoint.max_length, "")
    # vLLM takes its time to look at the command lines; the samples are built meanwhile. Arguments for a CPU are also taken
    # elsewhere, and what this machine has is only known from the answer.
    inspection = Inspection(
        [command_line(checkpoint.path, arm, max(config.lengths), config.engine_args, "cpu") for arm in arms]
    )
    try:
        progress.stage("Building documents")
        samples, lone = samples_of(config, tasks, checkpoint.tokenizer)
        progress.stage("Asking vLLM about the command line")
        vllm = inspection.result()
        checkpoint.check_lengths(config.lengths, vllm.max_model_len, " with --engine-arg max-model-len")
        return Prepared(config, checkpoint, tasks, samples, lone, vllm)
    finally:
        inspection.cancel()


def samples_of(
    config: RunConfig, tasks: Sequence[Task], tokenizer: Tokenizer
) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """All samples of a run, and those of the shortest length that are asked without the document too."""
    by_length = {
        length: build_all(tasks, length, tokenizer, samples=config.samples, seed=config.seed)
        for length in config.lengths
    }
    shortest = by_length[min(config.lengths)]
    lone = tuple(
        sample
        for task in tasks
        for sample in without_document(
            task, [each for each in shortest if each.task == task.name], tokenizer, number=WITHOUT_DOCUMENT
        )
    )
    return tuple(sample for built in by_length.values() for sample in built), lone
