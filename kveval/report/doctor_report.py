"""Shows the findings of an examination in the terminal and as Markdown."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from kveval.arms import CONTROL
from kveval.config import length_name
from kveval.doctor.findings import lost_by_format
from kveval.report.console import rich_table
from kveval.report.markdown import section
from kveval.report.tables import Table
from kveval.store.doctor_schema import (
    DAMAGING,
    FITS,
    HEALTHY,
    NOT_KNOWN,
    UNCLEAR,
    WORKS,
    Alarm,
    ArmHealth,
    DoctorFindings,
    Margins,
    Place,
)
from kveval.wording.format import NONE, place, plural
from kveval.wording.sentences import arm_line, machine, pool_line

STYLES = {HEALTHY: "green", UNCLEAR: "yellow", DAMAGING: "bold red", NOT_KNOWN: "yellow"}

_ANSWERS = """\
Correct answers of the probe with auto and with the arm. `lost`: correct with auto, wrong with the arm. `format alone lost`:
lost when keys and values are rounded to the format in transformers, without this engine."""
_MARGINS = """\
The margin of an answer is the smallest difference, over its tokens, between the log-probability of the token and that of the
second most likely one, in nats. Shown are the median over all answers and, in brackets, the 10th percentile."""
_DOSES = """\
Layer {layer}'s values are multiplied by a power of two, and its output is divided by it. In bfloat16 this is the same model; in
the cache, values beyond the format's largest number are clipped. `found on` lists the tasks and lengths judged degraded."""


def _sections(findings: DoctorFindings) -> Iterator[tuple[str, Table, str]]:
    yield "Answers", answers_table(findings), _ANSWERS
    yield "Margins", margins_table(findings), _MARGINS
    yield "Planted damage", doses_table(findings), _DOSES.format(layer=findings.layer)


def answers_table(findings: DoctorFindings) -> Table:
    """A row for each task, length and arm."""
    control = {(cell.task, cell.length): cell for cell in findings.cells if cell.arm == CONTROL}
    columns = ("task", "length", "n", "auto", "arm", "right", "lost", "control lost", "format alone lost")
    rows = tuple(
        (
            *(cell.task, length_name(cell.length), str(cell.n), str(cell.right_baseline)),
            *(cell.arm, str(cell.right), str(cell.lost)),
            _number(control[cell.task, cell.length].lost if (cell.task, cell.length) in control else None),
            _number(cell.format_lost),
        )
        for cell in findings.cells
        if cell.arm != CONTROL
    )
    return Table(columns, rows, frozenset(columns) - {"task", "arm"})


def margins_table(findings: DoctorFindings) -> Table:
    """A row for each length, a column for each arm and emulated format."""
    sides = tuple(dict.fromkeys(margin.side for margin in findings.margins))
    by_place = {(margin.length, margin.side): margin for margin in findings.margins}
    rows = tuple(
        (length_name(length), *(_margin(by_place.get((length, side))) for side in sides))
        for length in findings.lengths
        if any((length, side) in by_place for side in sides)
    )
    return Table(("length", *sides), rows, frozenset(("length", *sides)))


def doses_table(findings: DoctorFindings) -> Table:
    """A row for each dose and arm."""
    columns = ("dose", "arm", "n", "lost", "format alone lost", "found on")
    rows = []
    for damage in findings.damage:
        for arm in dict.fromkeys(cell.arm for cell in damage.cells):
            cells = [cell for cell in damage.cells if cell.arm == arm]
            found = ", ".join(place(cell) for cell in cells if cell.verdict == "degraded")
            rows.append(
                (
                    *(f"2^{damage.dose}", arm, str(sum(cell.n for cell in cells))),
                    str(sum(cell.lost for cell in cells)),
                    _number(lost_by_format(cells)),
                    found or ("nothing" if arm != CONTROL else NONE),
                )
            )
    return Table(columns, tuple(rows), frozenset({"n", "lost", "format alone lost"}))


def conclusions(findings: DoctorFindings) -> Iterator[tuple[str, str]]:
    """For each arm, its state and whether planted damage was found, as lines with a style for the terminal."""
    for arm, judged in findings.judged.items():
        yield f"{arm}: {_state(judged)}", STYLES[judged.state]
        if arm in findings.alarm:
            alarm = findings.alarm[arm]
            yield f"{arm}: {_alarm(alarm, findings.layer)}", "" if alarm.state == WORKS else "yellow"


def _state(judged: ArmHealth) -> str:
    if judged.state == NOT_KNOWN:
        return f"not known: {judged.because}."
    counts = (
        f"of {judged.right_baseline:,} answers that are correct with auto ({plural(judged.n, 'question')}), it loses "
        f"{judged.lost}, the control {judged.control_lost}{_by_format(judged)}"
    )
    if judged.state == DAMAGING:
        return f"this engine's cache loses answers beyond its format, on {_places(judged.places)}: {counts}."
    if judged.state == UNCLEAR:
        return f"unclear: {counts}. The loss is larger, but not statistically significant: increase --samples."
    return f"healthy: {counts}."


def _alarm(alarm: Alarm, layer: int) -> str:
    what = f"layer {layer}'s values times 2^{alarm.dose}"
    counts = f"it loses {alarm.lost} of {alarm.right_baseline:,}{_by_format(alarm)}"
    onset = f", from 2^{alarm.sets_in} on" if alarm.doses > 1 else ""
    control = f"auto and control differ in {plural(alarm.control_flips, 'verdict')}"
    if alarm.state == WORKS:
        return f"planted damage is found{onset}. With {what}, {counts}, on {_places(alarm.places)}; {control}."
    if alarm.state == FITS:
        return f"planted damage ({what}) was not found; the format alone loses nothing either: its range includes these values."
    return f"planted damage was not found as required. With {what}, {counts}; {control}. Do not trust a healthy result."


def _by_format(counts: ArmHealth | Alarm) -> str:
    return "" if counts.format_lost is None else f", the format alone {counts.format_lost}"


def _places(places: Sequence[Place]) -> str:
    by_task: dict[str, list[str]] = {}
    for task, length in places:
        by_task.setdefault(task, []).append(length_name(length))
    return "; ".join(f"{task} at {', '.join(lengths)}" for task, lengths in by_task.items())


def _headline(findings: DoctorFindings) -> str:
    return (
        f"probe · vLLM {findings.vllm} · {machine(findings.device, findings.host)} · {findings.samples} questions a cell · "
        f"seed {findings.seed}"
    )


def _number(count: int | None) -> str:
    return NONE if count is None else str(count)


def _margin(margin: Margins | None) -> str:
    return NONE if margin is None else f"{margin.median:.1f} ({margin.tenth:.1f})"


def print_findings(console: Console, findings: DoctorFindings, where: str) -> None:
    """Print the tables, followed by the conclusions."""
    console.print()
    console.print(Text(_headline(findings), style="bold"))
    for title, table, reading in _sections(findings):
        if table.rows:
            console.print()
            console.print(Text(title, style="bold"))
            console.print(rich_table(table))
            console.print(Text(" ".join(reading.split()), style="dim"))
    console.print()
    console.print(pool_line(findings.arms))
    for name, facts in findings.arms.items():
        console.print(Text(arm_line(name, facts)))
    if findings.incomplete:
        console.print(
            Text("This examination is incomplete: run the same command again to resume it.", style="bold red")
        )
    console.print()
    for line, style in conclusions(findings):
        console.print(Text(line, style=style))
    console.print(Text(f"report: {where}"))


def findings_markdown(findings: DoctorFindings) -> str:
    """The findings as Markdown."""
    return "\n".join(_lines(findings)) + "\n"


def _lines(findings: DoctorFindings) -> Iterator[str]:
    yield "# The probe through this engine"
    yield ""
    yield _headline(findings)
    yield ""
    if findings.incomplete:
        yield "**This examination is incomplete.** Run the same command again to resume it."
        yield ""
    yield from (f"- {line}" for line, _ in conclusions(findings))
    yield ""
    for title, table, reading in _sections(findings):
        yield from section(title, table, reading)
    yield "## Engines"
    yield ""
    yield from (f"- {arm_line(name, facts)}" for name, facts in findings.arms.items())
    yield f"- {pool_line(findings.arms)}"
    yield ""
    arguments = " ".join(findings.engine_args) or "none"
    yield f"kveval {findings.kveval} · engine arguments: {arguments}"
