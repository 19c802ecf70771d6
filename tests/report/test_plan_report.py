import io

import pytest
from rich.console import Console
from transformers import KimiLinearConfig, Llama4TextConfig, LlamaConfig, MambaConfig, MistralConfig, Qwen3NextConfig

from kveval.config import RunConfig
from kveval.models.checkpoint import Model
from kveval.planning.kv_pool import GIB, Machine
from kveval.planning.plan import Speed, make_plan
from kveval.report.plan_report import memory_table, power_table, print_plan, work_table
from kveval.tasks import load_tasks

LLAMA_3_8B = LlamaConfig(
    hidden_size=4096,
    num_attention_heads=32,
    num_key_value_heads=8,
    num_hidden_layers=32,
    dtype="bfloat16",
    max_position_embeddings=131_072,
)
POOL = Machine(kv_memory=40)


def plan(config=LLAMA_3_8B, machine=POOL, speed=None, path="somewhere", **values):
    asked = RunConfig(**{"model": "m", "tasks": ("evidence", "copy"), "lengths": (2048, 32768), **values})
    asked = asked.model_copy(update={"engine_args": ("--max-model-len=40000", *asked.engine_args)})
    return make_plan(asked, load_tasks(asked.tasks), Model("m", str(path), config), machine, speed or Speed())


def shown(made):
    console = Console(file=io.StringIO(), width=200)
    print_plan(console, made)
    return console.file.getvalue()


def test_memory_of_each_cache():
    table = memory_table(plan())
    assert table.columns[:4] == ("cache", "bytes/token", "2k sequence", "32k sequence")
    assert table.rows == (
        ("auto (bfloat16)", "131,072", "256 MiB", "4.0 GiB", "327,680", "160", "10"),
        ("fp8", "65,536", "128 MiB", "2.0 GiB", "655,360", "256", "20"),
    )


def test_without_a_pool_there_are_no_columns_of_it():
    assert memory_table(plan(machine=Machine())).columns[-1] == "32k sequence"


def test_a_range_is_shown_as_one():
    rows = memory_table(plan(kv_dtypes=("auto", "int4_per_token_head"))).rows
    assert rows[1][1] == "32,768 – 52,428"


def test_windows_have_a_column():
    table = memory_table(plan(MistralConfig(sliding_window=4096)))
    assert table.columns[2] == "past windows"
    assert table.rows[0][1:3] == ("131,072", "0")


@pytest.mark.parametrize(
    ("config", "line"),
    [
        (MistralConfig(sliding_window=4096), "32 attention layers store 4,096 tokens"),
        (Llama4TextConfig(), "with chunked attention store all tokens"),
        (Qwen3NextConfig(), "a state of 37.7 MiB per sequence in 36 layers"),
        (KimiLinearConfig(), "Not known: the state of 21 layers"),
        (MambaConfig(), "no KV cache to quantize"),
        (LLAMA_3_8B, "At most 256 sequences are served concurrently"),
    ],
)
def test_what_a_reader_must_know_is_said(config, line):
    assert line in shown(plan(config))


def test_what_a_pool_leaves_out_is_said(tmp_path):
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(16 * GIB)
    printed = shown(plan(machine=Machine(gpu_memory=80), path=tmp_path))
    assert "pool 57.6 GiB" in printed
    assert "The pool is 92% of the GPU minus 16.0 GiB of weights as stored. Activations" in printed


def test_work_of_one_arm_and_of_all():
    rows = work_table(plan(speed=Speed(prefill=10_000, decode=500))).rows
    assert rows[0] == ("each", "≈ 1.8 M", "13.7 M", "≤ 243,200", "≈ 3 min", "≤ 8 min", "≤ 11 min")
    assert rows[1][0] == "all 3: auto, control, fp8"
    assert rows[1][-1] == "≤ 33 min"


def test_times_that_are_not_known_are_asked_for():
    made = plan(speed=Speed(prefill=10_000))
    assert work_table(made).columns[-1] == "prefill"
    assert "Not known: the time; give --decode-speed in tokens per second" in shown(made)


def test_power_of_each_task():
    rows = power_table(plan()).rows
    assert rows[0] == (
        *("evidence", "50", "7.1 pt", "no", "756 on 189 documents"),
        *("5.5 pt to 17.2 pt", "7.1 pt to 21.8 pt"),
    )
    assert "To pass, a cell needs at least 756 questions" in shown(plan())
    assert "To pass" not in shown(plan(samples=760))


def test_a_run_without_quantized_caches_has_no_power():
    assert "no quantized cache, no verdict" in shown(plan(kv_dtypes=("auto",)))
