"""What every chart shares: matplotlib with fixed settings, panels, colours, legends, and SVG."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from io import StringIO
from textwrap import fill
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from kveval.arms import BASELINE, CONTROL
from kveval.errors import first_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ARMS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers too
_NEUTRAL = "#8a8a8a"  # the control
DASHED: Any = {"linewidth": 0.9, "linestyle": (0, (4, 3))}
PANEL_WIDTH = 3.6  # inches, of a panel
PANELS_IN_A_ROW = 3  # panels of this width, or more that are narrower
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


def draw_charts(charts: Mapping[str, Callable[[], "Figure | None"]]) -> dict[str, str]:
    """SVG by name, for those charts that have figures. A chart that fails shows why in its place: no report is lost for it."""
    drawn = {}
    for name, draw in charts.items():
        try:
            with _plain_matplotlib():
                figure = draw()
                svg = _svg(figure) if figure else None
        except Exception as error:  # whatever a plotting library meets
            svg = _failed(error)
        if svg:
            drawn[name] = svg
    return drawn


@contextmanager
def _plain_matplotlib() -> Iterator[None]:
    """matplotlib with its own defaults: neither a notebook's backend nor a matplotlibrc changes how a report looks."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it logs the caches that it makes
    kept = {name: os.environ.pop(name, None) for name in ("MPLBACKEND", "MATPLOTLIBRC")}
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        from matplotlib import rc_context, style
    finally:
        del os.environ["MATPLOTLIBRC"]
        os.environ.update({name: value for name, value in kept.items() if value is not None})
    with style.context("default"), rc_context(_STYLE), catch_warnings():
        simplefilter("ignore", UserWarning)  # browsers have glyphs that the fonts here lack
        yield


def make_panels(
    rows: Sequence[Sequence[str]], *, height: float, width: float = PANEL_WIDTH
) -> "tuple[Figure, dict[str, Axes]]":
    """A figure with rows of panels, by their titles; an empty title among others leaves its place free."""
    from matplotlib.figure import Figure

    columns = max(map(len, rows))
    width = max(1.8, min(width, PANELS_IN_A_ROW * PANEL_WIDTH / columns))
    figure = Figure(figsize=(width * columns, height * len(rows) + 0.4), layout="constrained")
    panels = {}
    for row, titles in enumerate(rows):
        for column, title in enumerate(titles):
            if title or columns == 1:
                panels[title] = figure.add_subplot(len(rows), columns, row * columns + column + 1)
                panels[title].set_title(fill(title, int(_LETTERS * width)))
    return figure, panels


def arm_colors(arms: Sequence[str]) -> dict[str, Any]:
    from matplotlib import colormaps

    others = [arm for arm in arms if arm not in (BASELINE, CONTROL)]
    if len(others) <= len(_ARMS):
        distinct: dict[str, Any] = dict(zip(others, _ARMS, strict=False))
    else:
        distinct = {arm: colormaps["turbo"]((k + 0.5) / len(others)) for k, arm in enumerate(others)}
    return {BASELINE: _NEUTRAL, CONTROL: _NEUTRAL, **distinct}


def add_legend(figure: "Figure", colors: Mapping[str, Any], signs: Iterable[tuple[str, Any]]) -> None:
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
