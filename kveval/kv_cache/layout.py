"""Computes the KV bytes per token and per sequence, and the size of constant states, from a model's config.

Formulas and names follow vLLM 0.32 (`v1/kv_cache_interface.py`, `layers/mamba/mamba_utils.py` and its model files). An
incomplete config raises ModelError; missing values are not guessed.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from kveval.errors import ModelError
from kveval.kv_cache.dtypes import element_bytes

# Layer names in `layer_types` and `layers_block_type` of all transformers versions. Hybrid layers have attention and a state.
_ATTENTION = {"full_attention", "attention", "sliding_attention", "chunked_attention", "hybrid"}
_STATE = {"linear_attention", "mamba", "conv", "hybrid"}
_NEITHER = {"mlp", "moe"}

# vLLM stores one latent vector per token for these; other models with a kv_lora_rank store the expanded keys and values.
_LATENT = {"deepseek_v2", "deepseek_v3", "glm4_moe_lite", "kimi_k2", "kimi_linear"}

# Without `layer_types`, these have a window in all layers. In older transformers, others have one in every second layer.
_WINDOWED = {"mistral", "mixtral", "phi3", "phimoe", "starcoder2"}

# Config fields of models whose layers differ from each other or store more than keys and values.
_UNREAD = (
    *("block_configs", "compress_ratios", "cross_attention_layers", "global_head_dim", "index_topk"),
    *("swa_num_key_value_heads", "swa_num_attention_heads"),
)


@dataclass(frozen=True)
class Layers:
    """A group of attention layers with the same cache size per sequence, on one GPU."""

    number: int
    elements: int
    """Elements of one token in one layer."""
    window: int | None
    """Maximum number of tokens stored per sequence; None if all tokens are stored."""
    chunked: bool = False
    """Whether attention works in consecutive chunks of `window` tokens instead of a sliding window."""


@dataclass(frozen=True)
class KVLayout:
    """The cache of one sequence on one GPU."""

    layers: tuple[Layers, ...]
    state_layers: int
    """Number of layers (Mamba, linear attention, convolution) whose state has the same size at every length."""
    state_bytes: int | None
    """Total state of these layers, in the state's own dtype; None if the config does not determine it."""

    @property
    def grows_evenly(self) -> bool:
        """Whether every token takes the same number of bytes at every length."""
        return not self.state_layers and all(layers.window is None for layers in self.layers)

    def token_bytes(self, kv_dtype: str, position: int = 1) -> tuple[int, int]:
        """Minimum and maximum bytes that the token at `position` (from 1) adds to a sequence."""
        growing = (group for group in self.layers if group.window is None or position <= group.window)
        return _sized(sum(group.number * group.elements for group in growing), kv_dtype)

    def sequence_bytes(self, kv_dtype: str, tokens: int) -> tuple[int, int]:
        """Minimum and maximum bytes of a sequence of `tokens` tokens, including its state if known."""
        elements = sum(group.number * group.elements * min(tokens, group.window or tokens) for group in self.layers)
        least, most = _sized(elements, kv_dtype)
        state = self.state_bytes or 0
        return least + state, most + state


def kv_bytes_per_token(config: Any, kv_dtype: str, tensor_parallel: int = 1) -> tuple[int, int] | None:
    """KV bytes per token over all layers, on one of `tensor_parallel` GPUs, for a `transformers` config.

    Returns the minimum and the maximum for the format, which are equal if the format stores no scales. Returns None if tokens
    differ in size (a window, a state), if the config is incomplete, and for unknown formats.
    """
    try:
        layout = kv_layout(config, tensor_parallel)
        return layout.token_bytes(kv_dtype) if layout.grows_evenly else None
    except ModelError:
        return None


def kv_layout(config: Any, tensor_parallel: int = 1) -> KVLayout:
    """The cache of a sequence on one of `tensor_parallel` GPUs, for a `transformers` config. Raises ModelError, which names
    what is missing, if the config does not determine it."""
    config = config.get_text_config()
    unread = next((name for name in _UNREAD if getattr(config, name, None)), None)
    if unread or getattr(config, "is_heterogeneous", False) or getattr(config, "is_encoder_decoder", False):
        raise ModelError(
            f"layers of {config.model_type} differ in ways that are not supported{f' ({unread})' * bool(unread)}"
        )
    types = _layer_types(config)
    own = types[
        : len(types) - (getattr(config, "num_kv_shared_layers", 0) or 0)
    ]  # the last layers share the cache of an earlier one
    numbers = Counter(_window(config, name) for name in own if name in _ATTENTION)
    elements = _elements(config, tensor_parallel) if numbers else 0
    layers = tuple(Layers(number, elements, *window) for window, number in numbers.items())
    states = sum(name in _STATE for name in types)
    return KVLayout(layers, states, _state_bytes(config, states, tensor_parallel))


def _layer_types(config: Any) -> list[str]:
    """The type of each layer, by the names that transformers uses."""
    number = getattr(config, "num_hidden_layers", None)
    if not number:
        raise ModelError(f"the config of {config.model_type} has no num_hidden_layers")
    types = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)
    if types is None:
        window = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
        if window and config.model_type not in _WINDOWED:
            raise ModelError(f"the config of {config.model_type} does not specify which layers use its sliding_window")
        types = ["sliding_attention" if window else "full_attention"] * number
    if unknown := sorted(set(types) - _ATTENTION - _STATE - _NEITHER):
        raise ModelError(f"the cache size of layers of type {', '.join(unknown)} is not known")
    return list(types)


def _window(config: Any, layer_type: str) -> tuple[int | None, bool]:
    """Maximum number of tokens that a layer stores (None: all), and whether its attention is chunked."""
    if layer_type not in {"sliding_attention", "chunked_attention"}:
        return None, False
    chunked = layer_type == "chunked_attention"
    name = "attention_chunk_size" if chunked else "sliding_window"
    window = getattr(config, name, None)
    if not window:
        raise ModelError(f"the config of {config.model_type} has layers of type {layer_type} but no {name}")
    return window, chunked


def _elements(config: Any, tensor_parallel: int) -> int:
    """Elements of one token in one attention layer on one GPU."""
    if rank := getattr(config, "kv_lora_rank", None):
        if config.model_type not in _LATENT:
            raise ModelError(
                f"whether {config.model_type} caches latent vectors or keys and values depends on the engine"
            )
        # transformers 5.4 overwrites this value with head_dim; vLLM restores it from the file.
        if config.qk_rope_head_dim == getattr(config, "qk_nope_head_dim", None):
            raise ModelError(f"this version of transformers reads qk_rope_head_dim of {config.model_type} incorrectly")
        return int(rank + config.qk_rope_head_dim)  # one vector, whole on every GPU
    heads = _kv_heads(config)
    if not heads:
        raise ModelError(f"the config of {config.model_type} does not give the number of heads")
    if getattr(config, "v_head_dim", None):
        raise ModelError(f"keys and values of {config.model_type} differ in size (v_head_dim), which is not supported")
    if heads % tensor_parallel and tensor_parallel % heads:
        raise ModelError(f"{heads} KV heads cannot be divided among {tensor_parallel} GPUs")
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return int(2 * max(1, heads // tensor_parallel) * head_dim)  # with fewer heads than GPUs, each head is replicated


def _kv_heads(config: Any) -> int | None:
    if getattr(config, "multi_query", False) and not getattr(config, "new_decoder_architecture", False):
        return 1
    names = (
        "num_kv_heads",
        "num_key_value_heads",
        "multi_query_group_num",
        "num_attention_groups",
        "num_attention_heads",
    )
    return next((int(heads) for name in names if (heads := getattr(config, name, None))), None)


def _state_bytes(config: Any, layers: int, tensor_parallel: int) -> int | None:
    """Bytes of the states of `layers` layers on one GPU; None if the shape of the states is not known."""
    if not layers:
        return 0

    delta = _given(
        config, "linear_num_key_heads", "linear_key_head_dim", "linear_num_value_heads", "linear_value_head_dim"
    )
    mamba2 = _given(config, "mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state")
    if delta:  # gated delta net
        key_heads, key, value_heads, value = delta
        convolved, recurrent = 2 * key_heads * key + value_heads * value, value_heads * value * key
        kernel = config.linear_conv_kernel_dim
    elif mamba2:
        heads, head_dim, groups, state = mamba2
        if groups % tensor_parallel:  # each GPU stores the groups that its heads need
            groups = max(groups, tensor_parallel)
        convolved, recurrent = heads * head_dim + 2 * groups * state, heads * head_dim * state
        kernel = config.mamba_d_conv
    elif config.model_type == "jamba":
        convolved = config.mamba_expand * config.hidden_size
        recurrent = convolved * config.mamba_d_state
        kernel = config.mamba_d_conv
    else:
        return None
    # vLLM stores both in the model's dtype unless the config specifies one for the recurrent part.
    named = getattr(config, "mamba_ssm_dtype", None) or getattr(config, "mamba_ssm_cache_dtype", None)
    recurrent_bytes = 4 if named == "float32" else 2
    return int(layers * (2 * (kernel - 1) * convolved + recurrent_bytes * recurrent) // tensor_parallel)


def _given(config: Any, *names: str) -> list[int] | None:
    """The values of the named attributes; None if one is missing."""
    values = [getattr(config, name, None) for name in names]
    return [value for value in values if value] if all(values) else None


def _sized(elements: int, kv_dtype: str) -> tuple[int, int]:
    least, most = element_bytes(kv_dtype)
    return int(elements * least), int(elements * most)
