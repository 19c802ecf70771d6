import re

import pytest

from kveval.config import RunConfig, default_out, length_name, parse_engine_args, parse_lengths, split_names
from kveval.errors import UsageError


def config(**changes):
    return RunConfig(**{"model": "m", "tasks": ("evidence",), "lengths": (8192,), **changes})


def test_lengths_are_tokens_in_ascending_order():
    assert parse_lengths("16k,8K,1m,3000") == (3000, 8192, 16384, 1048576)


@pytest.mark.parametrize("text", ["8q", "", "8k,", "0", "-8k", "8.5k", "٨k", "8k,8192"])
def test_what_is_no_length_is_named(text):
    with pytest.raises(UsageError, match="--lengths"):
        parse_lengths(text)


@pytest.mark.parametrize(("tokens", "name"), [(8192, "8k"), (1048576, "1m"), (3000, "3000")])
def test_length_names(tokens, name):
    assert length_name(tokens) == name


def test_names_are_split_and_trimmed():
    assert split_names(" evidence , copy", "--tasks") == ("evidence", "copy")


def test_engine_args_become_command_line_words():
    words = parse_engine_args(["max_num_seqs=8", "--enforce-eager", "compilation-config={'a': 1}"])
    assert words == ("--max-num-seqs=8", "--enforce-eager", "--compilation-config={'a': 1}")
    assert config(engine_args=words).engine_arg("max-num-seqs") == "8"
    assert config(engine_args=words).engine_arg("enforce-eager") == ""
    assert config(engine_args=words).engine_arg("seed") is None


@pytest.mark.parametrize(
    "pair", ["kv_cache_dtype=fp8", "model=x", "api-key=x", "port=1", "uds=x", "hf-token=s", "=3", ""]
)
def test_engine_args_that_are_not_the_users_to_set(pair):
    with pytest.raises(UsageError, match=re.escape("--engine-arg")):
        parse_engine_args([pair])


@pytest.mark.parametrize("pair", ["a=1 b", "a=-1", "a=--x", "a=x=y"])
def test_a_value_may_hold_anything(pair):
    assert parse_engine_args([pair]) == (f"--{pair}",)


def test_an_engine_arg_given_twice_is_refused():
    with pytest.raises(UsageError, match="twice"):
        parse_engine_args(["seed=1", "seed=2"])


def test_arms_are_baseline_control_and_the_others():
    assert [arm.name for arm in config(kv_dtypes=("fp8", "auto")).arms] == ["auto", "control", "fp8"]
    assert [arm.name for arm in config(control=False).arms] == ["auto", "fp8"]


@pytest.mark.parametrize("dtypes", [("fp8",), ("auto", "fp8", "fp8"), ("auto", "fp8", "fp8_e4m3")])
def test_a_run_needs_a_baseline_and_each_dtype_once(dtypes):
    with pytest.raises(UsageError, match="--kv-dtypes"):
        _ = config(kv_dtypes=dtypes).arms


def test_default_out_is_the_first_unused_folder(tmp_path):
    assert default_out("org/My Model", tmp_path) == tmp_path / "My-Model-0"
    (tmp_path / "My-Model-0").mkdir()
    assert default_out("org/My Model", tmp_path) == tmp_path / "My-Model-1"
    assert default_out("/", tmp_path) == tmp_path / "run-0"
