"""Decoding: the roofline limit of each measured TPOT, and lines of TPOT over the context with their break-even."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from kveval.arms import BASELINE, Arm
from kveval.store.bench_results_schema import BenchArmFacts, CellFigures, ContextLine, DecodeLimit, SpeedCell
from kveval.throughput.period import Cell
from kveval.throughput.roofline import (
    INTERCEPT,
    SLOPE,
    Curve,
    Line,
    break_even,
    decode_limit,
    estimate,
    fit_line,
    slope_gain,
)
from kveval.throughput.scenarios import Load
from kveval.throughput.server_variance import spread_of
from kveval.throughput.speed_verdicts import values
from kveval.throughput.stored_bench import StoredBench, StoredRound


def decode_limits(
    bench: StoredBench, arms: Mapping[str, BenchArmFacts], figures: Sequence[CellFigures], bandwidth: float | None
) -> list[DecodeLimit]:
    """For each arm and cell of fixed lengths with a known number in flight: the minimum TPOT that the memory bandwidth allows
    for the number of sequences that ran, in seconds, and its share of the measured median.

    Empty if bandwidth, weights or KV bytes are not known.
    """
    found = []
    cells = {(cell.scenario.name, cell.load.name): cell for cell in bench.cells}
    for each in figures:
        cell = cells[each.scenario, each.load]
        weights = arms[each.arm].weight_bytes or _stored_weights(bench)
        sequence = _sequence_bytes(bench, arms[each.arm].kv_dtype_asked, cell.scenario.context)
        tpot = each.latency.tpot
        measured = tpot.p50 if tpot else None
        active = _active(each, cell.load)
        if not (bandwidth and weights and sequence and measured and active) or cell.scenario.mixed:
            continue
        limit = decode_limit(weights, active * sequence, bandwidth)
        found.append(
            DecodeLimit(
                scenario=each.scenario,
                load=each.load,
                arm=each.arm,
                context=cell.scenario.context,
                active=active,
                weight_bytes=weights,
                kv_bytes=active * sequence,
                bandwidth=bandwidth,
                limit=limit,
                tpot=measured,
                share=limit / measured,
            )
        )
    return found


def _active(figures: CellFigures, load: Load) -> float | None:
    """Sequences that a decode step reads: the median number that ran, which is below the number in flight if the pool is
    full."""
    if load.in_flight is None or not figures.running:
        return load.in_flight
    return min(float(load.in_flight), max(1.0, figures.running.median))


def _stored_weights(bench: StoredBench) -> int | None:
    """Bytes of the checkpoint's files on one GPU, used if the engine did not report what it loaded."""
    files = bench.manifest.weight_bytes
    return files // bench.manifest.memory.tensor_parallel if files else None


def _sequence_bytes(bench: StoredBench, kv_dtype: str, tokens: int) -> int | None:
    """KV bytes of one sequence on one GPU, the maximum for the format."""
    for cache in bench.manifest.memory.caches:
        if cache.kv_dtype == kv_dtype:
            return next((at.bytes[1] for at in cache.lengths if at.length == tokens), None)
    return None


def context_lines(bench: StoredBench, judged: Sequence[SpeedCell]) -> list[ContextLine]:
    """For each load with a number in flight, over its scenarios of fixed lengths without a shared prefix: each arm's TPOT =
    intercept + slope × context, in seconds, and the context above which its TPOT is lower than the baseline's.

    `judged` are the cells' verdicts: an arm's line leaves out cells in which a verdict on TPOT is blocked.
    """
    blocked = {(cell.scenario, cell.load, cell.arm) for cell in judged if cell.tpot.blocked}
    baseline, *others = bench.config.arms
    found: list[ContextLine] = []
    for load in bench.config.asked_loads:
        cells = [cell for cell in bench.cells if cell.load == load and not cell.scenario.mixed]
        cells = [cell for cell in cells if not cell.scenario.shared_tokens and load.in_flight is not None]
        kept = {
            arm: [cell for cell in cells if (cell.scenario.name, load.name, arm.name) not in blocked]
            for arm in bench.config.arms
        }
        for arm, mine in kept.items():
            # Variance between servers is pooled with the baseline's; the baseline's with that of all arms with these contexts.
            with_it = [baseline] if arm != baseline else [other for other in others if kept[other] == mine]
            line, *other_lines = (fit_line(_curves(bench, each, mine)) for each in (arm, *with_it))
            if line:
                found.append(_line_record(load, arm, mine, line, [each for each in other_lines if each]))
    return found


def _line_record(load: Load, arm: Arm, cells: Sequence[Cell], line: Line, others: Sequence[Line]) -> ContextLine:
    """Record of an arm's line. `others` are the lines of other arms over the same contexts: for a quantized arm, the
    baseline's."""
    spread = spread_of([each.servers for each in (line, *others)])
    base = others[0] if others and arm.name != BASELINE else None
    return ContextLine(
        load=load.name,
        arm=arm.name,
        contexts=tuple(sorted({cell.scenario.context for cell in cells})),
        intercept=estimate(line, INTERCEPT, spread),
        slope=estimate(line, SLOPE, spread),
        misfit=line.misfit,
        slope_gain=slope_gain(line, base, spread) if base else None,
        break_even=break_even(line, base, spread) if base else None,
    )


def _curves(bench: StoredBench, arm: Arm, cells: Sequence[Cell]) -> list[list[Curve]]:
    """For each server and round of an arm, the context and median TPOT of each cell; rounds missing in a cell are left out."""
    by_cell = [bench.rounds(arm, cell) for cell in cells]
    curves: list[list[Curve]] = []
    for number in range(len(bench.of(arm))):
        rounds = zip(*(periods[number] for periods in by_cell), strict=True)
        points = [[_point(cell, each) for cell, each in zip(cells, sent, strict=True)] for sent in rounds]
        curves.append([[point for point in sent if point] for sent in points if all(sent)])
    return curves


def _point(cell: Cell, each: StoredRound | None) -> tuple[float, float] | None:
    found: list[Any] = [value for value in values("tpot", each) if value is not None] if each else []
    return (float(cell.scenario.context), median(found)) if found else None
