"""Reads the dtype and the KV cache format from a model's transformers config."""

from typing import Any


def config_dtype(config: Any) -> str:
    """vLLM's default dtype for a model: the dtype in its config, or bfloat16 for a float32 model."""
    named = str(getattr(config.get_text_config(), "dtype", None)).removeprefix("torch.")
    return named if named in {"float16", "bfloat16"} else "bfloat16"


def brings_kv_format(config: Any) -> bool:
    """Whether a checkpoint sets a KV format of its own, which vLLM then uses for `auto`."""
    quantization = getattr(config, "quantization_config", None) or {}
    if not isinstance(quantization, dict):
        quantization = quantization.to_dict()
    return bool(quantization.get("kv_cache_scheme") or quantization.get("kv_cache_quant_algo"))
