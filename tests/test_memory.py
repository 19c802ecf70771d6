import pytest
from transformers import DeepseekV3Config, Gemma2Config, LlamaConfig, MistralConfig, Qwen2Config

from kveval.memory import kv_bytes_per_token

LLAMA_3_8B = LlamaConfig(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=32)


@pytest.mark.parametrize(("dtype", "size"), [("bfloat16", 131_072), ("fp8_e4m3", 65_536), ("float32", 262_144)])
def test_llama_3_8b(dtype, size):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) == (size, size)


def test_formats_with_scales_of_their_own_have_a_range():
    least, most = kv_bytes_per_token(LLAMA_3_8B, "int4_per_token_head")
    assert least == 32_768
    assert least < most < 65_536


def test_several_gpus_share_the_heads():
    assert kv_bytes_per_token(LLAMA_3_8B, "bfloat16", 4) == (32_768, 32_768)
    assert kv_bytes_per_token(LLAMA_3_8B, "bfloat16", 16) == (16_384, 16_384)  # 8 heads on 16 GPUs: each holds one


@pytest.mark.parametrize("dtype", ["unknown", "", "fp8_ds_mla"])
def test_formats_that_are_not_known_are_not_guessed(dtype):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) is None


@pytest.mark.parametrize("config", [Gemma2Config(), DeepseekV3Config(), MistralConfig(sliding_window=4096)])
def test_layers_that_are_not_all_full_attention_are_not_guessed(config):
    assert kv_bytes_per_token(config, "bfloat16") is None


def test_a_window_that_is_switched_off_does_not_count():
    config = Qwen2Config(
        sliding_window=4096, use_sliding_window=False, hidden_size=64, num_attention_heads=2, num_hidden_layers=1
    )
    assert kv_bytes_per_token(config, "bfloat16") == (2 * config.num_key_value_heads * 32 * 2,) * 2
