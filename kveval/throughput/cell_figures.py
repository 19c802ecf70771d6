"""The figures of each arm in each cell over all its rounds: latencies, throughput, errors and engine metrics."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from kveval.arms import Arm
from kveval.store.bench_records import Gauge
from kveval.store.bench_results_schema import CellFigures, Spread
from kveval.throughput.guards import bursts, client_bound, prefix_fault
from kveval.throughput.measures import summaries
from kveval.throughput.period import Cell
from kveval.throughput.queueing import queue_state
from kveval.throughput.stored_bench import StoredBench, StoredRound


def figures(bench: StoredBench, arm: Arm, cell: Cell) -> CellFigures:
    """The figures of one arm in one cell. Times are in seconds; what was not measured is None."""
    rounds = [each for period in bench.rounds(arm, cell) for each in period if each]
    replies = [reply for each in rounds for reply in each.replies]
    errors = Counter(reply.error for reply in replies if reply.error is not None)
    open_loop = cell.load.in_flight is None
    return CellFigures(
        scenario=cell.scenario.name,
        load=cell.load.name,
        arm=arm.name,
        prompt_tokens=cell.scenario.prompt_tokens,
        output_tokens=cell.scenario.output_tokens,
        mixed=cell.scenario.mixed,
        rounds=len(rounds),
        servers=sum(any(period) for period in bench.rounds(arm, cell)),
        rounds_missing=len(bench.of(arm)) * len(cell.rounds) - len(rounds),
        requests=len(replies),
        errors=dict(errors),
        error_details={reply.error: reply.detail for reply in reversed(replies) if reply.error is not None},
        error_rate=errors.total() / len(replies) if replies else None,
        latency=summaries(replies),
        by_server=_by_server(bench.rounds(arm, cell)),
        output_tokens_per_s=spread([each.flow.output_tokens_per_s for each in rounds]),
        total_tokens_per_s=spread([each.flow.total_tokens_per_s for each in rounds]),
        running=_gauge([each.engine.running for each in rounds]),
        waiting=_gauge([each.engine.waiting for each in rounds]),
        kv_usage=_gauge([each.engine.kv_usage for each in rounds]),
        preemptions=_total(rounds, "preemptions"),
        queue_seconds=_ratio(_total(rounds, "queue_seconds"), _total(rounds, "queued")),
        prefix_hit_rate=_ratio(_total(rounds, "prefix_hits"), _total(rounds, "prefix_queries")),
        looks_per_s=spread([each.engine.hertz for each in rounds]),
        gpu={name: _gauge([each.engine.gpu.get(name) for each in rounds]) for name in _gpu_names(rounds)},
        client_cpu=spread([each.engine.client_cpu for each in rounds]),
        lateness=spread([each.flow.lateness_p50 for each in rounds]),
        lateness_p99=spread([each.flow.lateness_p99 for each in rounds]),
        rate_sent=spread([each.flow.rate for each in rounds]),
        bursts=bursts(replies),
        client_bound=_client_bound(rounds),
        queue=queue_state([each.replies for each in rounds]) if open_loop else None,
        prefix_fault=_prefix_fault(bench, arm, cell),
        unsteady=any(not period.steady.get(cell.id, True) for period in bench.of(arm)),
    )


def spread(values: Sequence[float | None]) -> Spread | None:
    """Median, minimum and maximum over rounds; None if no round has a value."""
    found = [value for value in values if value is not None]
    return Spread(median=median(found), least=min(found), most=max(found), n=len(found)) if found else None


def _by_server(periods: Sequence[Sequence[StoredRound | None]]) -> dict[str, tuple[float | None, ...]]:
    """The median of each latency on each server, in the order of the periods; None if no request succeeded there."""
    served = [
        [at for each in rounds if each for at in each.latencies if at and at.tpot is not None] for rounds in periods
    ]
    return {
        name: tuple(median(getattr(at, name) for at in found) if found else None for found in served)
        for name in ("ttft", "tpot", "e2e")
    }


def _total(rounds: Sequence[StoredRound], name: str) -> float | None:
    """The sum of one counter over rounds; None if no round has it."""
    found = [value for each in rounds if (value := getattr(each.engine, name)) is not None]
    return float(sum(found)) if found else None


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _gauge(gauges: Sequence[Gauge | None]) -> Gauge | None:
    """The median of the rounds' medians, and the maximum of their maxima."""
    seen = [gauge for gauge in gauges if gauge]
    return Gauge(median=median(s.median for s in seen), max=max(s.max for s in seen)) if seen else None


def _gpu_names(rounds: Sequence[StoredRound]) -> list[str]:
    return sorted({name for each in rounds for name in each.engine.gpu})


def _client_bound(rounds: Sequence[StoredRound]) -> str | None:
    """Why the client was the bottleneck in the first such round; None if there is none."""
    reasons = (client_bound(each.flow, each.engine.client_cpu) for each in rounds)
    return next((reason for reason in reasons if reason), None)


def _prefix_fault(bench: StoredBench, arm: Arm, cell: Cell) -> str | None:
    """What is wrong with the first round whose prefix-cache hits differ from the scenario's; None if there is none."""
    for period in bench.of(arm):
        facts = period.engines[-1].facts if period.engines else None
        block = facts.block_size if facts else None
        for each in cell.rounds:
            engine = stored.engine if (stored := period.rounds.get(each.id)) else None
            fault = prefix_fault(each, engine.prefix_queries, engine.prefix_hits, block) if engine else None
            if fault:
                return fault
    return None
