"""The charts of a report, as SVG: what was lost by length, what was right by depth, and how fast tokens came."""

import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from io import StringIO
from operator import itemgetter
from statistics import fmean
from textwrap import fill
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from kveval.arms import BASELINE, CONTROL
from kveval.errors import first_line
from kveval.report.tables import compared_cells
from kveval.wording.format import at_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ARMS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers too
_NEUTRAL = "#8a8a8a"  # the control
_MARKERS = {"pass": "o", "inconclusive": "d", "degraded": "v", "weak baseline": "x", "invalid": "X", None: "."}
_DASHED: Any = {"linewidth": 0.9, "linestyle": (0, (4, 3))}
_WIDTH = 3.6  # inches, of a panel
_IN_A_ROW = 3  # panels of this width, or more that are narrower
_LETTERS = 9  # of a title, an inch
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "text.parse_math": False,  # names may hold a $
    "svg.fonttype": "none",
    "svg.hashsalt": "kveval",
}

Cells = Sequence[Mapping[str, Any]]
Draw = Callable[[Mapping[str, Any]], "Figure | None"]


def accuracy_charts(report: Mapping[str, Any]) -> dict[str, str]:
    """SVG by name: `by-length` and `by-depth`, where the report has figures for them."""
    return _drawn({"by-length": _by_length, "by-depth": _by_depth}, report)


def speed_charts(results: Mapping[str, Any]) -> dict[str, str]:
    """SVG by name: `tpot`, where a pass measured several contexts, one request at a time."""
    return _drawn({"tpot": _tpot}, results)


def _drawn(charts: Mapping[str, Draw], figures: Mapping[str, Any]) -> dict[str, str]:
    """The charts for which there are figures. One that fails says so in its place: no report is lost for a picture."""
    drawn = {}
    for name, draw in charts.items():
        try:
            with _plain_matplotlib():
                figure = draw(figures)
                svg = _svg(figure) if figure else None
        except Exception as error:  # whatever a plotting library meets
            svg = _failed(error)
        if svg:
            drawn[name] = svg
    return drawn


@contextmanager
def _plain_matplotlib() -> Iterator[None]:
    """matplotlib as it comes: no notebook's backend and nobody's matplotlibrc decides what a report looks like."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of caches that it makes
    kept = {name: os.environ.pop(name, None) for name in ("MPLBACKEND", "MATPLOTLIBRC")}
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        from matplotlib import rc_context, style
    finally:
        del os.environ["MATPLOTLIBRC"]
        os.environ.update({name: value for name, value in kept.items() if value is not None})
    with style.context("default"), rc_context(_STYLE), catch_warnings():
        simplefilter("ignore", UserWarning)  # a browser has the letters that the fonts here lack
        yield


def _by_length(report: Mapping[str, Any]) -> "Figure | None":
    """A panel for each task: arm minus auto with its interval over the lengths, the control's beside it in grey."""
    cells = [cell for cell in report["cells"] if cell["difference"] is not None]
    tasks = list(dict.fromkeys(cell["task"] for cell in cells))
    if not tasks:
        return None
    arms = list(dict.fromkeys(cell["arm"] for cell in cells))
    colors = _colors(arms)
    rows = [tasks[start : start + _IN_A_ROW] for start in range(0, len(tasks), _IN_A_ROW)]
    figure, panels = _panels(rows, height=2.7)
    for task in tasks:
        panel, mine = panels[task], [cell for cell in cells if cell["task"] == task]
        lengths = _lengths(mine)
        scale = 1.0 if mine[0]["measure"] == "similarity" else 100.0
        panel.axhline(0, color="black", linewidth=0.6)
        panel.axhline(-scale * report["margin"], color="black", **_DASHED)
        for cell in mine:
            x = lengths.index(cell["length"]) + _aside(arms, cell["arm"])
            value, (low, high) = scale * cell["difference"], (scale * limit for limit in cell["interval"])
            color = colors[cell["arm"]]
            panel.plot([x, x], [low, high], color=color, linewidth=1.4)
            panel.plot([x], [value], color=color, marker=_MARKERS[cell["verdict"]], markersize=6, linestyle="none")
        _length_axis(panel, mine)
        panel.set_ylabel("similarity" if scale == 1.0 else "points")
    verdicts = dict.fromkeys(cell["verdict"] for cell in cells if cell["verdict"])
    shapes: list[tuple[str, Any]] = [
        (verdict, {"color": "black", "marker": _MARKERS[verdict], "linestyle": "none"}) for verdict in verdicts
    ]
    _legend(figure, {arm: colors[arm] for arm in arms}, [*shapes, ("margin", {"color": "black", **_DASHED})])
    return figure


def _by_depth(report: Mapping[str, Any]) -> "Figure | None":
    """A row for each task, of a map for auto and one for each arm: right answers by length and by where in the document they
    lie. Auto's is made of the pairs with the arm that has most of them."""
    cells = [cell for cell in compared_cells(report) if cell["depths"]]
    arms = list(dict.fromkeys(cell["arm"] for cell in cells))
    maps: dict[str, tuple[str, Cells]] = {}
    rows = []
    for task in dict.fromkeys(cell["task"] for cell in cells):
        mine = [cell for cell in cells if cell["task"] == task]
        row = {f"{task}, {BASELINE}": ("_baseline", mine)}
        row |= {f"{task}, {arm}": ("", [cell for cell in mine if cell["arm"] == arm]) for arm in arms}
        rows.append([title if of else "" for title, (_, of) in row.items()])
        maps |= {title: (side, of) for title, (side, of) in row.items() if of}
    if not maps:
        return None
    figure, panels = _panels(rows, height=2.4)
    for title, (side, of) in maps.items():
        panel, lengths = panels[title], _lengths(of)
        ends = {part["from"]: part["to"] for cell in of for part in cell["depths"]}
        bins = sorted(ends)
        tiles: dict[tuple[int, int], tuple[int, float, str]] = {}
        for cell in of:
            for part in cell["depths"]:
                place = lengths.index(cell["length"]), bins.index(part["from"])
                tiles[place] = max(tiles.get(place, (0, 0.0, "")), _share(part, cell, side), key=itemgetter(0))
        for place, (_, value, text) in tiles.items():
            _tile(panel, *place, value, text)
        _length_axis(panel, of)
        panel.set_yticks(range(len(bins)), [f"{100 * start:.0f}–{100 * ends[start]:.0f}%" for start in bins])
        panel.set_ylim(len(bins) - 0.5, -0.5)
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    return figure


def _tpot(results: Mapping[str, Any]) -> "Figure | None":
    """Median TPOT over the context, one request at a time, with the least that the memory's bandwidth allows."""
    points = [point for point in results["limits"] if point["load"] == "single" and point["tpot"]]
    points = [point for point in points if point["arm"] != CONTROL]
    arms = list(dict.fromkeys(point["arm"] for point in points))
    contexts = sorted({point["context"] for point in points})
    if len(contexts) < 2:
        return None
    colors = _colors(arms) | {BASELINE: "black"}
    figure, panels = _panels([[""]], height=3.0, width=5.4)
    panel = panels[""]
    for arm in arms:
        mine = [point for point in points if point["arm"] == arm]
        panel.plot(*_milliseconds(mine, "tpot"), color=colors[arm], marker="o", markersize=4)
        if known := [point for point in mine if point["limit"]]:
            panel.plot(*_milliseconds(known, "limit"), color=colors[arm], **_DASHED)
    panel.set_xlabel("context, tokens")
    panel.set_xticks(list(_apart(contexts)))
    panel.xaxis.set_major_formatter(lambda context, _: f"{context:,.0f}")
    panel.set_ylabel("TPOT, ms")
    panel.set_ylim(bottom=0)
    limit: list[tuple[str, Any]] = [("limit of the memory's bandwidth", {"color": "black", **_DASHED})]
    _legend(figure, {arm: colors[arm] for arm in arms}, limit if any(point["limit"] for point in points) else [])
    return figure


def _milliseconds(points: Cells, name: str) -> tuple[list[int], list[float]]:
    """Contexts and times, a mean where scenarios share a context."""
    at = defaultdict(list)
    for point in points:
        at[point["context"]].append(1000 * point[name])
    return sorted(at), [fmean(at[context]) for context in sorted(at)]


def _apart(contexts: Sequence[int]) -> Iterator[int]:
    """The contexts that can be written along the axis without touching, from the longest down."""
    last = float("inf")
    for context in reversed(contexts):
        if last - context > 0.09 * contexts[-1]:
            yield context
            last = context


def _share(part: Mapping[str, Any], cell: Mapping[str, Any], side: str) -> tuple[int, float, str]:
    """What a tile is made of and shows: answers, the share from 0 to 1, and that as text."""
    n = part["n"]
    if cell["measure"] == "similarity":
        score = part[f"score{side}"]
        return n, score, f"{score:.2f}"
    return n, part[f"right{side}"] / n, f"{part[f'right{side}']}/{n}"


def _tile(panel: "Axes", column: int, row: int, value: float, text: str) -> None:
    from matplotlib import colormaps

    shade = colormaps["Blues"](0.05 + 0.85 * (1 - value) ** 0.6)  # small losses show, too
    panel.bar(column, 1, width=1, bottom=row - 0.5, color=shade, edgecolor="white", linewidth=1.5)
    panel.text(column, row, text, ha="center", va="center", color="black" if value > 0.6 else "white", fontsize=8)


def _panels(rows: Sequence[Sequence[str]], *, height: float, width: float = _WIDTH) -> "tuple[Figure, dict[str, Axes]]":
    """A figure with rows of panels, by their titles; an empty title among others leaves its place free."""
    from matplotlib.figure import Figure

    columns = max(map(len, rows))
    width = max(1.8, min(width, _IN_A_ROW * _WIDTH / columns))
    figure = Figure(figsize=(width * columns, height * len(rows) + 0.4), layout="constrained")
    panels = {}
    for row, titles in enumerate(rows):
        for column, title in enumerate(titles):
            if title or columns == 1:
                panels[title] = figure.add_subplot(len(rows), columns, row * columns + column + 1)
                panels[title].set_title(fill(title, int(_LETTERS * width)))
    return figure, panels


def _lengths(cells: Cells) -> list[int]:
    return sorted({cell["length"] for cell in cells})


def _length_axis(panel: "Axes", cells: Cells) -> None:
    names = {cell["length"]: at_length(cell) for cell in cells}
    panel.set_xticks(range(len(names)), [names[length] for length in _lengths(cells)])
    panel.set_xlim(-0.5, len(names) - 0.5)


def _colors(arms: Sequence[str]) -> dict[str, Any]:
    from matplotlib import colormaps

    others = [arm for arm in arms if arm not in (BASELINE, CONTROL)]
    if len(others) <= len(_ARMS):
        told_apart: dict[str, Any] = dict(zip(others, _ARMS, strict=False))
    else:
        told_apart = {arm: colormaps["turbo"]((k + 0.5) / len(others)) for k, arm in enumerate(others)}
    return {BASELINE: _NEUTRAL, CONTROL: _NEUTRAL, **told_apart}


def _aside(arms: Sequence[str], arm: str) -> float:
    """How far beside its length a point stands, so that arms do not hide each other."""
    return min(0.16, 0.8 / len(arms)) * (arms.index(arm) - (len(arms) - 1) / 2)


def _legend(figure: "Figure", colors: Mapping[str, Any], signs: Iterable[tuple[str, Any]]) -> None:
    """The arms by their colours and what else is drawn, below the figure, in as many columns as it is wide."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=color, linewidth=3, label=arm) for arm, color in colors.items()]
    handles += [Line2D([], [], label=name, **look) for name, look in signs]
    longest = max(len(str(handle.get_label())) for handle in handles)
    width = figure.get_figwidth()
    columns = max(1, min(len(handles), int(width / (0.5 + 0.075 * longest))))
    figure.set_figheight(figure.get_figheight() + 0.2 * -(-len(handles) // columns))
    figure.legend(handles=handles, loc="outside lower left", ncols=columns, handlelength=1.4)


def _svg(figure: "Figure") -> str:
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _failed(error: Exception) -> str:
    said = escape(f"This chart could not be drawn: {type(error).__name__}: {first_line(error)[:200]}")
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="30"><text y="20" font-size="13">{said}</text></svg>\n'
