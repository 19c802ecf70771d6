"""Before the first engine starts: everything that can be checked is checked, and the samples are built."""

from dataclasses import dataclass

from kveval.config import RunConfig
from kveval.engine.arguments import Inspection, Installed
from kveval.engine.server import command_line
from kveval.models.checkpoint import Checkpoint, load_checkpoint
from kveval.progress import Progress
from kveval.samples import Sample, build_all
from kveval.tasks import Task, load_tasks


@dataclass(frozen=True)
class Prepared:
    """All that a run knows before its first engine starts."""

    config: RunConfig
    checkpoint: Checkpoint
    tasks: tuple[Task, ...]
    samples: tuple[Sample, ...]
    vllm: Installed


def prepare(config: RunConfig, progress: Progress) -> Prepared:
    """Raises a KVEvalError for whatever in `config` cannot be run."""
    arms = config.arms
    tasks = load_tasks(config.tasks)
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
        samples = tuple(
            sample
            for length in config.lengths
            for sample in build_all(tasks, length, checkpoint.tokenizer, samples=config.samples, seed=config.seed)
        )
        progress.stage("Asking vLLM about the command line")
        vllm = inspection.result()
        checkpoint.check_lengths(config.lengths, vllm.max_model_len, " with --engine-arg max-model-len")
        return Prepared(config, checkpoint, tasks, samples, vllm)
    finally:
        inspection.cancel()
