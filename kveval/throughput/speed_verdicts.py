"""Verdicts for each cell and arm, separately on TTFT, TPOT and throughput: faster, slower, none (no difference beyond the noise
floor), or no verdict."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Protocol

from kveval.analysis.comparability import incomparable
from kveval.arms import BASELINE, Arm
from kveval.store.bench_results_schema import (
    FASTER,
    NO_DIFFERENCE,
    NO_VERDICT,
    SLOWER,
    BenchArmFacts,
    CellFigures,
    DegradedTask,
    Measure,
    MeasureVerdict,
    Ratio,
    SpeedCell,
    SpeedVerdict,
)
from kveval.throughput.guards import MAX_BURSTS
from kveval.throughput.period import Cell
from kveval.throughput.queueing import FILLING, SATURATED
from kveval.throughput.ratios import log_ratios, paired
from kveval.throughput.stored_bench import StoredBench, StoredRound

AS_ASKED = "the throughput of an open loop below saturation is the request rate"
MEASURES: tuple[Measure, ...] = ("ttft", "tpot", "throughput")
LATENCIES: tuple[Measure, ...] = ("ttft", "tpot")
PERIODS = 2
"""Periods of each arm."""

Side = Sequence[Sequence[StoredRound | None]]
"""Rounds of one arm in one cell, by period and number."""


class Placed(Protocol):
    """Anything that has a scenario and a load."""

    @property
    def scenario(self) -> str: ...
    @property
    def load(self) -> str: ...


def where(cell: Placed) -> str:
    """Name of a cell in a sentence."""
    return f"{cell.scenario} {cell.load}"


def judge_speed(
    bench: StoredBench,
    cell: Cell,
    arm: Arm,
    sides: Mapping[str, CellFigures],
    arms: Mapping[str, BenchArmFacts],
    accuracy: Sequence[DegradedTask] = (),
) -> SpeedCell:
    """Compare one arm with the baseline in one cell. `sides` are the figures of both, `arms` what each arm ran, and `accuracy`
    the tasks on which the arm is degraded."""
    baseline = bench.config.arms[0]
    ours, theirs = bench.rounds(arm, cell), bench.rounds(baseline, cell)
    failed = {baseline.name: _failed(theirs, ours), arm.name: _failed(ours, theirs)}
    blocked = next(_blocked(baseline.name, arm.name, sides, arms, failed), None)
    ttft, tpot, throughput = (_measure(name, ours, theirs, blocked, cell, sides, arm.name) for name in MEASURES)
    return SpeedCell(
        scenario=cell.scenario.name,
        load=cell.load.name,
        arm=arm.name,
        ttft=ttft,
        tpot=tpot,
        throughput=throughput,
        accuracy=tuple(accuracy),
    )


def _measure(
    name: Measure,
    ours: Side,
    theirs: Side,
    blocked: str | None,
    cell: Cell,
    sides: Mapping[str, CellFigures],
    arm: str,
) -> MeasureVerdict:
    ratio = _compare(name, ours, theirs)
    floor = _compare(name, theirs[-1:], theirs[:1]) if len(theirs) > 1 else None
    bursty = [side for side in (BASELINE, arm) if (sides[side].bursts or 0) > MAX_BURSTS]
    if blocked is None and bursty and name in LATENCIES:
        share = max(sides[side].bursts or 0 for side in bursty)
        blocked = (
            f"chunks arrived in bursts with {' and '.join(bursty)}: {100 * share:.0f}% together with the one before"
        )
    queueing, filling = ([side for side in (BASELINE, arm) if sides[side].queue == at] for at in (SATURATED, FILLING))
    if blocked is None and queueing and name in LATENCIES:
        blocked = f"saturated: the queue grows with {' and '.join(queueing)}, and latency with it"
    if blocked is None and filling:
        blocked = f"rounds ended before the queue was steady with {' and '.join(filling)}: raise --seconds"
    if blocked is None and name == "throughput" and cell.load.in_flight is None and not queueing:
        blocked = AS_ASKED
    verdict, because = (
        (NO_VERDICT, blocked) if blocked else speed_verdict(ratio, floor, smaller_is_faster=name in LATENCIES)
    )
    return MeasureVerdict(
        ratio=ratio,
        floor=floor.reach if floor else None,
        blocked=blocked is not None,
        verdict=verdict,
        because=because,
    )


def speed_verdict(ratio: Ratio | None, floor: Ratio | None, *, smaller_is_faster: bool) -> tuple[SpeedVerdict, str]:
    """The verdict on valid data, with its reason. `floor` is the same ratio between the baseline's two periods."""
    if ratio is None:
        return NO_VERDICT, "too few rounds have requests that succeeded on all servers of both arms"
    if floor is None:
        return NO_VERDICT, "the noise floor was not measured: that takes two rounds or more"
    if abs(ratio.log) <= floor.reach:
        return NO_DIFFERENCE, "the difference is within the noise floor between two periods of the baseline"
    low, high = ratio.interval
    if low <= 0 <= high:
        return NO_VERDICT, "the interval contains zero: rounds, requests or servers of one arm differ by as much"
    return (FASTER if (ratio.log < 0) == smaller_is_faster else SLOWER), "the difference exceeds the noise floor"


def _failed(side: Side, other: Side) -> int:
    """Number of requests that failed in rounds that both sides have."""
    rounds = [each for each, partner in zip(chain(*side), chain(*other), strict=True) if each and partner]
    return sum(reply.error is not None for each in rounds for reply in each.replies)


def _blocked(
    baseline: str,
    arm: str,
    sides: Mapping[str, CellFigures],
    arms: Mapping[str, BenchArmFacts],
    failed: Mapping[str, int],
) -> Iterator[str]:
    """Yield why a cell cannot have a verdict, the most serious reason first."""
    for name in (baseline, arm):
        if not sides[name].rounds:
            yield f"{name} has no rounds: {arms[name].reason or 'it was not run'}"
    yield from incomparable(arms[baseline].kv_dtype_effective, arms[arm].kv_dtype_effective)
    if failed[baseline] != failed[arm]:
        yield f"failed requests differ: {failed[baseline]} with {baseline}, {failed[arm]} with {arm}"
    for name in (baseline, arm):
        of_arm = sides[name]
        if of_arm.servers < PERIODS:
            yield f"{name} has rounds on one server only, so the variance between servers is not known"
        if of_arm.client_bound:
            yield f"client-bound with {name}: {of_arm.client_bound}"
        if of_arm.prefix_fault:
            yield f"prefix cache with {name}: {of_arm.prefix_fault}"
        if of_arm.unsteady:
            yield f"still warming up when {name} was measured"


def _compare(name: str, ours: Side, theirs: Side) -> Ratio | None:
    """The paired log-ratio of one measure over rounds that both sides have, with periods paired in order. None if the servers
    of one side have no successful request in common, since the variance between servers is not known then."""
    pairs = [(a, b) for a, b in zip(chain(*ours), chain(*theirs), strict=True) if a and b]
    servers = _on_servers(name, ours), _on_servers(name, theirs)
    return paired([log_ratios(values(name, a), values(name, b)) for a, b in pairs], servers) if all(servers) else None


def _on_servers(name: str, side: Side) -> list[list[float]]:
    """The mean logarithm of a measure on each server of one arm, over requests that succeeded on all of them."""
    rounds = [[values(name, each) for each in sent if each] for sent in zip(*side, strict=True) if all(sent)]
    requests = chain.from_iterable(zip(*each, strict=True) for each in rounds)
    logs = [[math.log(value) for value in request if value] for request in requests if all(request)]
    return [[fmean(server)] for server in zip(*logs, strict=True)]


def values(name: str, each: StoredRound) -> list[float | None]:
    """One measure of a round: a value for each request in seconds, None if it failed; for throughput, one value."""
    if name == "throughput":
        return [each.flow.output_tokens_per_s]
    return [getattr(at, name) if at else None for at in each.latencies]
