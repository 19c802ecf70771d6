"""The charts of a report, as SVG: what was lost by length, what was right by depth, and how fast tokens came."""

import logging
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from kveval.arms import BASELINE, CONTROL
from kveval.report.figures import at_length
from kveval.report.tables import compared_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ARMS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers too
_NEUTRAL = "#8a8a8a"  # auto and control
_MARKERS = {"pass": "o", "inconclusive": "d", "degraded": "v", "weak baseline": "x", "invalid": "x", None: "."}
_SHAPES = {"pass": "●", "inconclusive": "◆", "degraded": "▼", "weak baseline": "×", "invalid": "×"}
_DASHED: Any = {"linewidth": 0.9, "linestyle": (0, (4, 3))}
_WIDTH = 3.6  # inches, of a panel
_PANELS = 3  # in a row
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "text.parse_math": False,  # names may hold a $
    "svg.fonttype": "none",
    "svg.hashsalt": "kveval",
}

Cells = Sequence[Mapping[str, Any]]


def accuracy_charts(report: Mapping[str, Any]) -> dict[str, str]:
    """SVG by name: `by-length` and `by-depth`, where the report has figures for them."""
    return _drawn({"by-length": _by_length, "by-depth": _by_depth}, report)


def speed_charts(results: Mapping[str, Any]) -> dict[str, str]:
    """SVG by name: `tpot`, where a pass measured several contexts, one request at a time."""
    return _drawn({"tpot": _tpot}, results)


def _drawn(
    charts: Mapping[str, Callable[[Mapping[str, Any]], "Figure | None"]], figures: Mapping[str, Any]
) -> dict[str, str]:
    from matplotlib import rc_context

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of caches that it makes
    with rc_context(_STYLE), catch_warnings():
        simplefilter("ignore", UserWarning)  # a browser has the letters that the fonts here lack
        drawn = {name: draw(figures) for name, draw in charts.items()}
        return {name: _svg(figure) for name, figure in drawn.items() if figure}


def _by_length(report: Mapping[str, Any]) -> "Figure | None":
    """A panel for each task: arm minus auto with its interval over the lengths, the control's beside it in grey."""
    cells = [cell for cell in report["cells"] if cell["difference"] is not None]
    tasks = list(dict.fromkeys(cell["task"] for cell in cells))
    if not tasks:
        return None
    arms = list(dict.fromkeys(cell["arm"] for cell in cells))
    colors = _colors(arms)
    figure, panels = _panels(len(tasks), height=2.7)
    for panel, task in zip(panels, tasks, strict=True):
        mine = [cell for cell in cells if cell["task"] == task]
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
        panel.set_title(task, loc="left", fontweight="bold")
        panel.set_ylabel("similarity" if scale == 1.0 else "points")
    shapes = dict.fromkeys(cell["verdict"] for cell in cells if cell["verdict"])
    said = " · ".join([*(f"{_SHAPES[verdict]} {verdict}" for verdict in shapes), "- - - margin"])
    _legend(figure, {arm: colors[arm] for arm in arms}, said)
    return figure


def _by_depth(report: Mapping[str, Any]) -> "Figure | None":
    """For each task, a map for auto and one for each arm: right answers by length and by where in the document they lie."""
    cells = [cell for cell in compared_cells(report) if cell["depths"]]
    arms = list(dict.fromkeys(cell["arm"] for cell in cells))
    maps = []
    for task in dict.fromkeys(cell["task"] for cell in cells):
        by_arm = {arm: [cell for cell in cells if (cell["task"], cell["arm"]) == (task, arm)] for arm in arms}
        maps.append((f"{task}, {BASELINE}", max(by_arm.values(), key=len), "_baseline"))
        maps += [(f"{task}, {arm}", mine, "") for arm, mine in by_arm.items() if mine]
    if not maps:
        return None
    figure, panels = _panels(len(maps), height=2.4, in_a_row=min(_PANELS, 1 + len(arms)))  # a row for each task
    for panel, (title, mine, side) in zip(panels, maps, strict=True):
        lengths = _lengths(mine)
        bins = sorted({part["from"] for cell in mine for part in cell["depths"]})
        for cell in mine:
            for part in cell["depths"]:
                _tile(panel, lengths.index(cell["length"]), bins.index(part["from"]), _share(part, cell, side))
        _length_axis(panel, mine)
        ends = {part["from"]: part["to"] for cell in mine for part in cell["depths"]}
        panel.set_yticks(range(len(bins)), [f"{100 * start:.0f}–{100 * ends[start]:.0f}%" for start in bins])
        panel.set_ylim(len(bins) - 0.5, -0.5)
        panel.set_title(title, loc="left", fontweight="bold")
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    return figure


def _tpot(results: Mapping[str, Any]) -> "Figure | None":
    """Median TPOT over the context, one request at a time, with the least that the memory's bandwidth allows."""
    points = [point for point in results["limits"] if point["load"] == "single" and point["tpot"]]
    points = sorted((point for point in points if point["arm"] != CONTROL), key=itemgetter("context"))
    arms = list(dict.fromkeys(point["arm"] for point in points))
    contexts = sorted({point["context"] for point in points})
    if len(contexts) < 2:
        return None
    known = all(point["limit"] for point in points)
    colors = _colors(arms) | {BASELINE: "black"}
    figure, (panel,) = _panels(1, height=3.0, width=5.4)
    for arm in arms:
        mine = [point for point in points if point["arm"] == arm]
        at = [point["context"] for point in mine]
        panel.plot(at, [1000 * point["tpot"] for point in mine], color=colors[arm], marker="o", markersize=4)
        if known:
            panel.plot(at, [1000 * point["limit"] for point in mine], color=colors[arm], **_DASHED)
    panel.set_xlabel("context, tokens")
    panel.set_xticks(contexts)
    panel.xaxis.set_major_formatter(lambda context, _: f"{context:,.0f}")
    panel.set_ylabel("TPOT, ms")
    panel.set_ylim(bottom=0)
    _legend(figure, {arm: colors[arm] for arm in arms}, "- - - limit of the memory's bandwidth" if known else "")
    return figure


def _share(part: Mapping[str, Any], cell: Mapping[str, Any], side: str) -> tuple[float, str]:
    """What a tile shows, from 0 to 1 and as text."""
    if cell["measure"] == "similarity":
        score = part[f"score{side}"]
        return score, f"{score:.2f}"
    return part[f"right{side}"] / part["n"], f"{part[f'right{side}']}/{part['n']}"


def _tile(panel: "Axes", column: int, row: int, share: tuple[float, str]) -> None:
    from matplotlib import colormaps

    value, text = share
    shade = colormaps["Blues"](0.05 + 0.85 * (1 - value) ** 0.6)  # small losses show, too
    panel.bar(column, 1, width=1, bottom=row - 0.5, color=shade, edgecolor="white", linewidth=1.5)
    panel.text(column, row, text, ha="center", va="center", color="black" if value > 0.6 else "white", fontsize=8)


def _panels(
    number: int, *, height: float, width: float = _WIDTH, in_a_row: int = _PANELS
) -> "tuple[Figure, list[Axes]]":
    """A figure with so many panels, row by row."""
    from matplotlib.figure import Figure

    columns = min(number, in_a_row)
    rows = -(-number // columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.4), layout="constrained")
    panels = [figure.add_subplot(rows, columns, k + 1) for k in range(number)]
    return figure, panels


def _lengths(cells: Cells) -> list[int]:
    return sorted({cell["length"] for cell in cells})


def _length_axis(panel: "Axes", cells: Cells) -> None:
    names = {cell["length"]: at_length(cell) for cell in cells}
    panel.set_xticks(range(len(names)), [names[length] for length in _lengths(cells)])
    panel.set_xlim(-0.5, len(names) - 0.5)


def _colors(arms: Sequence[str]) -> dict[str, str]:
    others = [arm for arm in arms if arm not in (BASELINE, CONTROL)]
    return {BASELINE: _NEUTRAL, CONTROL: _NEUTRAL} | {arm: _ARMS[k % len(_ARMS)] for k, arm in enumerate(others)}


def _aside(arms: Sequence[str], arm: str) -> float:
    """How far beside its length a point stands, so that arms do not hide each other."""
    return min(0.16, 0.8 / len(arms)) * (arms.index(arm) - (len(arms) - 1) / 2)


def _legend(figure: "Figure", colors: Mapping[str, str], said: str) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=color, linewidth=3, label=arm) for arm, color in colors.items()]
    handles.append(Line2D([], [], linestyle="none", label=said))
    figure.legend(handles=handles, loc="outside lower left", ncols=len(handles), handlelength=1.2)


def _svg(figure: "Figure") -> str:
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
