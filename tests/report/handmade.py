"""A report made by hand, as the fields of `report.json`: two tasks at one length, on auto, the control and fp8."""

from copy import deepcopy

from kveval.store.report_schema import Cell, Report

CELL = {
    "breakdowns": [],
    "task": "evidence",
    "length": 32768,
    "arm": "fp8",
    "padded": True,
    "guess": 0.1,
    "lost_to": {},
    "worst": [],
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
    "divergence": {"never": 150, "median": 7.0, "still_equal": {"1": 1.0, "16": 0.8}},
    "length_ratio": 1.04,
    "excess": {
        "n": 198,
        "difference": -0.035,
        "interval": [-0.07, -0.005],
        "flips": 0.045,
        "flips_interval": [0.01, 0.08],
        "token_diff": 0.031,
        "token_diff_interval": [0.012, 0.05],
        "earlier": 40,
        "later": 11,
        "p": 0.0004,
    },
    "errors": 2,
    "missing": 3,
    "metrics": ["number_match"],
    "faults_baseline": {"near value": {"count": 6, "of": 200, "unit": "answers"}},
    "faults": {
        "near value": {"count": 12, "of": 200, "unit": "answers"},
        "no number": {"count": 2, "of": 200, "unit": "answers"},
    },
    "depths": [
        {"from": 0.0, "to": 0.2, "n": 40, "right_baseline": 39, "right": 37, "lost": 3, "gained": 1}
        | {"score_baseline": 0.975, "score": 0.925}
    ],
    "p_adjusted": 0.0312,
    "verdict": "degraded",
    "because": "8 near values, 1 no number",
    "confounds": [],
}
CONTROL = CELL | {"arm": "control", "lost": 1, "gained": 0, "token_diff": 0.013, "verdict": None, "because": "noise"}
CONTROL |= {"excess": None, "p_adjusted": None, "faults": {"near value": {"count": 5, "of": 199, "unit": "answers"}}}
COPY = CELL | {
    "task": "copy",
    "measure": "similarity",
    "score_baseline": 0.993,
    "score": 0.951,
    "difference": -0.042,
    "interval": [-0.058, -0.027],
    "because": "3 spliced | torn",
    "metrics": ["copy_fidelity"],
    "faults": {"splices": {"count": 3, "of": 50, "unit": "passages"}},
    "faults_baseline": {},
}


def made(report):
    """The report of these fields."""
    return Report.model_validate({**report})


def made_cell(cell):
    """The cell of these fields."""
    return Cell.model_validate(cell)


def arm(dtype, pool, **more):
    facts = {"kv_dtype_asked": dtype, "kv_dtype_effective": dtype, "kv_pool_tokens": pool, "scales": None}
    facts |= {"model_dtype": "bfloat16"}
    facts |= {"attention_backend": "FLASH_ATTN", "status": "done", "reason": None, "errors": 0, "missing": 0}
    return facts | {"start_seconds": 30.2, "serving_seconds": 100.0} | more


def made_report():
    return deepcopy(_report())


def _report():
    baseline = {"task": "evidence", "length": 32768, "n": 200, "documents": 50, "right": 194}
    baseline |= {"errors": 0, "missing": 0, "flags": {"truncated": 1}, "right_interval": [0.94, 0.99], "score": 0.97}
    baseline |= {"cut": 0, "garbage": 0}
    baseline |= {"faults": {"near value": {"count": 6, "of": 200, "unit": "answers"}}}
    return {
        "schema": 1,
        "model": "llama",
        "created": "2026-11-30T00:00:00+00:00",
        "lengths": [32768],
        "left_out": [],
        "kveval": "0.1.0",
        "vllm": "0.32.0",
        "device": "cuda",
        "host": {"machine": "x86_64", "system": "Linux", "gpus": ["NVIDIA H200, 143771 MiB, 580"], "cpus": 16},
        "samples": 200,
        "seed": 0,
        "concurrency": 8,
        "engine_args": ["--max-num-seqs", "8"],
        "tasks": {"evidence": 1, "copy": 1},
        "metrics": {"number_match": 1, "copy_fidelity": 2, "token_diff": 1},
        "margin": 0.02,
        "arms": {
            "auto": arm("bfloat16", 891392),
            "control": arm("bfloat16", 891392),
            "fp8": arm("fp8_e4m3", 1782800, scales="1.0, not calibrated"),
        },
        "baselines": [baseline, baseline | {"task": "copy"}],
        "cells": [CONTROL, CELL, CONTROL | {"task": "copy"}, COPY],
        "trends": [{"task": "evidence", "arm": "fp8", "lengths": [8192, 32768], "per_doubling": -0.012, "p": 0.012}],
        "without_document": [
            {
                "task": "evidence",
                "n": 20,
                "right": 1,
                "right_interval": [0.009, 0.236],
                "guess": 0.1,
                "answerable": False,
            }
        ],
        "worst_pairs": [
            {"task": "evidence", "length": 32768, "arm": "fp8", "sample_id": "evidence-32768-3-1", "question": "Which?"}
            | {"gold": ["0.73"], "depth": 0.42, "reason": "near value", "value_baseline": 1.0, "value": 0.0}
            | {"output_baseline": "It was 0.73.", "output": "It was ``` 0.83."}
        ],
        "remarks": ["a remark"],
        "conclusions": ["fp8: degraded on evidence at 32k, copy at 32k."],
        "not_tested": "lengths above 32k",
        "incomplete": False,
    }
