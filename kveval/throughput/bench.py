"""A throughput pass: runs the periods of all arms, each on a fresh server, and writes `throughput/` of a run directory."""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from kveval import __version__
from kveval.arms import BASELINE, Arm
from kveval.engine.progress import Progress
from kveval.engine.session import cancel_on_sigterm, running
from kveval.errors import EngineError, RunDirectoryError
from kveval.hardware.gpu_monitor import Gpus
from kveval.hardware.host import git_commit, host_facts
from kveval.models.checkpoint import weight_bytes
from kveval.store.bench_directory import BenchDirectory, check_out
from kveval.store.bench_records import BenchIdentity, BenchManifest, Round, SentRound
from kveval.store.json_files import Appender
from kveval.throughput.bench_config import HELD, BenchConfig
from kveval.throughput.bench_preparation import PreparedBench, prepare_bench
from kveval.throughput.period import Cell, Period, Sender, in_order, warm_up


def bench(config: BenchConfig, out: Path, progress: Progress) -> None:
    """Run every round that is not stored yet. Raises a KVEvalError for bad input before an engine starts; KeyboardInterrupt
    when interrupted or terminated, with every finished round on disk and no process left."""
    check_out(out)
    prepared = prepare_bench(config, progress)
    directory = BenchDirectory(out)
    with directory.locked():
        claim_bench(prepared, directory)
        try:
            asyncio.run(run_periods(prepared, directory, progress))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def claim_bench(prepared: PreparedBench, directory: BenchDirectory) -> None:
    """Claim the directory for this pass, or check that it belongs to it and has the same requests."""
    directory.claim(manifest_of(prepared))
    rounds = [each for cell in prepared.cells for each in cell.rounds]
    if not directory.requests.exists():
        directory.write_requests(rounds)
    elif directory.read_requests() != rounds:
        raise RunDirectoryError(
            f"{directory.requests} contains requests other than those that this kveval generates: kveval or the tokenizer has "
            "changed. Choose another --out."
        )


def manifest_of(prepared: PreparedBench) -> BenchManifest:
    """The manifest that is written before the first request of a pass."""
    config, model = prepared.config, prepared.model
    return BenchManifest(
        schema_version=BenchManifest.SCHEMA,
        identity=BenchIdentity(
            **config.model_dump(exclude={"model"}),
            model=model.name,
            workload=prepared.workload,
            kveval=__version__,
            vllm=prepared.vllm.version,
            device=prepared.vllm.device,
        ),
        model_path=model.shown_path,
        scenarios=prepared.scenarios,
        memory=prepared.memory,
        weight_bytes=weight_bytes(model.folder) if model.folder else None,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        git_commit=git_commit(),
        host=host_facts(),
    )


async def run_periods(prepared: PreparedBench, directory: BenchDirectory, progress: Progress) -> None:
    cancel_on_sigterm()
    periods = in_order(prepared.config.arms)
    todo = {period: _unfinished(prepared.cells, directory, period) for period in periods}
    whole = len(periods) * sum(each.work for cell in prepared.cells for each in cell.rounds)
    left = sum(each.work for cells in todo.values() for _, rounds in cells for each in rounds)
    progress.planned(whole, whole - left)
    gpus = Gpus(here=not prepared.config.endpoints)
    for period, cells in todo.items():
        if cells:
            try:
                await _serve(prepared, period, cells, directory, progress, gpus)
            except EngineError as error:  # ends this period only
                progress.arm_failed(period.name, str(error))


def _unfinished(cells: Sequence[Cell], directory: BenchDirectory, period: Period) -> list[tuple[Cell, list[Round]]]:
    """The cells with rounds that this period has not stored, and these rounds."""
    stored = {line.round for line in directory.read_rounds(period.name) if isinstance(line, SentRound)}
    left = [(cell, [each for each in cell.rounds if each.id not in stored]) for cell in cells]
    return [(cell, rounds) for cell, rounds in left if rounds]


async def _serve(
    prepared: PreparedBench,
    period: Period,
    cells: Sequence[tuple[Cell, Sequence[Round]]],
    directory: BenchDirectory,
    progress: Progress,
    gpus: Gpus,
) -> None:
    """Start a server, run a period's rounds on it, and stop it. Raises EngineError if it does not start, or dies."""
    config = prepared.config
    blocks = held_blocks(directory, config.arms, period.arm)
    async with running(
        Arm(period.name, period.arm.kv_dtype),
        *(config, prepared.model, prepared.vllm, directory, progress),
        tokens=prepared.max_model_len,
        samples=sum(len(each.requests) for _, todo in cells for each in todo),
        more=() if blocks is None else (f"--num-gpu-blocks-override={blocks}",),
    ) as engine:
        sender = Sender(engine.server, engine.client, prepared.prompts, gpus, _salt(config))
        with closing(Appender(directory.rounds(period.name))) as rounds:
            async with sender.connected():
                for cell, todo in cells:
                    await send_cell(sender, cell, todo, config, rounds, progress, period.name)
        engine.done()


async def send_cell(
    sender: Sender,
    cell: Cell,
    todo: Sequence[Round],
    config: BenchConfig,
    stored: Appender,
    progress: Progress,
    name: str,
) -> None:
    """Warm a cell up, then send its rounds; each round is stored before the next is sent."""
    progress.stage(f"{name}: {cell.id}")
    stored.append(await warm_up(sender, cell, arrivals=config.arrivals, seed=config.seed))
    for each in todo:
        record = await sender.send(each, cell.load)
        stored.append(record)
        progress.finished(each.work, failed=any(reply.error for reply in record.replies))


def _salt(config: BenchConfig) -> str | None:
    """Salt of the prefix cache, so that a prompt that is sent again does not hit its earlier copy: a server that was already
    running is not fresh, and several cells send the same documents of an accuracy run. None where no prompt is repeated."""
    if config.endpoints:
        return secrets.token_hex(8)
    return "kveval" if config.prompts == "accuracy" else None


def held_blocks(directory: BenchDirectory, arms: Sequence[Arm], arm: Arm) -> int | None:
    """Blocks with which a same-pool arm has as many KV tokens as the baseline; None for other arms.

    Raises EngineError if the pool of the baseline or of the arm without the limit is not known.
    """
    if not arm.name.endswith(HELD):
        return None
    free = arm.name.removesuffix(HELD)
    pools: dict[str, tuple[int, int]] = {}
    for period in in_order(arms):
        if period.arm.name in (BASELINE, free):
            for engine in directory.read_engines(period.name):
                if engine.facts and engine.facts.kv_pool_tokens and engine.facts.num_gpu_blocks:
                    pools.setdefault(period.arm.name, (engine.facts.kv_pool_tokens, engine.facts.num_gpu_blocks))
    if len(pools) < 2:
        raise EngineError(f"{arm.name} was not started: the pool size of {BASELINE} or {free} is not known.")
    tokens, blocks = pools[free]
    return int(blocks * pools[BASELINE][0] // tokens)
