"""Charts of what was lost: by length with intervals, and by depth."""

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from kveval.arms import BASELINE
from kveval.report.chart_canvas import DASHED, PANELS_IN_A_ROW, add_legend, arm_colors, draw_charts, make_panels
from kveval.report.tables import compared_cells
from kveval.store.report_schema import Cell, DepthPart, Findings
from kveval.wording.format import at_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS: dict[str | None, str] = {
    "pass": "o",
    "inconclusive": "d",
    "degraded": "v",
    "weak baseline": "x",
    "invalid": "X",
    None: ".",
}


def accuracy_charts(report: Findings) -> dict[str, str]:
    """SVG by name: `by-length` and `by-depth`, where the report has figures for them."""
    return draw_charts({"by-length": lambda: _by_length(report), "by-depth": lambda: _by_depth(report)})


def _by_length(report: Findings) -> "Figure | None":
    """A panel for each task: arm minus auto with its interval over the lengths, the control in grey beside it."""
    cells = [cell for cell in report.cells if cell.difference is not None]
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    if not tasks:
        return None
    arms = list(dict.fromkeys(cell.arm for cell in cells))
    colors = arm_colors(arms)
    rows = [tasks[start : start + PANELS_IN_A_ROW] for start in range(0, len(tasks), PANELS_IN_A_ROW)]
    figure, panels = make_panels(rows, height=2.7)
    for task in tasks:
        panel, of_task = panels[task], [cell for cell in cells if cell.task == task]
        lengths = _lengths(of_task)
        scale = 1.0 if of_task[0].measure == "similarity" else 100.0
        panel.axhline(0, color="black", linewidth=0.6)
        panel.axhline(-scale * report.margin, color="black", **DASHED)
        for cell in of_task:
            x = lengths.index(cell.length or 0) + _aside(arms, cell.arm)
            value = scale * (cell.difference or 0.0)
            low, high = (scale * limit for limit in cell.interval or (0.0, 0.0))
            color = colors[cell.arm]
            panel.plot([x, x], [low, high], color=color, linewidth=1.4)
            panel.plot([x], [value], color=color, marker=_MARKERS[cell.verdict], markersize=6, linestyle="none")
        _length_axis(panel, of_task)
        panel.set_ylabel("similarity" if scale == 1.0 else "points")
    verdicts = dict.fromkeys(cell.verdict for cell in cells if cell.verdict)
    shapes: list[tuple[str, Any]] = [
        (verdict, {"color": "black", "marker": _MARKERS[verdict], "linestyle": "none"}) for verdict in verdicts
    ]
    add_legend(figure, {arm: colors[arm] for arm in arms}, [*shapes, ("margin", {"color": "black", **DASHED})])
    return figure


def _by_depth(report: Findings) -> "Figure | None":
    """A row for each task, with a map for auto and one for each arm: right answers by length and by where in the document the
    evidence is. Auto's map uses the pairs with the arm that has most of them."""
    cells = [cell for cell in compared_cells(report) if cell.depths]
    arms = list(dict.fromkeys(cell.arm for cell in cells))
    maps: dict[str, tuple[bool, Sequence[Cell]]] = {}
    rows = []
    for task in dict.fromkeys(cell.task for cell in cells):
        of_task = [cell for cell in cells if cell.task == task]
        row = {f"{task}, {BASELINE}": (True, of_task)}
        row |= {f"{task}, {arm}": (False, [cell for cell in of_task if cell.arm == arm]) for arm in arms}
        rows.append([title if of else "" for title, (_, of) in row.items()])
        maps |= {title: (baseline, of) for title, (baseline, of) in row.items() if of}
    if not maps:
        return None
    figure, panels = make_panels(rows, height=2.4)
    for title, (baseline, of) in maps.items():
        panel, lengths = panels[title], _lengths(of)
        ends = {part.start: part.end for cell in of for part in cell.depths}
        bins = sorted(ends)
        tiles: dict[tuple[int, int], tuple[int, float, str]] = {}
        for cell in of:
            for part in cell.depths:
                place = lengths.index(cell.length or 0), bins.index(part.start)
                tiles[place] = max(tiles.get(place, (0, 0.0, "")), _share(part, cell, baseline), key=itemgetter(0))
        for place, (_, value, text) in tiles.items():
            _tile(panel, *place, value, text)
        _length_axis(panel, of)
        panel.set_yticks(range(len(bins)), [f"{100 * start:.0f}–{100 * ends[start]:.0f}%" for start in bins])
        panel.set_ylim(len(bins) - 0.5, -0.5)
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    return figure


def _share(part: DepthPart, cell: Cell, baseline: bool) -> tuple[int, float, str]:
    """The weight of a tile in answers, its share from 0 to 1, and that as text."""
    right, score = (part.right_baseline, part.score_baseline) if baseline else (part.right, part.score)
    if cell.measure == "similarity":
        return part.n, score, f"{score:.2f}"
    return part.n, right / part.n, f"{right}/{part.n}"


def _tile(panel: "Axes", column: int, row: int, value: float, text: str) -> None:
    from matplotlib import colormaps

    shade = colormaps["Blues"](0.05 + 0.85 * (1 - value) ** 0.6)  # so that small losses are visible
    panel.bar(column, 1, width=1, bottom=row - 0.5, color=shade, edgecolor="white", linewidth=1.5)
    panel.text(column, row, text, ha="center", va="center", color="black" if value > 0.6 else "white", fontsize=8)


def _lengths(cells: Sequence[Cell]) -> list[int]:
    return sorted({cell.length or 0 for cell in cells})


def _length_axis(panel: "Axes", cells: Sequence[Cell]) -> None:
    names = {cell.length or 0: at_length(cell) for cell in cells}
    panel.set_xticks(range(len(names)), [names[length] for length in _lengths(cells)])
    panel.set_xlim(-0.5, len(names) - 0.5)


def _aside(arms: Sequence[str], arm: str) -> float:
    """Horizontal offset of an arm's points from their length, so that arms do not hide each other."""
    return min(0.16, 0.8 / len(arms)) * (arms.index(arm) - (len(arms) - 1) / 2)
