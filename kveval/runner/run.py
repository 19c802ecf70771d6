"""A run: arm after arm in a fresh engine, into one run directory. What is done already is not done again."""

import asyncio
import signal
from collections.abc import Container, Sequence
from datetime import UTC, datetime
from pathlib import Path

from kveval import __version__
from kveval.arms import Arm
from kveval.config import RunConfig
from kveval.engine.progress import Progress
from kveval.errors import EngineError, RunDirectoryError
from kveval.hardware.host import git_commit, host_facts
from kveval.models.checkpoint import shown_path
from kveval.prompts.samples import Sample
from kveval.runner.dispatch import serve_arm, work_of
from kveval.runner.preparation import Prepared, prepare
from kveval.scoring.score_outputs import read_outputs
from kveval.store.bench_directory import BenchDirectory
from kveval.store.run_directory import Record, RunDirectory, read_jsonl, write_jsonl
from kveval.tasks import Task
from kveval.throughput.bench import claim_bench, run_periods
from kveval.throughput.bench_config import BenchConfig
from kveval.throughput.bench_preparation import prepare_bench


def run(
    config: RunConfig,
    out: Path,
    progress: Progress,
    *,
    arms: Container[str] | None = None,
    throughput: BenchConfig | None = None,
) -> None:
    """Run every arm that is not done yet. The run directory `out` then says what was answered, and what failed.

    With `arms` those of these names alone; the others stay to be run. With `throughput` that pass follows the last arm.

    Raises a KVEvalError for bad input before an engine starts; KeyboardInterrupt when interrupted or terminated, with every
    finished sample on disk and no process left.
    """
    directory = RunDirectory(out)
    directory.check_free()
    prepared = prepare(config, progress)
    load = prepare_bench(throughput, progress, prepared.samples) if throughput else None
    with directory.locked():
        _claim(prepared, directory)
        if load:
            claim_bench(load, BenchDirectory(out))
        try:
            asyncio.run(_run_arms(prepared, directory, progress, arms))
            if load:
                asyncio.run(run_periods(load, BenchDirectory(out), progress))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _claim(prepared: Prepared, directory: RunDirectory) -> None:
    """Make the run directory this run's, or see that it already is."""
    config = prepared.config
    identity = {
        **config.model_dump(mode="json", exclude={"model", "tasks", *([] if config.endpoints else ["endpoints"])}),
        "model": prepared.checkpoint.name,
        "model_hash": prepared.checkpoint.digest,
        "task_versions": {task.name: task.version for task in prepared.tasks},
        "kveval": __version__,
        "vllm": prepared.vllm.version,
        "device": prepared.vllm.device,
    }
    facts = {
        "model_path": prepared.checkpoint.shown_path,
        "rows": {task.name: len(task.rows) for task in prepared.tasks if task.rows},
        "left_out": prepared.left_out,
        "asked": {"model": shown_path(config.model), "tasks": list(config.tasks)},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "git_commit": git_commit(),
        "host": host_facts(),
    }
    directory.claim(identity, facts)
    tasks = {task.name: task for task in prepared.tasks}
    described = [
        _sample_record(sample, tasks[sample.task]) for sample in (*prepared.samples, *prepared.without_document)
    ]
    stored = read_jsonl(directory.samples, growing=True)
    if stored and stored != described:
        raise RunDirectoryError(
            f"{directory.samples} holds other samples than are made now: the data file, kveval or the tokenizer's library has "
            "changed. Choose another --out."
        )
    if not stored:
        documents = {sample.document_id: sample.document for sample in prepared.samples}
        write_jsonl(directory.documents, ({"id": key, "text": text} for key, text in documents.items()))
        write_jsonl(directory.samples, described)


def _sample_record(sample: Sample, task: Task) -> Record:
    seldom = {
        "stop": list(sample.stop),
        "reasoning_tags": [list(pair) for pair in sample.reasoning_tags],
        "metadata": dict(sample.metadata),
        "prose": sample.prose and round(sample.prose, 4),
    }
    return {
        "id": sample.id,
        "document_id": sample.document_id,
        "task": sample.task,
        "answer_type": sample.answer_type,
        "guess": task.guess,
        "length": sample.length,
        "prompt_tokens": len(sample.prompt_token_ids),
        "prompt_hash": sample.prompt_hash,
        "max_answer_tokens": sample.max_answer_tokens,
        "question": sample.question,
        "gold": list(sample.gold),
        "distractors": list(sample.distractors),
        "kind": sample.kind,
        "depth": sample.depth,
        "with_document": sample.with_document,
        "padded": task.at_every_length,
        **{name: value for name, value in seldom.items() if value},
    }


async def _run_arms(
    prepared: Prepared, directory: RunDirectory, progress: Progress, names: Container[str] | None
) -> None:
    task = asyncio.current_task()
    if task is not None:  # ended by the system: leave in order, as on Ctrl-C
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    arms = [arm for arm in prepared.config.arms if names is None or arm.name in names]
    todo = {arm: _unfinished(prepared.sent_to(arm), directory, arm) for arm in arms}
    whole = sum(work_of(prepared.sent_to(arm)) for arm in todo)
    progress.planned(whole, whole - sum(map(work_of, todo.values())))
    for arm, samples in todo.items():
        if samples:
            try:
                await serve_arm(prepared, arm, samples, directory, progress)
            except EngineError as error:  # ends this arm only
                progress.arm_failed(arm.name, str(error))


def _unfinished(samples: Sequence[Sample], directory: RunDirectory, arm: Arm) -> list[Sample]:
    """The samples that this arm has no answer to yet; those that ended in an error are tried again."""
    outputs = read_outputs(directory, arm.name)
    answered = {key for key, output in outputs.items() if output["error"] is None}
    return [sample for sample in samples if (sample.id, sample.prompt_hash) not in answered]
