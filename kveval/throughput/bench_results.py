"""Everything of a throughput pass as one dict: what `throughput.json` holds, and all that its reports read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kveval.analysis import MAX_ERROR_SHARE
from kveval.analysis.comparability import confounds
from kveval.analysis.results import common
from kveval.arms import BASELINE, Arm
from kveval.hardware.gpus import memory_bandwidth
from kveval.kv_cache.dtypes import UNKNOWN
from kveval.store.bench_directory import BenchDirectory
from kveval.store.bench_schema import Results
from kveval.store.json_files import SCHEMA, Record, check_form, read_json, write_json
from kveval.store.report_schema import Cell as AccuracyCell
from kveval.throughput.advice import advice
from kveval.throughput.bench_config import HELD
from kveval.throughput.capacity import capacity, is_held, max_num_seqs
from kveval.throughput.cell_figures import figures
from kveval.throughput.decoding import context_lines, decode_limits
from kveval.throughput.speed_verdicts import judge
from kveval.throughput.stored_bench import StoredBench, read_bench


def build_results(
    directory: BenchDirectory, *, bandwidth: float | None = None, accuracy: Sequence[AccuracyCell] = ()
) -> Record:
    """Judge what a pass has stored and write `throughput.json`; returns what it holds. Needs no engine.

    `bandwidth` is that of one GPU's memory in bytes a second, where its name does not tell. `accuracy` are the cells of
    an accuracy run of the same arms.
    """
    bench = read_bench(directory)
    arms = {arm.name: _facts(bench, arm) for arm in bench.config.arms}
    measured = [figures(bench, arm, cell) for cell in bench.cells for arm in bench.config.arms]
    gpus: list[str] = [] if bench.config.endpoints else bench.manifest["host"]["gpus"]
    if bandwidth is None and directory.results.exists():  # given before, when these were made for the first time
        bandwidth = check_form(read_json(directory.results), Results, directory.results)["bandwidth"]
    bandwidth = bandwidth or memory_bandwidth(gpus)
    sides = {(each["scenario"], each["load"], each["arm"]): each for each in measured}
    cells = []
    for cell in bench.cells:
        mine = {arm.name: sides[cell.scenario.name, cell.load.name, arm.name] for arm in bench.config.arms}
        for arm in bench.config.arms[1:]:
            judged = judge(bench, cell, arm, mine, arms)
            tested = [each for each in accuracy if each.arm == arm.name.removesuffix(HELD)]
            cells.append(judged | {"accuracy": accuracy_beside(cell.scenario.longest, tested)})
    pools = {name: facts["kv_pool_tokens"] for name, facts in arms.items()}
    seqs = max_num_seqs(bench.config.engine_args, gpus)
    shapes = dict.fromkeys(cell.scenario for cell in bench.cells)
    identity = bench.manifest["identity"]
    results: Record = {
        "schema": SCHEMA,
        **{name: identity[name] for name in ("model", "kveval", "vllm", "device", "seed", "engine_args", "workload")},
        **{name: identity[name] for name in ("rounds", "requests", "seconds", "arrivals", "prompts", "endpoints")},
        "host": bench.manifest["host"],
        "created": bench.manifest["created"],
        "periods": [stored.period.name for stored in bench.periods],
        "arms": arms,
        "figures": measured,
        "cells": cells,
        "bandwidth": bandwidth,
        "limits": decode_limits(bench, arms, measured, bandwidth),
        "lines": context_lines(bench, cells),
        "memory": bench.manifest["memory"],
        "capacity": [each for shape in shapes for each in capacity(shape, bench.config.asked_loads, pools, seqs)],
        "remarks": list(_remarks(bench, arms, measured, bandwidth)),
        "incomplete": any(each["rounds_missing"] or (each["error_rate"] or 0) > MAX_ERROR_SHARE for each in measured),
    }
    results["advice"] = list(advice(results))
    write_json(directory.results, results)
    return read_json(directory.results)


def stored_throughput(out: Path, accuracy: Sequence[AccuracyCell]) -> Record | None:
    """`build_results` of a run that has a throughput pass; None of one that has none."""
    directory = BenchDirectory(out)
    return build_results(directory, accuracy=accuracy) if directory.manifest.exists() else None


def accuracy_beside(tokens: int, tested: Sequence[AccuracyCell]) -> list[Record]:
    """Tasks on which an arm lost answers in the accuracy run, at the shortest length there that holds so many tokens, or else
    at the longest. `tested` are the arm's cells."""
    lengths = sorted({cell.length for cell in tested if cell.length is not None})
    length = next((each for each in lengths if each >= tokens), lengths[-1] if lengths else None)
    return [
        {"task": cell.task, "length": cell.length}
        for cell in tested
        if cell.verdict == "degraded" and cell.length in (length, None)
    ]


def _facts(bench: StoredBench, arm: Arm) -> Record:
    """What the engines of an arm's periods ran, and how they ended."""
    engines = [engine for stored in bench.of(arm) for engine in stored.engines]
    facts = [engine.facts for engine in engines if engine.facts]
    last = facts[-1] if facts else None
    failed = next((engine.reason for engine in reversed(engines) if engine.status == "failed"), None)
    return {
        "kv_dtype_asked": arm.kv_dtype,
        "kv_dtype_effective": common(facts, "kv_dtype_effective") or UNKNOWN,
        "attention_backend": common(facts, "attention_backend"),
        "model_dtype": last.model_dtype if last else None,
        "scales": common(facts, "scales"),
        "kv_pool_tokens": last.kv_pool_tokens if last else None,
        "block_size": last.block_size if last else None,
        "weight_bytes": last.weight_bytes if last else None,
        "engines": len(engines),
        "start_seconds": [each.start_seconds for each in facts],
        "reason": failed,
    }


def _remarks(
    bench: StoredBench, arms: Mapping[str, Record], measured: Sequence[Record], bandwidth: float | None
) -> Iterator[str]:
    """What a reader has to know beside the figures."""
    base = arms[BASELINE]
    for name, facts in arms.items():
        if facts["reason"]:
            yield f"{name}: {facts['reason']}"
        yield from (
            f"{name}: not the cache alone differs: {difference}." for difference in confounds(_side(base), _side(facts))
        )
        tokens, wanted = facts["kv_pool_tokens"], base["kv_pool_tokens"]
        if name.endswith(HELD) and tokens and wanted and not is_held(arms, name):
            yield f"{name}: its pool has {tokens:,} tokens and not the baseline's {wanted:,}: it separates nothing."
        if facts["engines"] > len(bench.of(_named(bench, name))):
            yield f"{name}: {facts['engines']} servers in {len(bench.of(_named(bench, name)))} periods: it was gone on with."
    for name in arms:
        failed: Counter[str] = Counter()
        details: dict[str, str | None] = {}
        for each in measured:
            if each["arm"] == name:
                failed.update(each["errors"])
                details |= each["error_details"]
        for kind, count in failed.items():
            yield f"{name}: {count:,} requests failed with {kind}{f', such as: {details[kind]}' if details[kind] else ''}"
    slow = [each["looks_per_s"]["median"] for each in measured if each["looks_per_s"]]
    if slow and min(slow) < 3:
        yield f"The engine's metrics came {min(slow):.1f} times a second at worst: medians and largest values miss short peaks."
    if bandwidth is None:
        yield "The decode limit is not shown: this GPU's memory bandwidth is not known; give it with --bandwidth TB/s."


@dataclass(frozen=True)
class _Side:
    attention_backend: str | None
    model_dtype: str | None


def _side(facts: Record) -> _Side:
    return _Side(facts["attention_backend"], facts["model_dtype"])


def _named(bench: StoredBench, name: str) -> Arm:
    return next(arm for arm in bench.config.arms if arm.name == name)
