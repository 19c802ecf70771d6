"""The tables of a throughput pass."""

import math

from kveval.arms import BASELINE
from kveval.report.tables import Table, without_empty
from kveval.store.bench_records import Gauge
from kveval.store.bench_results_schema import BenchResults, CellFigures, Estimate, Measure, Ratio, Spread
from kveval.throughput.speed_verdicts import AS_ASKED
from kveval.wording.format import NONE, percent, signed

MEASURES: dict[Measure, str] = {"ttft": "TTFT", "tpot": "TPOT", "throughput": "tokens/s"}
PERCENTILES = ("mean", "p50", "p90", "p95", "p99")
GIB = 2**30


def milliseconds(seconds: float | None) -> str:
    """With three digits or more: 4.93, 51.2, 1,190."""
    if seconds is None:
        return NONE
    value = 1000 * seconds
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def change(ratio: Ratio | None) -> str:
    """`−8.2% [−9.0, −7.4]`; with the interval of a log-ratio turned into shares."""
    if ratio is None:
        return NONE
    value, low, high = (share(log) for log in (ratio.log, *ratio.interval))
    return f"{value}% [{low}, {high}]"


def share(log: float) -> str:
    """A log-ratio as a change in per cent; one beyond tenfold as more than that."""
    return "> +900" if log > math.log(10) else signed(100 * math.expm1(log), 1)


def summary_table(results: BenchResults) -> Table:
    """A row for each scenario, load and arm: what a reader asks first."""
    columns = (
        "scenario",
        "load",
        "arm",
        "n",
        "errors",
        "TTFT ms",
        "TPOT ms",
        "E2E ms",
        "output tokens/s",
        "total tokens/s",
        "KV use",
        "preempted",
    )
    rows = tuple(
        (
            *(each.scenario, each.load, each.arm),
            str(each.requests),
            _errors(each),
            *(
                milliseconds(summary.p50 if summary else None)
                for summary in (each.latency.ttft, each.latency.tpot, each.latency.e2e)
            ),
            _spread(each.output_tokens_per_s),
            _number(each.total_tokens_per_s.median) if each.total_tokens_per_s else NONE,
            percent(each.kv_usage.max) if each.kv_usage else NONE,
            _number(each.preemptions),
        )
        for each in results.figures
    )
    return Table(columns, rows, frozenset(columns) - {"scenario", "load", "arm"})


def speed_table(results: BenchResults) -> Table:
    """A row for each scenario, load, arm and measure beside the baseline: change, floor and verdict."""
    columns = ("scenario", "load", "arm", "measure", "change [95%]", "floor", "verdict")
    rows = []
    for cell in results.cells:
        for name, called in MEASURES.items():
            measure = cell.measure(name)
            if measure.because != AS_ASKED:
                floor = NONE if measure.floor is None else f"{share(measure.floor).replace('+', '')}%"
                verdict = f"{measure.verdict}{', accuracy degraded' * bool(cell.accuracy)}"
                where = (cell.scenario, cell.load, cell.arm, called)
                rows.append((*where, change(measure.ratio), floor, verdict))
    return Table(columns, tuple(rows), frozenset({"change [95%]", "floor"}))


def latency_table(results: BenchResults) -> Table:
    """A row for each scenario, load, arm and latency: mean and percentiles, and the median on each server."""
    columns = ("scenario", "load", "arm", "latency", "n", *PERCENTILES, "p50 by server")
    rows = tuple(
        (
            *(each.scenario, each.load, each.arm),
            "E2E" if name == "e2e" else name.upper(),
            f"{summary.n:,}",
            *(milliseconds(getattr(summary, percentile)) for percentile in PERCENTILES),
            ", ".join(map(milliseconds, each.by_server.get(name, ()))) or NONE,
        )
        for each in results.figures
        for name, summary in each.latency.items()
        if summary
    )
    return Table(columns, rows, frozenset(("n", *PERCENTILES, "p50 by server")))


def engine_table(results: BenchResults) -> Table:
    """A row for each scenario, load and arm: queue, cache, GPU, and load generator accuracy."""
    columns = (
        *("scenario", "load", "arm", "running", "waiting", "queued ms", "KV use", "prefix hits", "preempted"),
        *("GPU busy", "GPU GiB", "sent late ms", "rate sent", "client CPU", "queue"),
    )
    rows = tuple(
        (
            *(each.scenario, each.load, each.arm),
            _gauge(each.running),
            _gauge(each.waiting),
            milliseconds(each.queue_seconds),
            _gauge(each.kv_usage, share=True),
            percent(each.prefix_hit_rate),
            _number(each.preemptions),
            _gauge(each.gpu.get("gpu_busy"), share=True),
            _memory(each.gpu.get("memory_bytes")),
            milliseconds(each.lateness.median) if each.lateness else NONE,
            percent(each.rate_sent.median) if each.rate_sent else NONE,
            percent(each.client_cpu.median) if each.client_cpu else NONE,
            each.queue or NONE,
        )
        for each in results.figures
    )
    table = Table(columns, rows, frozenset(columns) - {"scenario", "load", "arm", "queue"})
    return without_empty(table, "GPU busy", "GPU GiB")


def limits_table(results: BenchResults) -> Table:
    """A row for each cell with a decode limit."""
    columns = ("scenario", "load", "arm", "context", "weights GB", "KV GB", "limit ms", "TPOT ms", "limit ÷ TPOT")
    rows = tuple(
        (
            *(each.scenario, each.load, each.arm),
            f"{each.context:,}",
            f"{each.weight_bytes / 1e9:.2f}",
            f"{each.kv_bytes / 1e9:.2f}",
            milliseconds(each.limit),
            milliseconds(each.tpot),
            percent(each.share),
        )
        for each in results.limits
    )
    return Table(columns, rows, frozenset(columns) - {"scenario", "load", "arm"})


def lines_table(results: BenchResults) -> Table:
    """A row for each load and arm: intercept, slope and break-even."""
    columns = (
        "load",
        "arm",
        "contexts",
        "intercept ms [95%]",
        "slope ns/token [95%]",
        "of auto's slope",
        "misfit",
        "break-even tokens [95%]",
    )
    base = {line.load: line.slope.value for line in results.lines if line.arm == BASELINE}
    rows = tuple(
        (
            line.load,
            line.arm,
            " to ".join(f"{tokens:,}" for tokens in (line.contexts[0], line.contexts[-1])),
            _estimate(line.intercept, 1e3, 2),
            _estimate(line.slope, 1e9, 1),
            percent(line.slope.value / base[line.load]) if base.get(line.load, 0) > 0 else NONE,
            percent(line.misfit),
            _break_even(line.break_even) if line.break_even else NONE,
        )
        for line in results.lines
    )
    return Table(columns, rows, frozenset(columns) - {"load", "arm"})


def capacity_table(results: BenchResults) -> Table:
    """A row for each scenario and arm: how many sequences fit, and what limits them."""
    token_bytes = {cache.kv_dtype: cache.token_bytes for cache in results.memory.caches}
    columns = ("scenario", "arm", "tokens", "KV bytes a token", "fit in the pool", "max-num-seqs", "most sent", "limit")
    rows = tuple(
        (
            each.scenario,
            each.arm,
            f"{each.length:,}",
            _range(token_bytes.get(results.arms[each.arm].kv_dtype_asked)),
            f"{each.fits:,}",
            _number(each.max_num_seqs),
            _number(each.most_sent),
            each.limit or NONE,
        )
        for each in results.capacity
    )
    return Table(columns, rows, frozenset(columns) - {"scenario", "arm", "limit"})


def arms_table(results: BenchResults) -> Table:
    """A row for each arm: what its servers really ran."""
    columns = ("arm", "asked", "cache holds", "KV pool tokens", "scales", "attention", "servers", "starts")
    rows = tuple(
        (
            name,
            arm.kv_dtype_asked,
            arm.kv_dtype_effective,
            _number(arm.kv_pool_tokens),
            arm.scales or NONE,
            arm.attention_backend or "not reported",
            str(arm.engines),
            ", ".join(f"{seconds:.0f} s" for seconds in arm.start_seconds),
        )
        for name, arm in results.arms.items()
    )
    return Table(columns, rows, frozenset({"KV pool tokens", "servers"}))


def _errors(each: CellFigures) -> str:
    """`3 (1.5%): 2 timeout, 1 http 500`."""
    if not each.errors:
        return "0"
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(each.errors.items()))
    return f"{sum(each.errors.values())} ({percent(each.error_rate)}): {kinds}"


def _spread(spread: Spread | None) -> str:
    return f"{spread.median:,.1f} ({spread.least:,.1f} to {spread.most:,.1f})" if spread else NONE


def _gauge(gauge: Gauge | None, *, share: bool = False) -> str:
    if not gauge:
        return NONE
    return " / ".join(percent(value) if share else f"{value:g}" for value in (gauge.median, gauge.max))


def _memory(gauge: Gauge | None) -> str:
    return f"{gauge.max / GIB:.1f}" if gauge else NONE


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def _range(limits: tuple[int, int] | None) -> str:
    if not limits:
        return NONE
    least, most = limits
    return f"{least:,}" if least == most else f"{least:,} – {most:,}"


def _break_even(estimate: Estimate) -> str:
    """In tokens; a context below zero is none, and how far below says nothing."""
    value, *limits = ("< 0" if each < 0 else f"{each:,.0f}" for each in (estimate.value, *(estimate.interval or ())))
    return f"{value} [{', '.join(limits) if limits else 'not bounded'}]"


def _estimate(estimate: Estimate, scale: float, digits: int) -> str:
    limits = estimate.interval
    value = f"{scale * estimate.value:,.{digits}f}"
    if limits is None:
        return f"{value} [not bounded]"
    low, high = (f"{scale * limit:,.{digits}f}" for limit in limits)
    return f"{value} [{low}, {high}]".replace("-", "−")
