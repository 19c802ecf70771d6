"""Migrations from one schema to the next. Each takes an object as written and returns a new one; files are not rewritten."""

from typing import Any

_FACTS = (
    *("kv_dtype_asked", "kv_dtype_effective", "kv_pool_tokens", "kv_pool_bytes", "block_size", "num_gpu_blocks"),
    *("weight_bytes", "attention_backend", "model_dtype", "scales", "prefix_caching", "vllm_version", "device"),
    "start_seconds",
)


def engines_1_to_2(record: dict[str, Any]) -> dict[str, Any]:
    """`engine.json`: the facts that an engine reported move from beside its status to `facts`."""
    return {**record, "schema": 2, "engines": [_engine_1_to_2(engine) for engine in record["engines"]]}


def _engine_1_to_2(engine: dict[str, Any]) -> dict[str, Any]:
    facts = {name: value for name, value in engine.items() if name in _FACTS}
    rest = {name: value for name, value in engine.items() if name not in _FACTS}
    if "kv_dtype_effective" not in facts:
        return rest
    missing: dict[str, Any] = {
        **dict.fromkeys(_FACTS),
        "kv_dtype_asked": "",
        "vllm_version": "",
        "device": "",
        "start_seconds": 0.0,
    }
    return {**rest, "facts": missing | facts}


def manifest_1_to_2(record: dict[str, Any]) -> dict[str, Any]:
    """`manifest.json`: what determines an output (`identity`) is separated from the extent of a run, arms are listed with their
    roles, and template and sampling, which were constants, are recorded."""
    old = record["identity"]
    endpoints = old.get("endpoints", {})

    def arm(name: str, role: str, kv_dtype: str) -> dict[str, Any]:
        return {"name": name, "role": role, "kv_dtype": kv_dtype, "endpoint": endpoints.get(kv_dtype)}

    others = [arm(dtype, "candidate", dtype) for dtype in old["kv_dtypes"] if dtype != "auto"]
    control = [arm("control", "control", "auto")] if old["control"] else []
    kept = {name: value for name, value in record.items() if name not in ("schema", "identity")}
    return {
        **kept,
        "schema": 2,
        "kveval": old["kveval"],
        "identity": {
            "model": {"name": old["model"], "hash": old.get("model_hash"), "revision": None},
            "template": {"arguments": {"enable_thinking": False}, "date": "2026-01-01"},
            "sampling": {
                **{"n": 1, "temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "presence_penalty": 0.0},
                **{"frequency_penalty": 0.0, "repetition_penalty": 1.0, "length_penalty": 1.0, "min_tokens": 0},
                **{"ignore_eos": False, "seed": 0},
            },
            "engine_args": old["engine_args"],
            "seed": old["seed"],
            "vllm": old["vllm"],
            "device": old["device"],
        },
        "arms": [arm("auto", "baseline", "auto"), *control, *others],
        "extent": {
            "tasks": old["task_versions"],
            "lengths": old["lengths"],
            "samples": old["samples"],
            "concurrency": old["concurrency"],
        },
    }
