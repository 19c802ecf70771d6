"""What a model's transformers config says about its dtype and its KV cache."""

from typing import Any


def config_dtype(config: Any) -> str:
    """The dtype in which vLLM runs a model unless told otherwise: the config's, or bfloat16 for a float32 model."""
    named = str(getattr(config.get_text_config(), "dtype", None)).removeprefix("torch.")
    return named if named in {"float16", "bfloat16"} else "bfloat16"


def brings_kv_format(config: Any) -> bool:
    """Whether a checkpoint names a KV format of its own, which vLLM then uses for `auto`."""
    quantization = getattr(config, "quantization_config", None) or {}
    if not isinstance(quantization, dict):
        quantization = quantization.to_dict()
    return bool(quantization.get("kv_cache_scheme") or quantization.get("kv_cache_quant_algo"))
