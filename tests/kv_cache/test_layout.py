"""Sizes are those that vLLM 0.32's own specs give for the same configs (v1/kv_cache_interface.py, mamba_utils.py)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    DeepseekV3Config,
    DeepseekV32Config,
    FalconConfig,
    FalconH1Config,
    Gemma2Config,
    Gemma3nTextConfig,
    Gemma3TextConfig,
    Gemma4TextConfig,
    GptOssConfig,
    GraniteMoeHybridConfig,
    JambaConfig,
    KimiLinearConfig,
    Llama4TextConfig,
    LlamaConfig,
    MiniCPM3Config,
    MistralConfig,
    Qwen2Config,
    Qwen3NextConfig,
    RecurrentGemmaConfig,
    T5Config,
)

from kveval.errors import ModelError
from kveval.kv_cache.dtypes import KV_DTYPES
from kveval.kv_cache.layout import kv_bytes_per_token, kv_layout

LLAMA_3_8B = LlamaConfig(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=32)
GEMMA_2_9B = Gemma2Config(
    hidden_size=3584, num_attention_heads=16, num_key_value_heads=8, head_dim=256, num_hidden_layers=42
)
GEMMA_3_27B = Gemma3TextConfig(
    num_hidden_layers=62, num_attention_heads=32, num_key_value_heads=16, head_dim=128, sliding_window=1024
)
GRANITE_4_H_SMALL = GraniteMoeHybridConfig(
    num_hidden_layers=40,
    num_key_value_heads=8,
    mamba_d_state=128,
    layer_types=["attention" if index in (5, 15, 25, 35) else "mamba" for index in range(40)],
)
FALCON_H1_7B = FalconH1Config(
    num_hidden_layers=44,
    hidden_size=3072,
    num_attention_heads=12,
    num_key_value_heads=2,
    head_dim=128,
    mamba_d_ssm=3072,
    mamba_n_heads=24,
    mamba_d_head=128,
)
WINDOWED = [GEMMA_2_9B, GEMMA_3_27B, GptOssConfig(), Llama4TextConfig(), MistralConfig(), Gemma3nTextConfig()]
ALL = [*WINDOWED, LLAMA_3_8B, DeepseekV3Config(), Qwen3NextConfig(), JambaConfig(), FALCON_H1_7B, GRANITE_4_H_SMALL]


@pytest.mark.parametrize(("dtype", "size"), [("bfloat16", 131_072), ("fp8_e4m3", 65_536), ("float32", 262_144)])
def test_llama_3_8b(dtype, size):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) == (size, size)
    assert kv_layout(LLAMA_3_8B).sequence_bytes(dtype, 32_768) == (32_768 * size,) * 2


def test_formats_with_scales_of_their_own_have_a_range():
    least, most = kv_bytes_per_token(LLAMA_3_8B, "int4_per_token_head")
    assert least == 32_768
    assert least < most < 65_536


def test_several_gpus_share_the_heads():
    assert kv_bytes_per_token(LLAMA_3_8B, "bfloat16", 4) == (32_768, 32_768)
    assert kv_bytes_per_token(LLAMA_3_8B, "bfloat16", 16) == (16_384, 16_384)  # 8 heads on 16 GPUs: each holds one
    assert kv_bytes_per_token(LLAMA_3_8B, "bfloat16", 3) is None


@pytest.mark.parametrize("gpus", [1, 2, 8])
def test_latent_attention_keeps_one_vector_on_every_gpu(gpus):
    assert kv_bytes_per_token(DeepseekV3Config(), "bfloat16", gpus) == (61 * (512 + 64) * 2,) * 2


def test_one_head_for_all_queries():
    assert kv_bytes_per_token(FalconConfig(), "bfloat16") == (8_192, 8_192)


@pytest.mark.parametrize("dtype", ["unknown", "", "fp8_ds_mla"])
def test_formats_that_are_not_known_are_not_guessed(dtype):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) is None


@pytest.mark.parametrize("config", [*WINDOWED, Qwen3NextConfig(), JambaConfig(), FALCON_H1_7B])
def test_where_tokens_differ_there_is_no_size_of_a_token(config):
    assert kv_bytes_per_token(config, "bfloat16") is None


def test_a_window_that_is_switched_off_does_not_count():
    config = Qwen2Config(
        sliding_window=4096, use_sliding_window=False, hidden_size=64, num_attention_heads=2, num_hidden_layers=1
    )
    assert kv_bytes_per_token(config, "bfloat16") == (2 * config.num_key_value_heads * 32 * 2,) * 2


@pytest.mark.parametrize(
    ("config", "window", "token", "late"),
    [
        (GEMMA_2_9B, 4_096, 344_064, 172_032),
        (GEMMA_3_27B, 1_024, 507_904, 81_920),
        (GptOssConfig(), 128, 73_728, 36_864),
        (Llama4TextConfig(), 8_192, 196_608, 49_152),
        (MistralConfig(), 4_096, 131_072, 0),
        (Gemma3nTextConfig(), 512, 40_960, 8_192),  # 15 of 35 layers read what earlier ones keep
    ],
)
def test_layers_with_a_window_stop_growing(config, window, token, late):
    layout = kv_layout(config)
    assert layout.token_bytes("bfloat16", window) == (token, token)
    assert layout.token_bytes("bfloat16", window + 1) == (late, late)
    assert layout.sequence_bytes("bfloat16", window + 10) == (window * token + 10 * late,) * 2


@pytest.mark.parametrize(
    ("config", "token", "state"),
    [
        (Qwen3NextConfig(), 24_576, 39_518_208),
        (JambaConfig(), 16_384, 8_716_288),
        (GRANITE_4_H_SMALL, 16_384, 77_322_240),
        (FALCON_H1_7B, 45_056, 70_152_192),
    ],
)
def test_hybrid_models_have_a_state_besides(config, token, state):
    layout = kv_layout(config)
    assert layout.sequence_bytes("bfloat16", 1000) == (1000 * token + state,) * 2
    assert (
        layout.sequence_bytes("fp8", 1000) == (1000 * token // 2 + state,) * 2
    )  # a state is not quantized with the cache


@pytest.mark.parametrize(
    ("config", "gpus", "state"), [(FALCON_H1_7B, 2, 35_143_680), (Qwen3NextConfig(), 2, 19_759_104)]
)
def test_several_gpus_share_the_state(config, gpus, state):
    assert kv_layout(config, gpus).state_bytes == state


def test_a_state_of_unknown_shape_is_not_guessed():
    layout = kv_layout(KimiLinearConfig())
    assert (layout.state_layers, layout.state_bytes) == (21, None)
    assert not layout.grows_evenly


def test_a_recurrent_state_may_have_a_dtype_of_its_own():
    plain, named = Qwen3NextConfig(), Qwen3NextConfig(mamba_ssm_dtype="float32")
    assert kv_layout(plain).state_bytes < kv_layout(named).state_bytes < 2 * kv_layout(plain).state_bytes


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (DeepseekV32Config(), "index_topk"),
        (MiniCPM3Config(), "depends on the engine"),
        (Gemma4TextConfig(), "differ"),
        (T5Config(), "differ"),
        (RecurrentGemmaConfig(), "recurrent"),
        (LlamaConfig(sliding_window=4096), "which layers"),
        (MistralConfig(layer_types=["sliding_attention"] * 32, sliding_window=None), "no sliding_window"),
        (DeepseekV3Config(qk_nope_head_dim=64), "incorrectly"),
        (LlamaConfig(v_head_dim=64), "v_head_dim"),
    ],
)
def test_what_a_config_does_not_tell_is_said(config, reason):
    with pytest.raises(ModelError, match=reason):
        kv_layout(config)
    assert kv_bytes_per_token(config, "bfloat16") is None


@given(st.sampled_from(ALL), st.integers(1, 200_000), st.integers(0, 5_000), st.sampled_from(sorted(KV_DTYPES)))
def test_bytes_never_fall_with_length(config, tokens, more, dtype):
    layout = kv_layout(config)
    for before, after in zip(
        layout.sequence_bytes(dtype, tokens), layout.sequence_bytes(dtype, tokens + more), strict=True
    ):
        assert before <= after


@given(st.sampled_from(ALL), st.integers(1, 200_000))
def test_fp8_is_half_of_bfloat16(config, tokens):
    layout = kv_layout(config)
    state = layout.state_bytes
    whole, half = (layout.sequence_bytes(dtype, tokens)[0] - state for dtype in ("bfloat16", "fp8"))
    assert whole == 2 * half


@given(st.integers(1, 8_192))
def test_below_its_window_a_model_is_like_one_without(tokens):
    shape = {"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 512}
    windowed, full = (kv_layout(MistralConfig(sliding_window=window, **shape)) for window in (4096, None))
    sizes = [layout.sequence_bytes("bfloat16", tokens) for layout in (windowed, full)]
    assert (sizes[0] == sizes[1]) == (tokens <= 4096)


@given(st.sampled_from(ALL), st.integers(1, 20_000))
def test_a_sequence_is_the_sum_of_its_tokens(config, tokens):
    layout = kv_layout(config)
    step = layout.sequence_bytes("bfloat16", tokens)[0] - layout.sequence_bytes("bfloat16", tokens - 1)[0]
    assert step == layout.token_bytes("bfloat16", tokens)[0]
