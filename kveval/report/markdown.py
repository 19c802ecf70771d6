"""`report.md`: the report for a reader of text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from kveval.report.difference import side_by_side
from kveval.report.tables import (
    Table,
    arms_table,
    degradation_table,
    depth_table,
    excess_table,
    faults_table,
    knowledge_table,
    metadata_table,
    tokens_table,
    trends_table,
)
from kveval.wording.format import percent
from kveval.wording.sentences import headline, place, pool_line, source_line

_READING = """\
`auto` and `right` are shares of right answers; for copies they are mean similarities (1 is word for word), and `lost` and
`gained` count exact copies. Where no answer is known to be right they are similarities to auto's own answers, and `lost` counts
those in other words. `lost`: right with auto only; `gained`: right with the arm only; both over the n samples that have
an answer on either side. `p (Holm)` is that the arm is no different, corrected for all cells of the run. The margin of `pass`
is {margin} points. Intervals reach further down than up: the lower limit allows for one more document, unseen, that is lost
whole. `token diff` is the normalized edit distance to the tokens of auto, in brackets that of the control: auto
once more in a fresh engine."""

_TOKENS = """\
Against auto's outputs. `flips` are samples whose verdict changed. First divergence: how many tokens at the start are the same;
outputs that never differ are censored (Kaplan-Meier). The control's rows are the floor: the engine's noise."""

_EXCESS = """\
On the n samples that auto, control and arm all answered, the arm's figure minus the control's, with its 95% interval: where it
holds zero, the engine's noise may be all there is. `diverges earlier` counts outputs that leave auto's before the control's do;
`p` is that earlier is no likelier than later."""

_DEPTH = "By where in the document the evidence lies: auto → arm, then what was lost (−) and gained (+)."
_TREND = "By document, the lengths permuted: below zero the loss grows with the length."
_KNOWLEDGE = "Questions asked of auto without the document: what it answers then it knows or guesses."
_PAIRS = (
    "The samples that lost most, up to five a cell. `[[ ]]` marks words that differ, `…` stands for words that do not."
)


def markdown(report: Mapping[str, Any], throughput: Iterable[str] | None = None) -> str:
    """The whole report as Markdown, with the lines of a throughput pass where the run has one."""
    return "\n".join(_lines(report, throughput)) + "\n"


def _lines(report: Mapping[str, Any], throughput: Iterable[str] | None) -> Iterator[str]:
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
    yield from (f"- {plain(remark)}" for remark in report["remarks"])
    if report["remarks"]:
        yield ""
    yield from section(
        "By task and length", degradation_table(report), _READING.format(margin=f"{100 * report['margin']:g}")
    )
    yield from section("Engines", arms_table(report), pool_line(report) + ".")
    if throughput:
        yield "## Throughput"
        yield ""
        yield from throughput
        yield ""
    yield from _details(report)
    yield from section("Without the document", knowledge_table(report), _KNOWLEDGE)
    yield from _pairs(report)
    arguments = " ".join(report["engine_args"]) or "none"
    tasks = ", ".join(f"{name} v{version}" for name, version in report["tasks"].items())
    yield f"kveval {report['kveval']} · tasks {tasks} · concurrency {report['concurrency']} · engine arguments: {arguments}"


def comparison(report: Mapping[str, Any]) -> str:
    """The whole report of results that were there already, as Markdown."""
    return "\n".join(_comparison_lines(report)) + "\n"


def _comparison_lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {report['about']}"
    yield ""
    yield from (f"**{line}**  " for line in report["conclusions"])
    yield ""
    yield from (f"- {source_line(name, facts)}" for name, facts in report["arms"].items())
    yield from (f"- {plain(remark)}" for remark in report["remarks"])
    yield ""
    yield from section("Results", degradation_table(report), _READING.format(margin=f"{100 * report['margin']:g}"))
    yield from _details(report)
    yield from _pairs(report)
    yield f"kveval {report['kveval']}"


def _details(report: Mapping[str, Any]) -> Iterator[str]:
    """What stands behind the verdicts."""
    yield from section("What goes wrong", faults_table(report))
    yield from section("By depth", depth_table(report), _DEPTH)
    yield from section("By metadata", metadata_table(report))
    yield from section("By length", trends_table(report), _TREND)
    yield from section("Tokens against auto", tokens_table(report), _TOKENS)
    yield from section("Beyond the control", excess_table(report), _EXCESS)


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


def _pairs(report: Mapping[str, Any]) -> Iterator[str]:
    if not report["worst_pairs"]:
        return
    yield "## Worst pairs"
    yield ""
    yield _PAIRS
    yield ""
    for (title, arm), pairs in groupby(report["worst_pairs"], key=lambda pair: (place(pair), pair["arm"])):
        yield f"### {title}, {arm}"
        yield ""
        for pair in pairs:
            auto, other = side_by_side(pair["output_baseline"], pair["output"])
            depth = "" if pair["depth"] is None else f" · depth {percent(pair['depth'])}"
            values = f"{pair['value_baseline']:.3g} → {pair['value']:.3g}"
            width = max(len("auto"), len(arm))
            gold = "".join(f"{'gold':{width}}  {_one_line(text)}\n" for text in pair["gold"][:1])
            text = f"{gold}{'auto':{width}}  {auto}\n{arm:{width}}  {other}"
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"`{pair['sample_id']}` · {pair['reason']} · {values}{depth}"
            yield ""
            yield f"{fence}text\n{text}\n{fence}"
            yield ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def plain(text: str) -> str:
    """On one line, and no markup: a message may quote a page of HTML, whose comments would swallow the report."""
    return re.sub("<(?=[A-Za-z!/?])", "&lt;", _one_line(text))


def _row(cells: Any) -> str:
    return "| " + " | ".join(plain(cell).replace("|", "\\|") for cell in cells) + " |"
