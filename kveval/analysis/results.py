"""The report as data: everything that `report.json` holds, and all that the other forms of the report read."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from kveval.analysis import DEFAULT_MARGIN, MAX_ERROR_SHARE, find_degradation, without_document
from kveval.arms import BASELINE, CONTROL
from kveval.kv_cache.dtypes import UNKNOWN
from kveval.scoring import METRICS
from kveval.scoring.score_outputs import ERROR, MISSING, answer_texts, read_run, sample_key, score_run
from kveval.store.run_directory import SCHEMA, Record, RunDirectory, write_json, write_jsonl
from kveval.store.schema import agreed, arms_in, read_engines, read_manifest
from kveval.wording.format import percent, plural
from kveval.wording.sentences import conclusion, left_out_remarks, not_tested, padding_remarks, uneven_controls

DONE, FAILED, INCOMPLETE = "done", "failed", "incomplete"


def build_report(directory: RunDirectory, *, margin: float = DEFAULT_MARGIN) -> Record:
    """Score a run directory and write `scores.jsonl` and `report.json`; returns what the latter holds.

    `margin` is the loss, as a share, that is still accepted. Needs no engine.
    """
    manifest = read_manifest(directory)
    identity = manifest["identity"]
    arms = {arm.name: arm.kv_dtype for arm in arms_in(manifest)}
    stored = read_run(directory, arms)
    scores = score_run(stored)
    write_jsonl(directory.scores, scores)
    facts = {
        name: arm_facts(directory, name, asked, [score for score in scores if score["arm"] == name])
        for name, asked in arms.items()
    }
    compared = [score for score in scores if score["with_document"]]
    found = find_degradation(compared, facts, margin=margin, seed=identity["seed"])
    samples = {sample["id"]: sample for sample in stored.samples}
    keys = [sample_key(sample) for sample in stored.samples]
    texts = {arm: answer_texts(keys, outputs) for arm, outputs in stored.outputs.items()}
    left_out = manifest.get("left_out", [])
    lone = without_document([score for score in scores if not score["with_document"]])
    report = {
        "schema": SCHEMA,
        "model": identity["model"],
        "kveval": identity["kveval"],
        "vllm": identity["vllm"],
        "device": identity["device"],
        "host": manifest["host"],
        "created": manifest["created"],
        "tasks": identity["task_versions"],
        "metrics": METRICS,
        "lengths": identity["lengths"],
        "samples": identity["samples"],
        "seed": identity["seed"],
        "concurrency": identity["concurrency"],
        "engine_args": identity["engine_args"],
        "margin": margin,
        "arms": facts,
        "baselines": found.baselines,
        "cells": found.cells,
        "trends": found.trends,
        "without_document": lone,
        "worst_pairs": list(worst_pairs(found.cells, scores, samples, texts)),
        "left_out": left_out,
        "remarks": [*left_out_remarks(left_out), *padding_remarks(stored.samples), *_remarks(facts, found.cells, lone)],
        "conclusions": [conclusion(arm, found.cells) for arm in arms if arm not in (BASELINE, CONTROL)],
        "not_tested": not_tested(identity, compared, manifest.get("rows", {})),
        "incomplete": is_incomplete(facts),
    }
    write_json(directory.report_json, report)
    return report


def is_incomplete(arms: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an arm failed, has samples that were not sent, or more errors than a result can bear."""
    return any(
        arm["status"] != DONE or arm["errors"] > MAX_ERROR_SHARE * max(1, arm["samples"]) for arm in arms.values()
    )


def arm_facts(directory: RunDirectory, name: str, asked: str, mine: list[Record]) -> Record:
    """What the last engine of an arm ran, how much it answered, and how it ended; `mine` are the arm's scores."""
    engines = read_engines(directory, name)
    # An engine that did not come up says nothing of what the outputs were made with.
    running = [engine for engine in engines if "kv_dtype_effective" in engine]
    last = running[-1] if running else {}
    missing = sum(score["status"] == MISSING for score in mine)
    errors = sum(score["status"] == ERROR for score in mine)
    failed = bool(missing or errors) and bool(engines) and engines[-1]["status"] == FAILED
    return {
        "kv_dtype_asked": asked,
        "kv_dtype_effective": agreed(running, "kv_dtype_effective") or UNKNOWN,
        "kv_pool_tokens": last.get("kv_pool_tokens"),
        "attention_backend": agreed(running, "attention_backend"),
        "scales": agreed(running, "scales"),
        "model_dtype": last.get("model_dtype"),
        "block_size": last.get("block_size"),
        "status": FAILED if failed else INCOMPLETE if missing else DONE,
        "reason": engines[-1].get("reason") if failed else None,
        "samples": len(mine),
        "errors": errors,
        "error_kinds": dict(Counter(score["error"] for score in mine if score["status"] == ERROR)),
        "missing": missing,
        "engines": len(engines),
        "start_seconds": sum(engine.get("start_seconds", 0.0) for engine in running),
        "serving_seconds": sum(engine.get("serving_seconds", 0.0) for engine in running),
        "prefix_cache_hits": last.get("prefix_cache_hits"),
        "prefix_cache_queries": last.get("prefix_cache_queries"),
        "preemptions": last.get("preemptions"),
    }


def _remarks(arms: Mapping[str, Mapping[str, Any]], cells: list[Record], lone: list[Record]) -> Iterator[str]:
    """What a reader has to know beside the figures."""
    if CONTROL not in arms:
        yield "Noise was not measured: without the control, a token difference means nothing by itself."
    yield from uneven_controls(cells)
    for task in (task for task in lone if task["answerable"]):
        yield (
            f"{task['task']}: {task['right']} of {task['n']} questions are answered right without the document (guessing "
            f"reaches {percent(task['guess'])}): what a model need not read, a cache cannot lose."
        )
    for name, arm in arms.items():
        if arm["status"] == FAILED:
            yield f"{name} failed: {arm['reason']}"
        yield from (
            f"{name}: {plural(count, 'request')} failed with: {kind}" for kind, count in arm["error_kinds"].items()
        )


def worst_pairs(
    cells: list[Record],
    scores: list[Record],
    samples: Mapping[str, Record],
    outputs: Mapping[str, Mapping[str, str]],
) -> Iterator[Record]:
    """The pairs that lost most in each cell, with both outputs. `outputs` are texts by arm and sample id."""
    judged = {(score["task"], score["sample_id"], score["arm"]): score for score in scores}
    for cell in cells:
        for sample_id in cell["worst"] if cell["arm"] != CONTROL else ():
            sample, score = samples[sample_id], judged[cell["task"], sample_id, cell["arm"]]
            yield {
                **{name: cell[name] for name in ("task", "length", "padded", "arm")},
                "sample_id": sample_id,
                **{name: sample[name] for name in ("question", "gold", "depth")},
                "reason": score["reason"],
                "value_baseline": judged[cell["task"], sample_id, BASELINE]["value"],
                "value": score["value"],
                "output_baseline": outputs[BASELINE][sample_id],
                "output": outputs[cell["arm"]][sample_id],
            }
