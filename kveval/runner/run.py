"""A run: each arm in a fresh engine, all arms into one run directory. Finished work is not repeated."""

import asyncio
from collections.abc import Container, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kveval import __version__
from kveval.arms import Arm
from kveval.config import RunConfig
from kveval.engine.client import GREEDY_SAMPLING
from kveval.engine.progress import Progress
from kveval.engine.session import cancel_on_sigterm
from kveval.errors import EngineError, RunDirectoryError
from kveval.hardware.host import git_commit, host_facts
from kveval.models.checkpoint import shown_path
from kveval.prompts.samples import Sample
from kveval.prompts.template import TEMPLATE_ARGUMENTS, TEMPLATE_DATE
from kveval.runner.dispatch import serve_arm, work_of
from kveval.runner.preparation import Prepared, prepare
from kveval.store.bench_directory import BenchDirectory
from kveval.store.json_files import read_lines, write_lines
from kveval.store.manifest import AskedFor, Extent, Identity, Manifest, ModelIdentity, Template
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import DocumentRecord, SampleRecord
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
    """Run every arm that is not finished yet, and record answers and failures in the run directory `out`.

    `arms` limits the run to the arms of these names; the others can be run later. If `throughput` is given, its pass follows
    the last arm.

    Raises a KVEvalError for invalid input before an engine starts, and KeyboardInterrupt when interrupted or terminated; then
    every finished sample is on disk and no process is left.
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
    """Claim the run directory for this run, or check that it already belongs to this run."""
    directory.claim(manifest_of(prepared))
    tasks = {task.name: task for task in prepared.tasks}
    samples = [sample_record(sample, tasks[sample.task]) for sample in (*prepared.samples, *prepared.without_document)]
    stored = read_lines(directory.samples, SampleRecord, growing=True)
    if stored and stored != samples:
        raise RunDirectoryError(
            f"{directory.samples} does not match the samples that are built now: the data file, kveval or the tokenizer "
            "library has changed. Choose another --out."
        )
    if not stored:
        documents = {sample.document_id: sample.document for sample in prepared.samples}
        write_lines(directory.documents, (DocumentRecord(id=key, text=text) for key, text in documents.items()))
        write_lines(directory.samples, samples)


def manifest_of(prepared: Prepared) -> Manifest:
    """Build the manifest, which the run directory stores before the first answer."""
    config, checkpoint = prepared.config, prepared.checkpoint
    return Manifest(
        schema_version=Manifest.SCHEMA,
        identity=Identity(
            model=ModelIdentity(
                name=checkpoint.name, hash=checkpoint.digest, revision=config.engine_arg("revision") or None
            ),
            template=Template(arguments=TEMPLATE_ARGUMENTS, date=TEMPLATE_DATE.date().isoformat()),
            sampling=GREEDY_SAMPLING,
            engine_args=config.engine_args,
            seed=config.seed,
            vllm=prepared.vllm.version,
            device=prepared.vllm.device,
        ),
        extent=Extent(
            tasks={task.name: task.version for task in prepared.tasks},
            lengths=config.lengths,
            samples=config.samples,
            concurrency=config.concurrency,
        ),
        arms=config.arms,
        kveval=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        git_commit=git_commit(),
        host=host_facts(),
        model_path=checkpoint.shown_path,
        asked=AskedFor(model=shown_path(config.model), tasks=config.tasks),
        rows={task.name: len(task.rows) for task in prepared.tasks if task.rows},
        left_out=prepared.left_out,
    )


def sample_record(sample: Sample, task: Task) -> SampleRecord:
    """Build the stored form of a sample, without its prompt and document. Optional fields that are empty are left unset."""
    optional: dict[str, Any] = {
        "stop": sample.stop,
        "reasoning_tags": sample.reasoning_tags,
        "metadata": dict(sample.metadata),
        "prose": sample.prose and round(sample.prose, 4),
    }
    return SampleRecord(
        id=sample.id,
        document_id=sample.document_id,
        task=sample.task,
        answer_type=sample.answer_type,
        guess=task.guess,
        length=sample.length,
        prompt_tokens=len(sample.prompt_token_ids),
        prompt_hash=sample.prompt_hash,
        max_answer_tokens=sample.max_answer_tokens,
        question=sample.question,
        gold=sample.gold,
        distractors=sample.distractors,
        kind=sample.kind,
        depth=sample.depth,
        with_document=sample.with_document,
        padded=task.at_every_length,
        **{name: value for name, value in optional.items() if value},
    )


async def _run_arms(
    prepared: Prepared, directory: RunDirectory, progress: Progress, names: Container[str] | None
) -> None:
    cancel_on_sigterm()
    arms = [arm for arm in prepared.config.arms if names is None or arm.name in names]
    todo = {arm: _unfinished(prepared.sent_to(arm), directory, arm) for arm in arms}
    total = sum(work_of(prepared.sent_to(arm)) for arm in todo)
    progress.planned(total, total - sum(map(work_of, todo.values())))
    for arm, samples in todo.items():
        if samples:
            try:
                await serve_arm(prepared, arm, samples, directory, progress)
            except EngineError as error:  # the other arms still run
                progress.arm_failed(arm.name, str(error))


def _unfinished(samples: Sequence[Sample], directory: RunDirectory, arm: Arm) -> list[Sample]:
    """Return the samples that this arm has not answered; those that ended in an error are tried again."""
    outputs = directory.read_outputs(arm.name)
    answered = {key for key, output in outputs.items() if output.error is None}
    return [sample for sample in samples if (sample.id, sample.prompt_hash) not in answered]
