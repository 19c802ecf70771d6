"""How many bytes a token takes in the KV cache, from a model's config."""

from typing import Any

# Bytes of one element, least and most. Formats with scales beside the elements, or with some layers in the model's own dtype,
# take more than the elements alone, how much more depends on the version of vLLM.
ELEMENT_BYTES = {
    "float32": (4.0, 4.0),
    "float16": (2.0, 2.0),
    "bfloat16": (2.0, 2.0),
    "fp8": (1.0, 1.0),
    "fp8_e4m3": (1.0, 1.0),
    "fp8_e5m2": (1.0, 1.0),
    "fp8_inc": (1.0, 1.0),
    "fp8_per_token_head": (1.0, 1.3),
    "int8_per_token_head": (1.0, 1.3),
    "int4_per_token_head": (0.5, 0.8),
    "nvfp4": (0.5, 0.7),
    "nvfp4_4over6": (0.5, 0.7),
    "turboquant_k8v4": (0.75, 1.8),
    "turboquant_4bit_nc": (0.5, 1.8),
    "turboquant_k3v4_nc": (0.4, 1.8),
    "turboquant_3bit_nc": (0.375, 1.8),
}


def kv_bytes_per_token(config: Any, kv_dtype: str, tensor_parallel: int = 1) -> tuple[int, int] | None:
    """Bytes of keys and values of one token over all layers, on one of `tensor_parallel` GPUs, for a `transformers` config.

    The least and the most that the format can take; both are the same where it has no scales of its own. None for what this
    formula does not cover: layers that are not all full attention (sliding window, state space, MLA), and unknown formats.
    """
    config = config.get_text_config()
    layer_types = set(getattr(config, "layer_types", None) or ["full_attention"])
    windowed = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    if layer_types != {"full_attention"} or windowed or hasattr(config, "kv_lora_rank"):
        return None
    heads = getattr(config, "num_key_value_heads", None) or getattr(config, "num_attention_heads", None)
    layers = getattr(config, "num_hidden_layers", None)
    if not (kv_dtype in ELEMENT_BYTES and heads and layers):
        return None
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    heads_here = max(1, heads // tensor_parallel)  # fewer heads than GPUs are held by several
    elements = 2 * layers * heads_here * head_dim
    least, most = ELEMENT_BYTES[kv_dtype]
    return int(elements * least), int(elements * most)
