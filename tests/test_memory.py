import pytest
from transformers import DeepseekV3Config, Gemma2Config, LlamaConfig, MistralConfig, Qwen2Config

from kveval.memory import kv_bytes_per_token

LLAMA_3_8B = LlamaConfig(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=32)


@pytest.mark.parametrize(("dtype", "size"), [("bfloat16", 131_072), ("fp8_e4m3", 65_536), ("float32", 262_144)])
def test_llama_3_8b(dtype, size):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) == size


@pytest.mark.parametrize("dtype", ["int4_per_token_head", "nvfp4", "unknown", ""])
def test_formats_with_scales_of_their_own_are_not_guessed(dtype):
    assert kv_bytes_per_token(LLAMA_3_8B, dtype) is None


@pytest.mark.parametrize("config", [Gemma2Config(), DeepseekV3Config(), MistralConfig(sliding_window=4096)])
def test_layers_that_are_not_all_full_attention_are_not_guessed(config):
    assert kv_bytes_per_token(config, "bfloat16") is None


def test_a_window_that_is_switched_off_does_not_count():
    config = Qwen2Config(
        sliding_window=4096, use_sliding_window=False, hidden_size=64, num_attention_heads=2, num_hidden_layers=1
    )
    assert kv_bytes_per_token(config, "bfloat16") == 2 * config.num_key_value_heads * 32 * 2
