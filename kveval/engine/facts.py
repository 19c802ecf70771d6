"""The actual settings of an engine, read from its metrics and log and never assumed from the command line."""

import re
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from kveval.kv_cache.dtypes import UNKNOWN, canonical_name, has_tensor_scales
from kveval.kv_cache.layout import kv_bytes_per_token
from kveval.models.model_config import brings_kv_format, config_dtype
from kveval.store.run_records import EngineFacts

# A pool consists of whole blocks, and vLLM rounds the sizes that it logs, so size and formula agree to about one percent.
_POOL_TOLERANCE = 0.05


def read_facts(
    metrics: str, log: str, *, kv_dtype_asked: str, config: Any, vllm_version: str, device: str, start_seconds: float
) -> EngineFacts:
    """Read facts from the text of `/metrics` and the engine's log. `config` is the model's transformers config.

    The log of an endpoint is not available (`log` is empty): the model's dtype is then taken from the config.
    """
    cache = _cache_config(metrics)
    model_dtype = _first(r"\bdtype=torch\.(\w+)", log) if log else config_dtype(config)
    tokens = _integer(cache.get("kv_cache_size_tokens")) or _logged_pool_tokens(log)
    pool_bytes = _integer(cache.get("kv_cache_memory_bytes")) or _logged_pool_bytes(log)
    label = cache.get("cache_dtype")
    stored = model_dtype if label == "auto" else label and canonical_name(label)
    # Pool bytes are those of one worker. With pipeline parallelism, the worker's share of the layers is unknown.
    workers = int(_first(r"tensor_parallel_size=(\d+)", log) or 1)
    one_stage = (_first(r"pipeline_parallel_size=(\d+)", log) or "1") == "1"
    expected = kv_bytes_per_token(config, stored or "", workers) if one_stage else None
    # If the user sets the number of blocks or skips layers, the size does not reveal the format.
    set_by_user = [cache.get(name) for name in ("num_gpu_blocks_override", "kv_cache_dtype_skip_layers")]
    plain = (
        all(value in (None, "None", "[]") for value in set_by_user)
        and "speculative_config=SpeculativeConfig" not in log
    )
    checkable = plain and expected is not None and tokens is not None and pool_bytes is not None
    contradicted = checkable and not _agrees(pool_bytes / tokens, expected)  # type: ignore[operator, arg-type]
    # An "auto" that cannot be checked by size is the model's dtype only if the checkpoint has no KV format of its own.
    unverified = label == "auto" and not checkable and brings_kv_format(config)
    effective = UNKNOWN if stored is None or contradicted or unverified else stored
    return EngineFacts(
        kv_dtype_asked=kv_dtype_asked,
        kv_dtype_effective=effective,
        kv_pool_tokens=tokens,
        kv_pool_bytes=pool_bytes,
        block_size=_integer(cache.get("block_size")),
        num_gpu_blocks=_integer(cache.get("num_gpu_blocks")),
        weight_bytes=_gibibytes(_first(r"Model loading took ([\d.]+) GiB", log)),
        attention_backend=_first(r"Using (?:AttentionBackendEnum\.)?([A-Z][A-Z0-9_]+) (?:attention )?backend", log),
        model_dtype=model_dtype,
        scales=_scales(log, effective, config),
        prefix_caching={"True": True, "False": False}.get(cache.get("enable_prefix_caching", "")),
        vllm_version=vllm_version,
        device=device,
        start_seconds=round(start_seconds, 1),
    )


def _agrees(bytes_per_token: float, expected: tuple[int, int]) -> bool:
    least, most = expected
    return least * (1 - _POOL_TOLERANCE) < bytes_per_token < most * (1 + _POOL_TOLERANCE)


def counter(metrics: str, name: str) -> float | None:
    """Return the sum of one counter over all engines of a server, or None if the server does not have the counter."""
    values = [
        sample.value
        for family in text_string_to_metric_families(metrics)
        for sample in family.samples
        if sample.name == name
    ]
    return sum(values) if values else None


def _cache_config(metrics: str) -> dict[str, str]:
    for family in text_string_to_metric_families(metrics):
        if family.name == "vllm:cache_config_info":
            return dict(family.samples[0].labels)
    return {}


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found[1] if found else None


def _integer(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _logged_pool_tokens(log: str) -> int | None:
    found = _first(r"KV cache size: ([\d,]+) tokens", log)
    return int(found.replace(",", "")) if found else None


def _logged_pool_bytes(log: str) -> int | None:
    return _gibibytes(_first(r"Available KV cache memory: ([\d.]+) GiB", log))


def _gibibytes(text: str | None) -> int | None:
    return round(float(text) * 2**30) if text else None


def _scales(log: str, effective: str, config: Any) -> str | None:
    if not has_tensor_scales(effective):
        return None
    if re.search(r"calculate_kv_scales['\"]?\s*[:=]\s*True", log):
        return "computed at run time"
    # vLLM warns if the scales are 1.0; a checkpoint without a KV format contains no scales.
    if "KV cache scaling factor 1.0" in log or not brings_kv_format(config):
        return "1.0, not calibrated"
    return "checkpoint"
