"""Reports of a throughput pass for people: tables for the terminal and for Markdown, made from `throughput.json`."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from kveval.report.bench_tables import (
    MEASURES,
    arms_table,
    capacity_table,
    engine_table,
    latency_table,
    limits_table,
    lines_table,
    speed_table,
    summary_table,
)
from kveval.report.console import rich_table
from kveval.report.markdown import bullets, section
from kveval.store.bench_results_schema import NO_VERDICT, SLOWER, BenchResults, SpeedVerdict
from kveval.throughput.speed_verdicts import AS_ASKED, where
from kveval.wording.format import place, plural
from kveval.wording.sentences import machine, pool_line

STYLES: dict[SpeedVerdict, str] = {NO_VERDICT: "yellow", SLOWER: "bold red"}

_SUMMARY = """\
Latencies are medians over all requests of all rounds; tokens/s are medians over rounds, with minimum and maximum for output
tokens. Latencies are defined as in vLLM: TTFT to the first token, TPOT per token after it, E2E to the last token. Failed
requests are excluded from latencies."""

_SPEED = """\
Each arm compared with auto on the same requests: change with its 95% interval over rounds, requests and servers. For TTFT and
TPOT, below zero is faster. The noise floor is the largest change that the interval between auto's two periods contains. The
verdict none means that the change is within the noise floor; the interval shows how large a change the data still allow."""

_LATENCY = "In milliseconds. A percentile is shown only if n supports it: P90 needs 36 values, P95 72, P99 368."
_ENGINE = "From the metrics of the engine and the GPU while rounds ran: median / maximum."
_LIMITS = """\
Minimum time of a decode step, (weights + KV of the sequences that ran) ÷ bandwidth, compared with the median TPOT. With more
than one request in flight, TPOT also includes the prefills of others."""
_LINES = """\
TPOT = intercept + slope × context, fitted over scenarios of fixed lengths, with 95% intervals over servers. Break-even is the
context at which the arm's line meets auto's; misfit is the largest relative deviation of a measured context from the line."""
_CAPACITY = """\
Sequences are counted in full, prompt and answer. The limit is what limited the load with the most requests in flight: the pool,
max-num-seqs, or the client."""


def headline(results: BenchResults) -> str:
    """Model, engine, machine, rounds and periods of a pass, in one line."""
    return (
        f"{results.model} · vLLM {results.vllm} · {machine(results.device, results.host)} · "
        f"{plural(results.rounds, 'round')} in each of "
        f"{plural(len(results.periods), 'period')}: {', '.join(results.periods)} · seed {results.seed}"
    )


def speed_lines(results: BenchResults) -> Iterator[tuple[str, SpeedVerdict]]:
    """Why there is no verdict, a line for each reason, and where accuracy is degraded; each with the verdict that styles it."""
    places: dict[tuple[str, str], dict[str, list[str]]] = {}
    judged: dict[tuple[str, str], list[str]] = {}
    for cell in results.cells:
        at = where(cell)
        for name, called in MEASURES.items():
            if cell.measure(name).because == AS_ASKED:
                continue
            judged.setdefault((cell.arm, at), []).append(called)
            if cell.measure(name).verdict == NO_VERDICT:
                places.setdefault((cell.arm, cell.measure(name).because), {}).setdefault(at, []).append(called)
    for (arm, because), found in places.items():
        named = [at if called == judged[arm, at] else f"{at} {', '.join(called)}" for at, called in found.items()]
        yield f"{arm}: no verdict on {'; '.join(named)}: {because}.", NO_VERDICT
    lost = {(cell.arm, cell.scenario): cell.accuracy for cell in results.cells if cell.accuracy}
    for (arm, scenario), cells in lost.items():
        yield (
            f"{arm}: accuracy is degraded at the lengths of {scenario} (accuracy run): {', '.join(map(place, cells))}.",
            SLOWER,
        )


def print_throughput(console: Console, results: BenchResults, path: str) -> None:
    """Print the figures, the verdicts, and finally the conclusions."""
    console.print()
    console.print(Text(f"Throughput · {headline(results)}", style="bold"))
    for table in (summary_table(results), speed_table(results), limits_table(results), lines_table(results)):
        if table.rows:
            console.print()
            console.print(rich_table(table))
    console.print()
    for line, verdict in speed_lines(results):
        console.print(Text(line, style=STYLES[verdict]))
    console.print(pool_line(results.arms))
    for remark in results.remarks:
        console.print(Text(remark, style="yellow"))
    if results.incomplete:
        console.print(
            Text(
                "This pass is incomplete, or more than 5% of its requests failed. Run the same command to add missing rounds.",
                style="bold red",
            )
        )
    console.print()
    for line in results.advice:
        console.print(Text(line, style="bold"))
    console.print(Text(f"report: {path}"))


def throughput_markdown(results: BenchResults) -> str:
    """The whole pass as a Markdown document."""
    return "\n".join((f"# {results.model}: throughput by KV-cache dtype", "", *throughput_lines(results))) + "\n"


def throughput_lines(results: BenchResults) -> Iterator[str]:
    """The lines of a pass as sections of a report."""
    yield headline(results)
    yield ""
    if results.incomplete:
        yield "**This pass is incomplete**, or more than 5% of its requests failed. Run the same command to add missing rounds."
        yield ""
    yield from (f"**{line}**  " for line in results.advice)
    yield f"{pool_line(results.arms)}."
    yield ""
    yield from bullets(results.remarks)
    yield from section("Speed by scenario and load", summary_table(results), _SUMMARY)
    yield from section("Speed against auto", speed_table(results), _SPEED)
    yield from bullets([line for line, _ in speed_lines(results)])
    yield from section("Latency", latency_table(results), _LATENCY)
    yield from section("Engine under load", engine_table(results), _ENGINE)
    yield from section("Decode limit", limits_table(results), _LIMITS)
    yield from section("Decode by context", lines_table(results), _LINES)
    yield from section("How many fit", capacity_table(results), _CAPACITY)
    yield from section("Servers", arms_table(results))
    arguments = " ".join(results.engine_args) or "none"
    yield (
        f"kveval {results.kveval} · requests {results.workload} · prompts {results.prompts} · arrivals "
        f"{results.arrivals} · engine arguments: {arguments}"
    )
