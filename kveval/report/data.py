"""The report as data: everything that `report.json` holds, and all that the other forms of the report read."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kveval.arms import BASELINE, CONTROL, arms_of
from kveval.config import length_name
from kveval.degradation import DEFAULT_MARGIN, MAX_ERROR_SHARE, find_degradation
from kveval.engine.facts import UNKNOWN
from kveval.errors import RunDirectoryError
from kveval.records import SCHEMA, Record, RunDirectory, read_json, read_jsonl, write_json, write_jsonl
from kveval.scoring import ERROR, MISSING, score_run

DONE, FAILED, INCOMPLETE = "done", "failed", "incomplete"


def build_report(directory: RunDirectory, *, margin: float = DEFAULT_MARGIN) -> Record:
    """Score a run directory and write `scores.jsonl` and `report.json`; returns what the latter holds.

    `margin` is the loss, as a share, that is still accepted. Needs no engine.
    """
    manifest = directory.read_manifest()
    identity = manifest["identity"]
    if lacking := [
        name for name in ("kv_dtypes", "control", "seed", "model", "lengths", "samples") if name not in identity
    ]:
        raise RunDirectoryError(
            f"{directory.manifest} is damaged, it has no {', '.join(lacking)}: choose another --out."
        )
    arms = {arm.name: arm.kv_dtype for arm in arms_of(identity["kv_dtypes"], control=identity["control"])}
    scores = score_run(directory, list(arms))
    write_jsonl(directory.scores, scores)
    facts = {name: _arm_facts(directory, name, asked, scores) for name, asked in arms.items()}
    baselines, cells = find_degradation(scores, facts, margin=margin, seed=identity["seed"])
    report = {
        "schema": SCHEMA,
        "model": identity["model"],
        "kveval": identity["kveval"],
        "vllm": identity["vllm"],
        "device": identity["device"],
        "host": manifest["host"],
        "created": manifest["created"],
        "tasks": identity["task_versions"],
        "lengths": identity["lengths"],
        "samples": identity["samples"],
        "seed": identity["seed"],
        "concurrency": identity["concurrency"],
        "engine_args": identity["engine_args"],
        "margin": margin,
        "arms": facts,
        "baselines": baselines,
        "cells": cells,
        "remarks": _remarks(facts),
        "conclusions": [_conclusion(arm, cells) for arm in arms if arm not in (BASELINE, CONTROL)],
        "not_tested": _not_tested(directory, identity),
        "incomplete": is_incomplete(facts),
    }
    write_json(directory.report_json, report)
    return report


def is_incomplete(arms: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an arm failed, has samples that were not sent, or more errors than a result can bear."""
    return any(
        arm["status"] != DONE or arm["errors"] > MAX_ERROR_SHARE * max(1, arm["samples"]) for arm in arms.values()
    )


def _arm_facts(directory: RunDirectory, name: str, asked: str, scores: list[Record]) -> Record:
    """What the last engine of an arm ran, how much it answered, and how it ended."""
    path = directory.engine(name)
    engines = read_json(path)["engines"] if path.exists() else []
    # An engine that did not come up says nothing of what the outputs were made with.
    running = [engine for engine in engines if "kv_dtype_effective" in engine]
    last = running[-1] if running else {}
    mine = [score for score in scores if score["arm"] == name]
    missing = sum(score["status"] == MISSING for score in mine)
    errors = sum(score["status"] == ERROR for score in mine)
    failed = bool(missing or errors) and bool(engines) and engines[-1]["status"] == FAILED
    return {
        "kv_dtype_asked": asked,
        "kv_dtype_effective": _agreed(running, "kv_dtype_effective") or UNKNOWN,
        "kv_pool_tokens": last.get("kv_pool_tokens"),
        "attention_backend": _agreed(running, "attention_backend"),
        "scales": _agreed(running, "scales"),
        "model_dtype": last.get("model_dtype"),
        "block_size": last.get("block_size"),
        "status": FAILED if failed else INCOMPLETE if missing else DONE,
        "reason": engines[-1].get("reason") if failed else None,
        "samples": len(mine),
        "errors": errors,
        "error_kinds": dict(Counter(score["error"] for score in mine if score["status"] == ERROR)),
        "missing": missing,
        "engines": len(engines),
        "start_seconds": sum(engine["start_seconds"] for engine in running),
        "serving_seconds": sum(engine.get("serving_seconds", 0.0) for engine in running),
        "prefix_cache_hits": last.get("prefix_cache_hits"),
        "prefix_cache_queries": last.get("prefix_cache_queries"),
        "preemptions": last.get("preemptions"),
    }


def _agreed(engines: list[Record], fact: str) -> Any:
    """One fact of all engines that served an arm; None where they differ, since the outputs are then a mixture."""
    values = {engine[fact] for engine in engines}
    return values.pop() if len(values) == 1 else None


def _remarks(arms: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What a reader has to know beside the figures."""
    base = arms[BASELINE]
    remarks = []
    if CONTROL not in arms:
        remarks.append("Noise was not measured: without the control, a token difference means nothing by itself.")
    for name, arm in arms.items():
        if arm["status"] == FAILED:
            remarks.append(f"{name} failed: {arm['reason']}")
        if arm["attention_backend"] != base["attention_backend"]:
            remarks.append(
                f"{name} ran with the attention backend {arm['attention_backend']}, auto with {base['attention_backend']}: "
                "a difference may come from the backend and not from the cache."
            )
        remarks += [f"{name}: {count} requests failed with: {kind}" for kind, count in arm["error_kinds"].items()]
    return remarks


def _conclusion(arm: str, cells: list[Record]) -> str:
    """One line on an arm: its verdicts, each with the tasks and lengths it holds for."""
    where: dict[str, dict[str, list[str]]] = {}
    for cell in (cell for cell in cells if cell["arm"] == arm):
        where.setdefault(cell["verdict"], {}).setdefault(cell["task"], []).append(length_name(cell["length"]))
    order = ("degraded", "invalid", "weak baseline", "inconclusive", "pass")
    said = [
        f"{verdict} on " + ", ".join(f"{task} at {', '.join(lengths)}" for task, lengths in where[verdict].items())
        for verdict in order
        if verdict in where
    ]
    return f"{arm}: {'; '.join(said)}." if said else f"{arm}: nothing was measured."


def _not_tested(directory: RunDirectory, identity: Mapping[str, Any]) -> str:
    budgets = [sample["max_answer_tokens"] for sample in read_jsonl(directory.samples)]
    longest = length_name(max(identity["lengths"]))
    return f"lengths above {longest}, answers over {max(budgets):,} tokens, other engine arguments"
