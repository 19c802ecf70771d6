"""How many bytes a token takes in the KV cache, from a model's config."""

from typing import Any

# Bytes of one element as vLLM stores it. Formats with scales of their own beside the elements are not here: their size
# depends on the version of vLLM.
ELEMENT_BYTES = {
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "fp8": 1,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
}


def kv_bytes_per_token(config: Any, kv_dtype: str, tensor_parallel: int = 1) -> int | None:
    """Bytes of keys and values of one token over all layers, on one of `tensor_parallel` GPUs, for a `transformers` config.

    None for what this formula does not cover: layers that are not all full attention (sliding window, state space, MLA), and
    element formats with scales of their own.
    """
    config = config.get_text_config()
    layer_types = set(getattr(config, "layer_types", None) or ["full_attention"])
    windowed = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    if layer_types != {"full_attention"} or windowed or hasattr(config, "kv_lora_rank"):
        return None
    element = ELEMENT_BYTES.get(kv_dtype)
    heads = getattr(config, "num_key_value_heads", None) or getattr(config, "num_attention_heads", None)
    layers = getattr(config, "num_hidden_layers", None)
    if not (element and heads and layers):
        return None
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    heads_here = max(1, heads // tensor_parallel)  # fewer heads than GPUs are held by several
    return int(2 * layers * heads_here * head_dim * element)
