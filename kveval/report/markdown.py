"""Writes `report.md`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from kveval.report.difference import side_by_side
from kveval.report.tables import (
    Table,
    arms_table,
    closed_book_table,
    degradation_table,
    depth_table,
    excess_table,
    faults_table,
    metadata_table,
    tokens_table,
    trends_table,
)
from kveval.store.report_schema import ComparisonReport, Findings, Report
from kveval.wording.format import percent, place
from kveval.wording.sentences import headline, pool_line, source_line

_READING = """\
A row is a cell: one task at one length on one arm, compared with the baseline, `auto`, on the same samples. `auto` and `right`
are shares of right answers. For copies they are mean similarities (1 is word for word), and `lost` and `gained` count exact
copies. Where no answer is known to be right, they are similarities to auto's own answers, and `lost` counts answers in other
words. `lost`: right with auto only; `gained`: right with the arm only; both over the n samples that have an answer on either
side. `p (Holm)` is the Holm-adjusted p-value of the paired test for no difference. The margin of `pass` is {margin} points.
Intervals extend further down than up: the lower limit allows for one more, unseen document on which all is lost. `token diff`
is the normalized edit distance to auto's tokens, and in brackets that of the control, which is auto again in a fresh engine."""

_TOKENS = """\
Against auto's outputs. `flips` is the share of samples whose verdict changed. First divergence: how many tokens at the start
are equal; outputs that never differ are censored (Kaplan-Meier). The control's rows are the noise floor."""

_EXCESS = """\
On the n samples that auto, control and arm all answered: the arm's figure minus the control's, with its 95% interval. Where the
interval includes zero, noise may explain all of it. `diverges earlier` counts outputs that leave auto's before the control's
do; `p` is the p-value of the paired test that earlier and later are equally likely."""

_DEPTH = "By the position of the evidence in the document: auto → arm, then answers lost (−) and gained (+)."
_TREND = (
    "Estimated over documents. A negative value means that the loss grows with the length; `p` is the p-value of the "
    "permutation test for no trend."
)
_CLOSED_BOOK = "Questions asked of auto without the document: a right answer here is known or guessed, not read."
_PAIRS = (
    "The samples that lost most, up to five a cell. `[[ ]]` marks words that differ; `…` replaces words that do not."
)


def markdown(report: Report, throughput: Iterable[str] | None = None) -> str:
    """The whole report as Markdown, with the lines of a throughput pass where the run has one."""
    return "\n".join(_lines(report, throughput)) + "\n"


def _lines(report: Report, throughput: Iterable[str] | None) -> Iterator[str]:
    yield f"# {report.model}: degradation by KV-cache dtype"
    yield ""
    yield headline(report)
    yield ""
    if report.incomplete:
        yield "**This run is incomplete.** The same command with its `--out` resumes it."
        yield ""
    yield from (f"**{line}**  " for line in report.conclusions)
    yield f"Not tested: {report.not_tested}."
    yield ""
    yield from bullets(report.remarks)
    yield from section(
        "By task and length", degradation_table(report), _READING.format(margin=f"{100 * report.margin:g}")
    )
    yield from section("Engines", arms_table(report), pool_line(report.arms) + ".")
    if throughput:
        yield "## Throughput"
        yield ""
        yield from throughput
        yield ""
    yield from _details(report)
    yield from section("Closed-book", closed_book_table(report), _CLOSED_BOOK)
    yield from _pairs(report)
    arguments = " ".join(report.engine_args) or "none"
    tasks = ", ".join(f"{name} v{version}" for name, version in report.tasks.items())
    yield f"kveval {report.kveval} · tasks {tasks} · concurrency {report.concurrency} · engine arguments: {arguments}"


def comparison(report: ComparisonReport) -> str:
    """The whole report of a comparison as Markdown."""
    return "\n".join(_comparison_lines(report)) + "\n"


def _comparison_lines(report: ComparisonReport) -> Iterator[str]:
    yield f"# {report.about}"
    yield ""
    yield from (f"**{line}**  " for line in report.conclusions)
    yield ""
    yield from (f"- {source_line(name, facts)}" for name, facts in report.arms.items())
    yield from (f"- {plain(remark)}" for remark in report.remarks)
    yield ""
    yield from section("Results", degradation_table(report), _READING.format(margin=f"{100 * report.margin:g}"))
    yield from _details(report)
    yield from _pairs(report)
    yield f"kveval {report.kveval}"


def _details(report: Findings) -> Iterator[str]:
    """The figures behind the verdicts."""
    yield from section("What goes wrong", faults_table(report))
    yield from section("By depth", depth_table(report), _DEPTH)
    yield from section("By metadata", metadata_table(report))
    yield from section("By length", trends_table(report), _TREND)
    yield from section("Tokens against auto", tokens_table(report), _TOKENS)
    yield from section("Beyond the control", excess_table(report), _EXCESS)


def bullets(lines: Sequence[str]) -> Iterator[str]:
    """A list, and an empty line after it; nothing where there are no lines."""
    yield from (f"- {plain(line)}" for line in lines)
    if lines:
        yield ""


def section(title: str, table: Table, reading: str = "") -> Iterator[str]:
    """A table under its title; nothing where it has no rows."""
    if not table.rows:
        return
    yield f"## {title}"
    yield ""
    yield from _table(table)
    yield ""
    measured = f"Measured by {table.metrics}." if table.metrics else ""
    if reading or measured:
        yield "\n".join(filter(None, (reading, measured)))
        yield ""


def _table(table: Table) -> Iterator[str]:
    yield _row(table.columns)
    yield _row("---:" if column in table.numeric else "---" for column in table.columns)
    yield from map(_row, table.rows)


def _pairs(report: Findings) -> Iterator[str]:
    if not report.worst_pairs:
        return
    yield "## Worst pairs"
    yield ""
    yield _PAIRS
    yield ""
    for (title, arm), pairs in groupby(report.worst_pairs, key=lambda pair: (place(pair), pair.arm)):
        yield f"### {title}, {arm}"
        yield ""
        for pair in pairs:
            auto, other = side_by_side(pair.output_baseline, pair.output)
            depth = "" if pair.depth is None else f" · depth {percent(pair.depth)}"
            values = f"{pair.value_baseline:.3g} → {pair.value:.3g}"
            width = max(len("auto"), len(arm))
            gold = "".join(f"{'gold':{width}}  {_one_line(text)}\n" for text in pair.gold[:1])
            text = f"{gold}{'auto':{width}}  {auto}\n{arm:{width}}  {other}"
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"`{pair.sample_id}` · {pair.reason} · {values}{depth}"
            yield ""
            yield f"{fence}text\n{text}\n{fence}"
            yield ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def plain(text: str) -> str:
    """`text` on one line with HTML escaped, because a quoted HTML comment in a message would hide the rest of the report."""
    return re.sub("<(?=[A-Za-z!/?])", "&lt;", _one_line(text))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(plain(cell).replace("|", "\\|") for cell in cells) + " |"
