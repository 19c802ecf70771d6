"""What a person sees in the terminal: a run's progress, and its report at the end."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as RichTable
from rich.text import Text

from kveval.report.tables import Table, arm_table, compared_cells, faults_table
from kveval.store.report_schema import ComparisonReport, Findings, Report
from kveval.store.run_records import EngineFacts
from kveval.wording.format import place
from kveval.wording.sentences import arm_line, headline, pool_line, source_line, verdict_line

LOG_EVERY_S = 30
"""Seconds between lines on how far a run is, in a log, which shows no bar."""

VERDICT_STYLES = {
    "pass": "green",
    "degraded": "bold red",
    "inconclusive": "yellow",
    "weak baseline": "yellow",
    "invalid": "bold red",
}


class ConsoleProgress:
    """Shows a run's progress and the time left: in a terminal as one line that updates, in a log as a line for each stage."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=console,
            transient=True,
            speed_estimate_period=600,
        )
        self._task: TaskID = self._bar.add_task("Preparing", total=None)
        self._errors = 0
        self._stage = ""
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stage(self, text: str) -> None:
        self._describe(text)

    def note(self, text: str) -> None:
        self._console.print(Text(text, style="yellow"))

    def planned(self, work: int, done: int) -> None:
        self._bar.reset(self._task, total=work, completed=done)
        if done:
            self._console.print(f"Resuming: {100 * done / work:.0f}% of the work is done already.")

    def arm_started(self, name: str, samples: int, facts: EngineFacts) -> None:
        pool = f"{facts.kv_pool_tokens:,} tokens" if facts.kv_pool_tokens else "size not reported"
        self._console.print(
            f"{escape(name)}: vLLM up in {facts.start_seconds:.0f} s, cache {facts.kv_dtype_effective}, pool {pool}; "
            f"{samples} requests to send"
        )
        self._describe(f"{name}: answering")

    def finished(self, work: int, *, failed: bool) -> None:
        self._errors += failed
        self._bar.advance(self._task, work)
        if self._errors:
            self._bar.update(self._task, description=f"{self._stage} [red]{self._errors} errors[/red]")
        if not self._console.is_terminal and time.monotonic() - self._said > LOG_EVERY_S:
            self._said = time.monotonic()
            task = self._bar.tasks[self._task]
            left = f", about {task.time_remaining / 60:.0f} min left" if task.time_remaining else ""
            self._console.print(f"{task.percentage:.0f}% done{left}")

    def arm_failed(self, name: str, reason: str) -> None:
        self._console.print(f"[bold red]{escape(name)} failed.[/bold red] {escape(reason)}")

    def _describe(self, text: str) -> None:
        self._stage = escape(text)
        self._bar.update(self._task, description=self._stage)
        if not self._console.is_terminal:
            self._console.print(escape(text))


def print_report(console: Console, report: Report, where: str) -> None:
    """The report's figures by arm, its verdicts, and last the conclusion."""
    console.print()
    console.print(Text(headline(report), style="bold"))
    _print_cells(console, report)
    if not report.cells:  # the baseline alone was run
        console.print(rich_table(faults_table(report)))
    console.print()
    console.print(pool_line(report.arms))
    for name, facts in report.arms.items():
        console.print(Text(arm_line(name, facts)))
    for remark in report.remarks:
        console.print(Text(remark, style="yellow"))
    if report.incomplete:
        console.print(Text("This run is incomplete: the same command with its --out resumes it.", style="bold red"))
    console.print()
    for line in report.conclusions:
        console.print(Text(line, style="bold"))
    console.print(Text(f"Not tested: {report.not_tested}."))
    console.print(Text(f"report: {where}"))


def print_comparison(console: Console, report: ComparisonReport, where: str | None) -> None:
    """The report of a comparison, and where it was written, if it was."""
    console.print()
    console.print(Text(report.about, style="bold"))
    _print_cells(console, report)
    console.print()
    for name, facts in report.arms.items():
        console.print(Text(source_line(name, facts)))
    for remark in report.remarks:
        console.print(Text(remark, style="yellow"))
    console.print()
    for line in report.conclusions:
        console.print(Text(line, style="bold"))
    if where:
        console.print(Text(f"report: {where}"))


def _print_cells(console: Console, report: Findings) -> None:
    """For each arm its table, and a line with the verdict of each of its rows."""
    for arm in dict.fromkeys(cell.arm for cell in compared_cells(report)):
        console.print()
        table = arm_table(report, arm)
        console.print(rich_table(table))
        if table.metrics:
            console.print(Text(f"measured by {table.metrics}", style="dim"))
        for cell in compared_cells(report):
            if cell.arm == arm:
                line = f"{place(cell)}: {verdict_line(cell)}"
                console.print(Text(line, style=VERDICT_STYLES.get(cell.verdict or "", "")))


def rich_table(table: Table) -> RichTable:
    """A table as the terminal shows it."""
    shown = RichTable(box=None, pad_edge=False, header_style="dim")
    for column in table.columns:
        shown.add_column(column, justify="right" if column in table.numeric else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown


def plain_console() -> Console:
    """The terminal's console; where there is no terminal, one wide enough that tables are not folded."""
    console = Console()
    return console if console.is_terminal else Console(width=140)
