import json

import pytest
from transformers import DeepseekV3Config, LlamaConfig, MambaConfig, MistralConfig, MllamaConfig, Qwen3NextConfig

from kveval.config import RunConfig
from kveval.errors import UsageError
from kveval.models.checkpoint import Model
from kveval.planning.kv_pool import GIB, Machine, plan_memory

LLAMA_3_8B = LlamaConfig(
    hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=32, dtype="bfloat16"
)


def memory(
    machine=None, *, config=LLAMA_3_8B, path="somewhere", lengths=(8192, 32768), kv_dtypes=("auto", "fp8"), args=()
):
    asked = RunConfig(model="m", tasks=("evidence",), lengths=lengths, kv_dtypes=kv_dtypes, engine_args=args)
    return plan_memory(asked, Model("m", str(path), config), machine or Machine())


def checkpoint(folder, *sizes):
    for number, size in enumerate(sizes):
        with (folder / f"model-{number}.safetensors").open("wb") as file:
            file.truncate(int(size * GIB))
    return folder


def test_the_pool_measured_on_an_h200_is_met():
    """vLLM 0.26 on one H200, Llama-3-8B: 891,392 tokens with auto and 1,782,800 with fp8, in 108.8 GiB."""
    auto, fp8 = memory(Machine(kv_memory=891_392 / 8192)).caches
    assert auto.pool_tokens == 891_392
    assert fp8.pool_tokens == pytest.approx(1_782_800, rel=1e-4)


def test_sequences_fit_whole():
    auto, fp8 = memory(Machine(kv_memory=11.9)).caches
    assert [at.sequences for at in auto.lengths] == [11, 2]
    assert [at.sequences for at in fp8.lengths] == [23, 5]


def test_a_sequence_that_does_not_fit_is_no_unknown():
    assert [at.sequences for at in memory(Machine(kv_memory=2)).caches[0].lengths] == [2, 0]


@pytest.mark.parametrize(
    ("machine", "args", "most"),
    [
        (Machine(kv_memory=1000, max_num_seqs=7), (), 7),
        (Machine(kv_memory=1000), ("--max-num-seqs=9",), 9),
        (Machine(kv_memory=1000), (), 1024),
        (Machine(kv_memory=69), (), 256),
    ],
)
def test_no_more_sequences_than_vllm_serves(machine, args, most):
    made = memory(machine, lengths=(128, 256), args=args)
    assert made.max_num_seqs == most
    assert {at.sequences for cache in made.caches for at in cache.lengths} == {most}


def test_the_pool_is_what_weights_leave(tmp_path):
    made = memory(Machine(gpu_memory=80, gpu_memory_utilization=0.9), path=checkpoint(tmp_path, 10, 5))
    assert made.pool_bytes == 57 * GIB
    assert made.weight_bytes == 15 * GIB


def test_vllms_own_share_of_the_gpu_is_the_default(tmp_path):
    assert memory(Machine(gpu_memory=100), path=checkpoint(tmp_path, 2)).pool_bytes == 90 * GIB
    args = ("--gpu-memory-utilization=0.5",)
    assert memory(Machine(gpu_memory=100), path=checkpoint(tmp_path, 2), args=args).pool_bytes == 48 * GIB


def test_several_gpus_share_weights_and_heads(tmp_path):
    made = memory(Machine(gpu_memory=80), path=checkpoint(tmp_path, 16), args=("--tensor-parallel-size=4",))
    assert made.weight_bytes == 4 * GIB
    assert made.caches[0].token_bytes == (32_768, 32_768)


def test_weights_are_those_of_the_index(tmp_path):
    checkpoint(tmp_path, 3, 4)
    (tmp_path / "consolidated.safetensors").write_bytes(b"the same once more")
    index = {"weight_map": {"a": "model-0.safetensors", "b": "model-1.safetensors", "c": "model-0.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert memory(Machine(gpu_memory=80), path=tmp_path).weight_bytes == 7 * GIB


def test_a_config_beside_its_weights_has_them_too(tmp_path):
    (checkpoint(tmp_path, 3) / "config.json").touch()
    (tmp_path / "other.json").touch()
    assert memory(Machine(gpu_memory=80), path=tmp_path / "config.json").weight_bytes == 3 * GIB
    assert memory(Machine(gpu_memory=80), path=tmp_path / "other.json").weight_bytes is None


def test_weights_that_leave_nothing_are_an_error(tmp_path):
    with pytest.raises(UsageError, match=r"weights take 16\.0 GiB .* leave no KV pool"):
        memory(Machine(gpu_memory=16), path=checkpoint(tmp_path, 16))


def test_without_weights_the_pool_is_asked_for():
    made = memory(Machine(gpu_memory=80))
    assert made.pool_bytes is None
    assert "--kv-memory" in made.not_known[0]
    assert [at.sequences for at in made.caches[0].lengths] == [None, None]
    assert "--gpu-memory" in memory().not_known[0]


@pytest.mark.parametrize("name", ["kv-cache-memory-bytes", "num-gpu-blocks-override"])
def test_a_pool_that_is_set_leaves_the_bytes_of_a_token_as_they_are(name):
    made = memory(Machine(gpu_memory=80), args=(f"--{name}=1000",))
    assert made.pool_bytes is None
    assert f"the pool size, because --engine-arg {name} sets it" in made.not_known[0]
    assert [cache.token_bytes[1] for cache in made.caches] == [131_072, 65_536]
    assert memory(Machine(kv_memory=8), args=(f"--{name}=1000",)).pool_bytes == 8 * GIB


@pytest.mark.parametrize(
    ("config", "args", "kv_dtypes", "reason"),
    [
        (MllamaConfig(), (), ("auto",), "cross_attention_layers"),
        (LLAMA_3_8B, ("--pipeline-parallel-size=2",), ("auto",), "effect of --engine-arg pipeline-parallel-size"),
        (LLAMA_3_8B, ("--tensor-parallel-size=3",), ("auto",), "among 3 GPUs"),
        (LLAMA_3_8B, (), ("auto", "fp9"), "KV bytes with fp9"),
        (LlamaConfig(quantization_config={"kv_cache_scheme": {"num_bits": 8}}), (), ("auto",), "format of its own"),
    ],
)
def test_what_cannot_be_told_is_said(config, args, kv_dtypes, reason):
    made = memory(Machine(kv_memory=1), config=config, args=args, kv_dtypes=kv_dtypes)
    assert len(made.caches) == len(kv_dtypes) - 1
    assert reason in made.not_known[0]


def test_the_models_dtype_is_vllms():
    def stored(*args, **config):
        return memory(config=LlamaConfig(**config), args=args).caches[0].stored

    assert stored(dtype="float16") == "float16"
    assert stored(dtype="float32") == "bfloat16"  # vLLM halves it
    assert stored("--dtype=float32", dtype="float16") == "float32"
    assert stored("--dtype=auto", dtype="float16") == "float16"


def test_a_format_with_scales_fits_at_least_so_often():
    (_, cache) = memory(Machine(kv_memory=10), kv_dtypes=("auto", "int4_per_token_head")).caches
    least, most = cache.lengths[0].bytes
    assert least < most
    assert cache.lengths[0].sequences == 10 * GIB // most


def test_windows_make_later_tokens_cheaper_and_the_pool_hold_more():
    shape = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}
    windowed, full = (
        memory(Machine(kv_memory=8), config=MistralConfig(sliding_window=window, **shape)).caches[0]
        for window in (4096, None)
    )
    assert windowed.token_bytes == full.token_bytes
    assert windowed.last_token_bytes == (0, 0)
    assert windowed.pool_tokens == 8 * full.pool_tokens  # 32k tokens take the room of 4k


def test_states_take_room_in_the_pool():
    made = memory(Machine(kv_memory=10), config=Qwen3NextConfig(), lengths=(1024,))
    assert made.caches[0].lengths[0].bytes == (24_576 * 1024 + 39_518_208,) * 2


def test_a_model_without_attention_needs_no_pool():
    made = memory(Machine(kv_memory=10), config=MambaConfig())
    assert made.caches[0].token_bytes == (0, 0)
    assert made.caches[0].pool_tokens is None


def test_latent_vectors_are_whole_on_every_gpu():
    made = memory(config=DeepseekV3Config(), args=("--tensor-parallel-size=8",))
    assert made.caches[0].token_bytes == (70_272, 70_272)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kv_memory": 0}, "--kv-memory 0"),
        ({"gpu_memory": -1.0}, "--gpu-memory -1"),
        ({"kv_memory": float("nan")}, "--kv-memory nan"),
        ({"kv_memory": float("inf")}, "--kv-memory inf"),
        ({"kv_memory": 1, "gpu_memory": 2}, "cannot be combined"),
        ({"gpu_memory_utilization": 0.9}, "share of --gpu-memory"),
        ({"gpu_memory": 80, "gpu_memory_utilization": 1.5}, "share of --gpu-memory"),
    ],
)
def test_numbers_that_cannot_be_are_named(values, message):
    with pytest.raises(UsageError, match=message):
        Machine(**values)


@pytest.mark.parametrize("value", ["four", "0", "-2", ""])
def test_engine_arguments_must_be_numbers(value):
    with pytest.raises(UsageError, match=f"tensor-parallel-size={value} is not a positive number"):
        memory(args=(f"--tensor-parallel-size={value}",))
