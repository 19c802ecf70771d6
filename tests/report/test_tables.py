"""The report's tables and renderings, from a report that is made by hand."""

import io

import pytest
from rich.console import Console

from kveval.report.console import print_report
from kveval.report.markdown import markdown
from kveval.report.tables import (
    arms_table,
    closed_book_table,
    degradation_table,
    depth_table,
    excess_table,
    faults_table,
    tokens_table,
    trends_table,
)
from kveval.wording.sentences import conclusion, headline
from tests.report.handmade import CELL, CONTROL, COPY, made, made_cell


def rows(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_row_shows_baseline_control_and_arm_side_by_side(report):
    evidence, copy = rows(degradation_table(made(report)))
    assert evidence == {
        "task": "evidence",
        "length": "32k",
        "n": "200",
        "auto": "97.0%",
        "control lost": "1",
        "control gained": "0",
        "arm": "fp8",
        "right": "93.0%",
        "lost": "9",
        "gained": "1",
        "difference [95%]": "−4.0 pt [−7.9, −0.9]",
        "p (Holm)": "0.031",
        "token diff (control)": "4.4% (1.3%)",
        "errors": "2",
        "missing": "3",
        "verdict": "degraded: 8 near values, 1 no number",
    }
    assert (copy["auto"], copy["right"]) == ("0.993", "0.951")
    assert copy["difference [95%]"] == "−0.042 [−0.058, −0.027]"


def test_without_a_control_the_noise_is_said_to_be_unmeasured(report):
    report["cells"] = [CELL]
    assert rows(degradation_table(made(report)))[0]["token diff (control)"] == "4.4% (not measured)"
    assert rows(degradation_table(made(report)))[0]["control lost"] == "–"


def test_a_run_of_the_control_alone_shows_its_cells(report):
    report["cells"] = [CONTROL]
    assert [row["arm"] for row in rows(degradation_table(made(report)))] == ["control"]


def test_zero_has_no_sign(report):
    report["cells"] = [CELL | {"difference": -0.0001, "interval": [-0.0004, 0.012]}]
    assert rows(degradation_table(made(report)))[0]["difference [95%]"] == "0.0 pt [0.0, +1.2]"


def test_pools_stand_beside_their_ratio(report):
    fp8 = rows(arms_table(made(report)))[2]
    assert (fp8["KV pool tokens"], fp8["ratio"], fp8["scales"]) == ("1,782,800", "2.00×", "1.0, not calibrated")


def test_rates_of_what_goes_wrong_stand_beside_the_baselines_and_the_controls(report):
    near, none, splices = rows(faults_table(made(report)))
    assert (near["auto rate"], near["arm rate"], near["control rate"]) == (
        "3.0% (6 of 200)",
        "6.0% (12 of 200)",
        "2.5% (5 of 199)",
    )
    assert (none["auto rate"], none["arm rate"]) == ("–", "1.0% (2 of 200)")
    assert splices["arm rate"] == "6.0% (3 of 50 passages)"


def test_tokens_stand_beside_the_controls(report):
    control, fp8 = rows(tokens_table(made(report)))[:2]
    assert (control["arm"], control["token diff"]) == ("control", "1.3%")
    assert (fp8["identical outputs"], fp8["first divergence (median)"]) == ("150 of 200", "7 tokens")
    assert (fp8["flips"], fp8["output length"]) == ("5.0%", "1.04×")
    assert fp8["still equal after 1 / 16 / 64 tokens"] == "100.0% / 80.0% / –"


def test_the_excess_has_its_intervals(report):
    evidence, copy = rows(excess_table(made(report)))
    assert evidence["loss [95%]"] == "−3.5 pt [−7.0, −0.5]"
    assert evidence["token diff [95%]"] == "+3.1 pt [+1.2, +5.0]"
    assert (evidence["diverges earlier / later"], evidence["p"]) == ("40 / 11", "< 0.001")
    assert copy["loss [95%]"] == "−0.035 [−0.070, −0.005]"


def test_losses_and_gains_stand_apart_by_depth(report):
    copy, evidence = rows(depth_table(made(report)))
    assert evidence["0 to 20%"] == "39 → 37 of 40 −3 +1"
    assert copy["0 to 20%"] == "0.975 → 0.925 (n 40) −3 +1"


def test_a_trend_is_per_doubling(report):
    (trend,) = rows(trends_table(made(report)))
    assert (trend["lengths"], trend["difference per doubling"], trend["p"]) == ("8k, 32k", "−1.2 pt", "0.012")


def test_what_is_known_without_the_document_stands_beside_guessing(report):
    (row,) = rows(closed_book_table(made(report)))
    assert (row["right without the document"], row["chance level"]) == ("1 of 20", "10.0%")


def test_metrics_have_their_versions(report):
    assert degradation_table(made(report)).metrics == "copy_fidelity v2, number_match v1, token_diff v1"
    report["cells"] = [CELL | {"token_diff": None}]
    assert degradation_table(made(report)).metrics == "number_match v1"


def cells(*verdicts, **more):
    return [
        CELL | {"length": 8192 * 2**index, "verdict": verdict, **more}
        for index, verdict in enumerate(verdicts)
        if verdict is not None
    ]


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (cells("pass", "pass"), "fp8: pass on evidence to 16k."),
        (cells("pass"), "fp8: pass on evidence at 8k."),
        (
            cells("pass", "pass", "degraded"),
            "fp8: degraded on evidence at 32k: right 97.0% → 93.0% [−7.9, −0.9] pt, 50 documents; pass on evidence to 16k.",
        ),
        (
            cells("inconclusive", "pass", "pass"),
            "fp8: inconclusive on evidence at 8k; pass on evidence at 16k, 32k.",
        ),
        (
            [COPY],
            "fp8: degraded on copy at 32k: similarity 0.993 → 0.951 [−0.058, −0.027], 50 documents.",
        ),
        (
            cells("weak baseline", confounds=["attention backend A → B"]),
            "fp8: weak baseline on evidence at 8k; not the cache alone differs: attention backend A → B.",
        ),
        ([CELL | {"length": None}], "fp8: degraded on evidence: right 97.0% → 93.0% [−7.9, −0.9] pt, 50 documents."),
        ([], "fp8: nothing was measured."),
    ],
)
def test_one_line_on_an_arm(found, line):
    assert conclusion("fp8", [made_cell(cell) for cell in found]) == line


def test_a_fence_holds_any_output(report):
    text = markdown(made(report))
    assert "````text\ngold  0.73\nauto  It was [[0.73.]]\nfp8   It was [[``` 0.83.]]\n````" in text


def test_the_headline_names_the_gpu(report):
    assert headline(made(report)) == "llama · vLLM 0.32.0 · NVIDIA H200 · 200 questions on 50 documents a cell · seed 0"


def test_markdown_holds_every_table_and_escapes_what_would_break_them(report):
    text = markdown(made(report))
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert "fp8: degraded on evidence at 32k" in text
    assert "KV pool: 891,392 tokens with auto, 1,782,800 with fp8 (2.00×)" in text
    assert "3 spliced \\| torn" in text
    assert all(line.endswith("|") for line in tables)
    assert "incomplete" not in text.split("## Engines")[0].lower()


@pytest.mark.parametrize("width", [80, 140])
def test_the_terminal_shows_every_figure_at_any_width(report, width):
    out = io.StringIO()
    print_report(Console(file=out, width=width), made(report), "reports/x/report.md")
    shown = out.getvalue()
    for figure in ("97.0%", "93.0%", "1,782,800", "degraded: 8 near values", "a remark", "errors", "missing"):
        assert figure in shown


def test_an_incomplete_run_says_so_first(report):
    report["incomplete"] = True
    assert markdown(made(report)).splitlines()[4].startswith("**This run is incomplete.**")


def test_the_baseline_alone_shows_how_it_did(report):
    report["cells"], report["conclusions"] = [], []
    out = io.StringIO()
    print_report(Console(file=out, width=140), made(report), "report.md")
    assert "6 of 200" in out.getvalue()
    assert "6 of 200" in markdown(made(report))
    assert "By task and length" not in markdown(made(report))


def test_a_message_that_quotes_a_page_of_html_swallows_nothing(report):
    report["remarks"] = ["fp8: 3 requests failed with: HTTP 502: <html>\n<!-- busy | nginx"]
    assert (
        "- fp8: 3 requests failed with: HTTP 502: &lt;html> &lt;!-- busy | nginx" in markdown(made(report)).splitlines()
    )


def test_the_headline_of_a_run_on_a_cpu_names_its_cores_and_no_gpu_beside_it(report):
    report["device"] = "cpu"
    assert "· cpu, 16 cores ·" in headline(made(report))
