"""The report's tables and renderings, from a report that is made by hand."""

import io

import pytest
from rich.console import Console

from kveval.report.console import print_report
from kveval.report.markdown import markdown
from kveval.report.tables import arms_table, degradation_table, faults_table, headline, tokens_table

CELL = {
    "task": "evidence",
    "length": 32768,
    "arm": "fp8",
    "n": 200,
    "documents": 50,
    "right_baseline": 194,
    "right": 186,
    "lost": 9,
    "gained": 1,
    "measure": "right",
    "score_baseline": 0.97,
    "score": 0.93,
    "difference": -0.04,
    "interval": [-0.079, -0.009],
    "token_diff": 0.044,
    "identical": 150,
    "first_divergence": 7.5,
    "errors": 2,
    "missing": 3,
    "truncated": 0,
    "wrong": 14,
    "faults": {"near value": 12, "no number": 2},
    "flags": {},
    "verdict": "degraded",
    "because": "8 near value, 1 no number",
}
CONTROL = CELL | {"arm": "control", "lost": 1, "gained": 0, "token_diff": 0.013, "verdict": None, "because": "noise"}
COPY = CELL | {
    "task": "copy",
    "measure": "similarity",
    "score_baseline": 0.993,
    "score": 0.951,
    "difference": -0.042,
    "interval": [-0.058, -0.027],
    "because": "3 spliced | torn",
}


def arm(dtype, pool, **more):
    facts = {"kv_dtype_asked": dtype, "kv_dtype_effective": dtype, "kv_pool_tokens": pool, "scales": None}
    facts |= {"attention_backend": "FLASH_ATTN", "status": "done", "reason": None, "errors": 0, "missing": 0}
    return facts | {"start_seconds": 30.2, "serving_seconds": 100.0} | more


@pytest.fixture
def report():
    baseline = {"task": "evidence", "length": 32768, "n": 200, "documents": 50, "right": 194, "truncated": 0}
    baseline |= {"wrong": 6, "faults": {"near value": 6}, "flags": {"truncated": 1}}
    return {
        "model": "llama",
        "kveval": "0.1.0",
        "vllm": "0.32.0",
        "device": "cuda",
        "host": {"gpus": ["NVIDIA H200, 143771 MiB, 580"], "cpus": 16},
        "samples": 200,
        "seed": 0,
        "concurrency": 8,
        "engine_args": ["--max-num-seqs", "8"],
        "tasks": {"evidence": 1, "copy": 1},
        "margin": 0.02,
        "arms": {
            "auto": arm("bfloat16", 891392),
            "control": arm("bfloat16", 891392),
            "fp8": arm("fp8_e4m3", 1782800, scales="1.0, not calibrated"),
        },
        "baselines": [baseline, baseline | {"task": "copy"}],
        "cells": [CONTROL, CELL, CONTROL | {"task": "copy"}, COPY],
        "remarks": ["a remark"],
        "conclusions": ["fp8: degraded on evidence at 32k, copy at 32k."],
        "not_tested": "lengths above 32k",
        "incomplete": False,
    }


def rows(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_row_shows_baseline_control_and_arm_side_by_side(report):
    evidence, copy = rows(degradation_table(report))
    assert evidence == {
        "task": "evidence",
        "length": "32k",
        "n": "200",
        "auto right": "97.0%",
        "control lost": "1",
        "control gained": "0",
        "arm": "fp8",
        "right": "93.0%",
        "lost": "9",
        "gained": "1",
        "difference [95%]": "−4.0 pt [−7.9, −0.9]",
        "token diff (control)": "4.4% (1.3%)",
        "errors": "2",
        "missing": "3",
        "verdict": "degraded: 8 near value, 1 no number",
    }
    assert (copy["auto right"], copy["right"]) == ("0.993", "0.951")
    assert copy["difference [95%]"] == "−0.042 [−0.058, −0.027]"


def test_without_a_control_the_noise_is_said_to_be_unmeasured(report):
    report["cells"] = [CELL]
    assert rows(degradation_table(report))[0]["token diff (control)"] == "4.4% (not measured)"
    assert rows(degradation_table(report))[0]["control lost"] == "–"


def test_a_run_of_the_control_alone_shows_its_cells(report):
    report["cells"] = [CONTROL]
    assert [row["arm"] for row in rows(degradation_table(report))] == ["control"]


def test_zero_has_no_sign(report):
    report["cells"] = [CELL | {"difference": -0.0001, "interval": [-0.0004, 0.012]}]
    assert rows(degradation_table(report))[0]["difference [95%]"] == "0.0 pt [0.0, +1.2]"


def test_pools_stand_beside_their_ratio(report):
    fp8 = rows(arms_table(report))[2]
    assert (fp8["KV pool tokens"], fp8["ratio"], fp8["scales"]) == ("1,782,800", "2.00×", "1.0, not calibrated")


def test_faults_stand_beside_the_baselines(report):
    first, second, third = rows(faults_table(report))[:3]
    assert (first["arm"], first["wrong"], first["kinds"], first["flags"]) == (
        "auto",
        "6 of 200",
        "6 near value",
        "1 truncated",
    )
    assert (second["arm"], third["arm"], third["wrong"]) == ("control", "fp8", "14 of 200")


def test_tokens_stand_beside_the_controls(report):
    control, fp8 = rows(tokens_table(report))[:2]
    assert (control["arm"], control["token diff"]) == ("control", "1.3%")
    assert (fp8["identical outputs"], fp8["first divergence (median token)"]) == ("150 of 200", "7.5")


def test_the_headline_names_the_gpu(report):
    assert headline(report) == "llama · vLLM 0.32.0 · NVIDIA H200 · 200 questions on 50 documents a cell · seed 0"


def test_markdown_holds_every_table_and_escapes_what_would_break_them(report):
    text = markdown(report)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert "fp8: degraded on evidence at 32k" in text
    assert "KV pool: 891,392 tokens with auto, 1,782,800 with fp8 (2.00×)" in text
    assert "3 spliced \\| torn" in text
    assert all(line.endswith("|") for line in tables)
    assert "incomplete" not in text.split("## Engines")[0].lower()


@pytest.mark.parametrize("width", [80, 140])
def test_the_terminal_shows_every_figure_at_any_width(report, width):
    out = io.StringIO()
    print_report(Console(file=out, width=width), report, "reports/x/report.md")
    shown = out.getvalue()
    for figure in ("97.0%", "93.0%", "1,782,800", "degraded: 8 near value", "a remark", "errors", "missing"):
        assert figure in shown


def test_an_incomplete_run_says_so_first(report):
    report["incomplete"] = True
    assert markdown(report).splitlines()[4].startswith("**This run is incomplete.**")


def test_the_baseline_alone_shows_how_it_did(report):
    report["cells"], report["conclusions"] = [], []
    out = io.StringIO()
    print_report(Console(file=out, width=140), report, "report.md")
    assert "6 of 200" in out.getvalue()
    assert "6 of 200" in markdown(report)
    assert "By task and length" not in markdown(report)
