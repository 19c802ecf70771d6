"""Chart of a throughput pass: the time per token over the context, with the limit set by memory bandwidth."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from kveval.arms import BASELINE, CONTROL
from kveval.report.chart_canvas import DASHED, add_legend, arm_colors, draw_charts, make_panels
from kveval.store.bench_results_schema import BenchResults, DecodeLimit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def speed_charts(results: BenchResults) -> dict[str, str]:
    """SVG charts by name: `tpot`, if a pass measured several contexts with one request at a time."""
    return draw_charts({"tpot": lambda: _tpot(results)})


def _tpot(results: BenchResults) -> "Figure | None":
    """Median TPOT over the context, one request at a time, with the minimum that memory bandwidth allows."""
    points = [point for point in results.limits if point.load == "single" and point.tpot]
    points = [point for point in points if point.arm != CONTROL]
    arms = list(dict.fromkeys(point.arm for point in points))
    contexts = sorted({point.context for point in points})
    if len(contexts) < 2:
        return None
    colors = arm_colors(arms) | {BASELINE: "black"}
    figure, panels = make_panels([[""]], height=3.0, width=5.4)
    panel = panels[""]
    for arm in arms:
        mine = [point for point in points if point.arm == arm]
        panel.plot(*_milliseconds(mine, "tpot"), color=colors[arm], marker="o", markersize=4)
        if known := [point for point in mine if point.limit]:
            panel.plot(*_milliseconds(known, "limit"), color=colors[arm], **DASHED)
    panel.set_xlabel("context, tokens")
    panel.set_xticks(list(_apart(contexts)))
    panel.xaxis.set_major_formatter(lambda context, _: f"{context:,.0f}")
    panel.set_ylabel("TPOT, ms")
    panel.set_ylim(bottom=0)
    limit: list[tuple[str, Any]] = [("limit of the memory's bandwidth", {"color": "black", **DASHED})]
    add_legend(figure, {arm: colors[arm] for arm in arms}, limit if any(point.limit for point in points) else [])
    return figure


def _milliseconds(points: Sequence[DecodeLimit], name: str) -> tuple[list[int], list[float]]:
    """Contexts and times in milliseconds; the mean time if scenarios share a context."""
    at = defaultdict(list)
    for point in points:
        at[point.context].append(1000 * getattr(point, name))
    return sorted(at), [fmean(at[context]) for context in sorted(at)]


def _apart(contexts: Sequence[int]) -> Iterator[int]:
    """The contexts whose labels fit along the axis without overlapping, from the longest down."""
    last = float("inf")
    for context in reversed(contexts):
        if last - context > 0.09 * contexts[-1]:
            yield context
            last = context
