"""All results of a throughput pass as one record: the content of `throughput.json`, from which its reports are made."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kveval.analysis import MAX_ERROR_SHARE
from kveval.analysis.comparability import confounds
from kveval.analysis.results import engine_fields
from kveval.arms import BASELINE, Arm
from kveval.hardware.gpus import memory_bandwidth
from kveval.store.bench_directory import BenchDirectory
from kveval.store.bench_results_schema import BenchArmFacts, BenchResults, CellFigures, DegradedTask, SpeedCell
from kveval.store.json_files import read_object, write_object
from kveval.store.report_schema import Cell as AccuracyCell
from kveval.throughput.advice import advice
from kveval.throughput.bench_config import HELD
from kveval.throughput.capacity import capacity, is_held, max_num_seqs
from kveval.throughput.cell_figures import figures
from kveval.throughput.decoding import context_lines, decode_limits
from kveval.throughput.speed_verdicts import judge_speed
from kveval.throughput.stored_bench import StoredBench, read_bench


def build_results(
    directory: BenchDirectory, *, bandwidth: float | None = None, accuracy: Sequence[AccuracyCell] = ()
) -> BenchResults:
    """Judge a stored pass, write `throughput.json`, and return its content. Needs no engine.

    `bandwidth` is the memory bandwidth of one GPU in bytes per second, for GPUs whose name is not known. `accuracy` are the
    cells of an accuracy run of the same arms.
    """
    bench = read_bench(directory)
    arms = {arm.name: _facts(bench, arm) for arm in bench.config.arms}
    measured = [figures(bench, arm, cell) for cell in bench.cells for arm in bench.config.arms]
    gpus: list[str] = [] if bench.config.endpoints else list(bench.manifest.host.gpus)
    if bandwidth is None and directory.results.exists():  # given when these results were first built
        bandwidth = read_object(directory.results, BenchResults).bandwidth
    bandwidth = bandwidth or memory_bandwidth(gpus)
    cells = _judged(bench, arms, measured, accuracy)
    pools = {name: facts.kv_pool_tokens for name, facts in arms.items()}
    seqs = max_num_seqs(bench.config.engine_args, gpus)
    shapes = dict.fromkeys(cell.scenario for cell in bench.cells)
    identity = bench.manifest.identity
    results = BenchResults(
        schema_version=BenchResults.SCHEMA,
        model=identity.model,
        kveval=identity.kveval,
        vllm=identity.vllm,
        device=identity.device,
        seed=identity.seed,
        engine_args=identity.engine_args,
        workload=identity.workload,
        rounds=identity.rounds,
        requests=identity.requests,
        seconds=identity.seconds,
        arrivals=identity.arrivals,
        prompts=identity.prompts,
        endpoints=identity.endpoints,
        host=bench.manifest.host,
        created=bench.manifest.created,
        periods=tuple(stored.period.name for stored in bench.periods),
        arms=arms,
        figures=tuple(measured),
        cells=tuple(cells),
        bandwidth=bandwidth,
        limits=tuple(decode_limits(bench, arms, measured, bandwidth)),
        lines=tuple(context_lines(bench, cells)),
        memory=bench.manifest.memory,
        capacity=tuple(each for shape in shapes for each in capacity(shape, bench.config.asked_loads, pools, seqs)),
        remarks=tuple(_remarks_on_pass(bench, arms, measured, bandwidth)),
        incomplete=any(each.rounds_missing or (each.error_rate or 0) > MAX_ERROR_SHARE for each in measured),
    )
    results = results.model_copy(update={"advice": tuple(advice(results))})
    write_object(directory.results, results)
    return results


def _judged(
    bench: StoredBench,
    arms: Mapping[str, BenchArmFacts],
    measured: Sequence[CellFigures],
    accuracy: Sequence[AccuracyCell],
) -> list[SpeedCell]:
    """The verdicts on every arm except the baseline, in every cell."""
    sides = {(each.scenario, each.load, each.arm): each for each in measured}
    cells = []
    for cell in bench.cells:
        of_cell = {arm.name: sides[cell.scenario.name, cell.load.name, arm.name] for arm in bench.config.arms}
        for arm in bench.config.arms[1:]:
            tested = [each for each in accuracy if each.arm == arm.name.removesuffix(HELD)]
            degraded = accuracy_beside(cell.scenario.longest, tested)
            cells.append(judge_speed(bench, cell, arm, of_cell, arms, degraded))
    return cells


def stored_throughput(out: Path, accuracy: Sequence[AccuracyCell]) -> BenchResults | None:
    """`build_results` of a run's throughput pass; None if the run has none."""
    directory = BenchDirectory(out)
    return build_results(directory, accuracy=accuracy) if directory.manifest.exists() else None


def accuracy_beside(tokens: int, tested: Sequence[AccuracyCell]) -> list[DegradedTask]:
    """Tasks on which an arm is degraded in the accuracy run, at the shortest length there of at least `tokens`, or else at the
    longest. `tested` are the arm's cells."""
    lengths = sorted({cell.length for cell in tested if cell.length is not None})
    length = next((each for each in lengths if each >= tokens), lengths[-1] if lengths else None)
    return [
        DegradedTask(task=cell.task, length=cell.length)
        for cell in tested
        if cell.verdict == "degraded" and cell.length in (length, None)
    ]


def _facts(bench: StoredBench, arm: Arm) -> BenchArmFacts:
    """What the engines of an arm's periods ran, and how they ended."""
    engines = [engine for stored in bench.of(arm) for engine in stored.engines]
    facts = [engine.facts for engine in engines if engine.facts]
    return BenchArmFacts(
        **engine_fields(arm.kv_dtype, engines),
        weight_bytes=facts[-1].weight_bytes if facts else None,
        engines=len(engines),
        start_seconds=tuple(each.start_seconds for each in facts),
        reason=next((engine.reason for engine in reversed(engines) if engine.status == "failed"), None),
    )


def _remarks_on_pass(
    bench: StoredBench,
    arms: Mapping[str, BenchArmFacts],
    measured: Sequence[CellFigures],
    bandwidth: float | None,
) -> Iterator[str]:
    """What a reader should know before trusting a figure."""
    periods = Counter(stored.period.arm.name for stored in bench.periods)
    for name, facts in arms.items():
        yield from _arm_remarks(name, facts, arms, periods[name])
    for name in arms:
        failed: Counter[str] = Counter()
        details: dict[str, str | None] = {}
        for each in measured:
            if each.arm == name:
                failed.update(each.errors)
                details |= each.error_details
        for kind, count in failed.items():
            yield f"{name}: {count:,} requests failed with {kind}{f', such as: {details[kind]}' if details[kind] else ''}"
    slow = [each.looks_per_s.median for each in measured if each.looks_per_s]
    if slow and min(slow) < 3:
        yield f"The engine's metrics were read only {min(slow):.1f} times a second at worst: figures may miss short peaks."
    if bandwidth is None:
        yield "The decode limit is not shown, since this GPU's memory bandwidth is not known: give it with --bandwidth TB/s."


def _arm_remarks(name: str, facts: BenchArmFacts, arms: Mapping[str, BenchArmFacts], periods: int) -> Iterator[str]:
    base = arms[BASELINE]
    if facts.reason:
        yield f"{name}: {facts.reason}"
    yield from (f"{name}: not only the cache differs: {difference}." for difference in confounds(base, facts))
    tokens, wanted = facts.kv_pool_tokens, base.kv_pool_tokens
    if name.endswith(HELD) and tokens and wanted and not is_held(arms, name):
        yield (
            f"{name}: its pool has {tokens:,} tokens instead of the baseline's {wanted:,}: "
            "the effect of the pool size is not isolated."
        )
    if facts.engines > periods:
        yield f"{name}: resumed ({facts.engines} server starts for {periods} periods)."
