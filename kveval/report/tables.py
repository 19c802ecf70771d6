"""Builds a report's tables as text, for all output formats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kveval.arms import BASELINE, CONTROL
from kveval.config import length_name
from kveval.store.report_schema import Cell, DepthPart, Excess, FaultCount, Findings, Measure, Report
from kveval.wording.format import (
    NONE,
    arm_level,
    at_length,
    baseline_level,
    difference,
    interval,
    p_value,
    percent,
    plural,
    points,
    signed,
)
from kveval.wording.sentences import verdict_line


@dataclass(frozen=True)
class Table:
    """Columns and rows of text. `numeric` columns are right-aligned."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[str] = frozenset()
    metrics: str = ""
    """The metrics behind the figures, with their versions."""


def degradation_table(report: Findings) -> Table:
    """A row for each task, length and arm: baseline, control and arm side by side, and the verdict."""
    controls = _controls(report)
    columns = (
        *("task", "length", "n", "auto", "control lost", "control gained", "arm", "right", "lost", "gained"),
        *("difference [95%]", "p (Holm)", "token diff (control)", "errors", "missing", "verdict"),
    )
    rows = tuple(
        (
            cell.task,
            at_length(cell),
            str(cell.n),
            baseline_level(cell, cell.measure),
            _lost(controls.get(_place(cell))),
            _gained(controls.get(_place(cell))),
            cell.arm,
            arm_level(cell, cell.measure),
            _lost(cell),
            _gained(cell),
            difference(cell.difference, cell.interval, cell.measure),
            p_value(cell.p_adjusted),
            _beside_control(cell, controls.get(_place(cell))),
            str(cell.errors),
            str(cell.missing),
            verdict_line(cell),
        )
        for cell in compared_cells(report)
    )
    table = Table(columns, rows, frozenset(columns) - {"task", "arm", "verdict"}, _metrics(report, report.cells))
    return without_empty(table, "length", "token diff (control)")


def arm_table(report: Findings, arm: str) -> Table:
    """The rows of one arm, narrow enough for a terminal: errors and missing samples only where there are any."""
    controls = _controls(report)
    cells = [cell for cell in compared_cells(report) if cell.arm == arm]
    gaps = [name for name in ("errors", "missing") if any(getattr(cell, name) for cell in cells)]
    columns = ("task", "length", "n", "auto", arm, "lost", "gained", "difference [95%]", "token diff (control)")
    rows = tuple(
        (
            cell.task,
            at_length(cell),
            str(cell.n),
            baseline_level(cell, cell.measure),
            arm_level(cell, cell.measure),
            f"{_lost(cell)} ({_lost(controls.get(_place(cell)))})",
            f"{_gained(cell)} ({_gained(controls.get(_place(cell)))})",
            difference(cell.difference, cell.interval, cell.measure),
            _beside_control(cell, controls.get(_place(cell))),
            *(str(getattr(cell, name)) for name in gaps),
        )
        for cell in cells
    )
    numeric = frozenset({*columns, *gaps}) - {"task"}
    table = Table((*columns, *gaps), rows, numeric, _metrics(report, cells))
    return without_empty(table, "length", "token diff (control)")


def without_empty(table: Table, *names: str) -> Table:
    """The table without those of the named columns that are empty in every row."""
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column not in names or any(row[index] != NONE for row in table.rows)
    ]
    columns = tuple(table.columns[index] for index in kept)
    return replace(table, columns=columns, rows=tuple(tuple(row[index] for index in kept) for row in table.rows))


def tokens_table(report: Findings) -> Table:
    """A row for each task, length and arm, the control too: how its outputs differ from the baseline's."""
    columns = (
        *("task", "length", "arm", "identical outputs", "token diff", "flips", "output length"),
        *("first divergence (median)", "still equal after 1 / 16 / 64 tokens"),
    )
    rows = tuple(
        (
            *(cell.task, at_length(cell), cell.arm),
            f"{cell.identical} of {cell.n}",
            percent(cell.token_diff),
            percent((cell.lost + cell.gained) / cell.n),
            NONE if cell.length_ratio is None else f"{cell.length_ratio:.2f}×",
            NONE if cell.divergence.median is None else plural(int(cell.divergence.median), "token"),
            " / ".join(percent(cell.divergence.still_equal.get(tokens)) for tokens in ("1", "16", "64")),
        )
        for cell in report.cells
        if cell.divergence
    )
    return Table(columns, rows, frozenset(columns) - {"task", "arm"}, _metrics(report, report.cells))


def excess_table(report: Findings) -> Table:
    """A row for each task, length and arm that has a control: the arm's figures minus the control's."""
    columns = (
        *("task", "length", "arm", "n", "loss [95%]", "flips [95%]", "token diff [95%]"),
        *("diverges earlier / later", "p"),
    )
    rows = tuple(
        (
            cell.task,
            at_length(cell),
            cell.arm,
            str(cell.excess.n),
            *_excess(cell.excess, cell.measure),
        )
        for cell in report.cells
        if cell.excess
    )
    return Table(columns, rows, frozenset(columns) - {"task", "arm"}, _metrics(report, report.cells))


def _excess(excess: Excess, measure: Measure) -> tuple[str, ...]:
    return (
        difference(excess.difference, excess.interval, measure),
        f"{points(excess.flips)} pt {interval(excess.flips_interval)}",
        f"{points(excess.token_diff)} pt {interval(excess.token_diff_interval)}",
        f"{excess.earlier} / {excess.later}",
        p_value(excess.p),
    )


def faults_table(report: Findings) -> Table:
    """A row for each task, length, arm and kind of fault: its rate on the baseline, the arm and the control."""
    controls = _controls(report)
    arms = ("auto rate", "arm rate", "control rate") if report.cells else ("auto rate",)
    rows: list[tuple[str, ...]] = []
    for cell in compared_cells(report):
        control = controls.get(_place(cell))
        sides = (cell.faults_baseline, cell.faults, control.faults if control else {})
        kinds = dict.fromkeys((*cell.faults_baseline, *cell.faults))
        where = (cell.task, at_length(cell), cell.arm)
        rows += [(*where, kind, *(_rate(side.get(kind)) for side in sides)) for kind in kinds]
    if not report.cells:  # the baseline alone was run
        for row in report.baselines:
            rows += [(row.task, at_length(row), BASELINE, kind, _rate(row.faults[kind])) for kind in row.faults]
    columns = ("task", "length", "arm", "what goes wrong", *arms)
    table = Table(columns, tuple(rows), frozenset(("length", *arms)), _metrics(report, report.cells))
    return without_empty(table, "length")


def _rate(fault: FaultCount | None) -> str:
    """`4.5% (9 of 200)`; `–` if the fault did not occur or there is no such arm."""
    if not fault:
        return NONE
    unit = "" if fault.unit == "answers" else f" {fault.unit}"
    share = f"{percent(fault.count / fault.of)} " if fault.of else ""
    return f"{share}({fault.count:,} of {fault.of:,}{unit})"


def depth_table(report: Findings) -> Table:
    """A row for each task, arm and length: right answers by fifths of the document, baseline → arm, losses and gains apart."""
    cells = [cell for cell in compared_cells(report) if cell.depths]
    parts = sorted({(part.start, part.end) for cell in cells for part in cell.depths})
    columns = ("task", "arm", "length", *(f"{100 * start:.0f} to {100 * end:.0f}%" for start, end in parts))
    rows = []
    for cell in sorted(cells, key=lambda cell: (cell.task, cell.arm)):
        by_part = {(part.start, part.end): part for part in cell.depths}
        rows.append(
            (
                cell.task,
                cell.arm,
                at_length(cell),
                *(_depth(by_part.get(part), cell.measure) for part in parts),
            )
        )
    return Table(columns, tuple(rows), frozenset(columns) - {"task", "arm"}, _metrics(report, cells))


def _depth(part: DepthPart | None, measure: Measure) -> str:
    if not part:
        return NONE
    if measure == "similarity":
        sides = f"{part.score_baseline:.3f} → {part.score:.3f} (n {part.n})"
    else:
        sides = f"{part.right_baseline} → {part.right} of {part.n}"
    return f"{sides} −{part.lost} +{part.gained}"


def metadata_table(report: Findings) -> Table:
    """A row for each task, length, arm and value of a field that results are broken down by."""
    columns = ("task", "length", "arm", "by", "value", "n", "auto", "right", "lost", "gained", "token diff")
    rows = tuple(
        (
            *(cell.task, at_length(cell), cell.arm, part.field, part.value, str(part.n)),
            *(baseline_level(part, cell.measure), arm_level(part, cell.measure)),
            *(str(part.lost), str(part.gained), percent(part.token_diff)),
        )
        for cell in compared_cells(report)
        for part in cell.breakdowns
    )
    numeric = frozenset(columns) - {"task", "arm", "by", "value"}
    broken_down = [cell for cell in compared_cells(report) if cell.breakdowns]
    return without_empty(Table(columns, rows, numeric, _metrics(report, broken_down)), "length")


def trends_table(report: Findings) -> Table:
    """A row for each task and arm: how the difference changes with each doubling of the length."""
    columns = ("task", "arm", "lengths", "difference per doubling", "p")
    copying = {cell.task for cell in report.cells if cell.measure == "similarity"}
    rows = tuple(
        (
            trend.task,
            trend.arm,
            ", ".join(map(length_name, trend.lengths)),
            signed(trend.per_doubling, 3) if trend.task in copying else f"{points(trend.per_doubling)} pt",
            p_value(trend.p),
        )
        for trend in report.trends
    )
    return Table(columns, rows, frozenset({"difference per doubling", "p"}), _metrics(report, report.cells))


def closed_book_table(report: Report) -> Table:
    """A row for each task: questions that the baseline answers correctly without the document, and the chance level."""
    columns = ("task", "right without the document", "[95%]", "chance level", "answerable without it")
    rows = tuple(
        (
            task.task,
            f"{task.right} of {task.n}",
            " to ".join(map(percent, task.right_interval)),
            percent(task.guess),
            "yes" if task.answerable else "no",
        )
        for task in report.without_document
    )
    return Table(columns, rows, frozenset(columns) - {"task"}, _metrics(report, report.cells))


def arms_table(report: Findings) -> Table:
    """A row for each arm: the configuration that its engine actually ran."""
    base = report.arms[BASELINE].kv_pool_tokens
    rows = []
    for name, arm in report.arms.items():
        pool = arm.kv_pool_tokens
        rows.append(
            (
                name,
                arm.kv_dtype_asked or NONE,
                arm.kv_dtype_effective or NONE,
                f"{pool:,}" if pool else NONE,
                f"{pool / base:.2f}×" if pool and base else NONE,
                arm.scales or NONE,
                arm.attention_backend or "not reported",
                arm.status,
                str(arm.errors),
                str(arm.missing),
                f"{arm.start_seconds:.0f} s",
                f"{arm.serving_seconds:.0f} s",
            )
        )
    about = ("arm", "asked", "cache holds", "KV pool tokens", "ratio", "scales", "attention", "status")
    return Table(
        (*about, "errors", "missing", "start", "serving"),
        tuple(rows),
        frozenset({"KV pool tokens", "ratio", "errors", "missing", "start", "serving"}),
    )


def compared_cells(report: Findings) -> Sequence[Cell]:
    """The cells of the compared arms; those of the control if there is no other arm."""
    return [cell for cell in report.cells if cell.arm != CONTROL] or report.cells


def _controls(report: Findings) -> dict[tuple[str, int | None], Cell]:
    return {_place(cell): cell for cell in report.cells if cell.arm == CONTROL}


def _place(cell: Cell) -> tuple[str, int | None]:
    return cell.task, cell.length


def _lost(cell: Cell | None) -> str:
    return str(cell.lost) if cell and cell.n else NONE


def _gained(cell: Cell | None) -> str:
    return str(cell.gained) if cell and cell.n else NONE


def _beside_control(cell: Cell, control: Cell | None) -> str:
    if cell.token_diff is None:
        return NONE
    return f"{percent(cell.token_diff)} ({percent(control.token_diff) if control else 'not measured'})"


def _metrics(report: Findings, cells: Iterable[Cell]) -> str:
    """`number_match v1, token_diff v1`: the metrics of `cells`, with their versions."""
    found = list(cells)
    names = {metric for cell in found for metric in cell.metrics}
    if any(cell.token_diff is not None for cell in found):
        names.add("token_diff")
    versions: Mapping[str, int] = report.metrics
    return ", ".join(f"{name} v{versions[name]}" for name in sorted(names) if name in versions)
