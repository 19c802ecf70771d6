"""`report.md`: the report for a reader of text."""

from collections.abc import Iterator, Mapping
from typing import Any

from kveval.report.tables import Table, arms_table, degradation_table, faults_table, headline, pool_line, tokens_table

_READING = """\
`right` is the share of right answers; for copies it is their mean similarity (1 is word for word), and `lost` and `gained`
count exact copies. `lost`: right with auto only; `gained`: right with the arm only; both over the n samples that have an
answer on either side. The margin of `pass` is {margin} points. `token diff` is the normalized edit distance to the tokens of
auto, in brackets that of the control: auto once more in a fresh engine."""


def markdown(report: Mapping[str, Any]) -> str:
    """The whole report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {report['model']}: degradation by KV-cache dtype"
    yield ""
    yield headline(report)
    yield ""
    if report["incomplete"]:
        yield "**This run is incomplete.** The same command goes on where it stopped."
        yield ""
    yield from (f"**{line}**  " for line in report["conclusions"])
    yield f"Not tested: {report['not_tested']}."
    yield ""
    if report["cells"]:  # none, where the baseline alone was run
        yield "## By task and length"
        yield ""
        yield from _table(degradation_table(report))
        yield ""
        yield _READING.format(margin=f"{100 * report['margin']:g}")
        yield ""
    yield "## Engines"
    yield ""
    yield from _table(arms_table(report))
    yield ""
    yield pool_line(report) + "."
    yield ""
    yield from (f"- {remark}" for remark in report["remarks"])
    if report["remarks"]:
        yield ""
    if report["cells"]:
        yield "## Tokens against auto"
        yield ""
        yield from _table(tokens_table(report))
        yield ""
    yield "## What goes wrong"
    yield ""
    yield from _table(faults_table(report))
    yield ""
    arguments = " ".join(report["engine_args"]) or "none"
    tasks = ", ".join(f"{name} v{version}" for name, version in report["tasks"].items())
    yield f"kveval {report['kveval']} · tasks {tasks} · concurrency {report['concurrency']} · engine arguments: {arguments}"


def _table(table: Table) -> Iterator[str]:
    yield _row(table.columns)
    yield _row(tuple("---:" if column in table.numeric else "---" for column in table.columns))
    yield from map(_row, table.rows)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
