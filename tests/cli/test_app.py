"""Bad input: one clear sentence and exit code 2, before an engine starts."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kveval.cli import app as cli
from kveval.store.run_directory import RunDirectory
from tests.store.manifests import manifest
from tests.throughput.passes import store_pass

SAMPLE = Path(__file__).parents[1] / "runs" / "smollm2"


@pytest.fixture
def kveval(monkeypatch, capsys):
    """Runs the command line in this process; returns exit code and what was printed to standard error."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["kveval", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, capsys.readouterr().err

    return call


@pytest.fixture
def plan(monkeypatch, capsys):
    """Runs `kveval plan` in this process; returns what it printed to standard output."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["kveval", "plan", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert not left.value.code
        return capsys.readouterr().out

    return call


@pytest.fixture(autouse=True)
def no_engine(monkeypatch):
    from kveval.engine.server import Server

    def refuse(*_):
        raise AssertionError("an engine was started")

    monkeypatch.setattr(Server, "start", refuse)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tasks", "evidense"], "Task 'evidense' is unknown"),
        (["--tasks", "evidence,"], "--tasks 'evidence,' has an empty name"),
        (["--lengths", "8x"], "--lengths: '8x' is not a valid length"),
        (["--kv-dtypes", "fp8"], "has no baseline: add auto"),
        (["--samples", "0"], "samples"),
        (["--seed", "-1"], "seed"),
        (["--model", ""], "--model is empty"),
        (["--kv-dtypes", "auto,fp8,fp8_e4m3"], "twice"),
        (["--concurrency", "no"], "concurrency"),
        (["--engine-arg", "port=80"], "kveval picks a free port"),
        (["--margin", "0.02"], "--margin 0.02 is not between 0.1 and 50: give it in points"),
        (["--margin", "nan"], "--margin nan is not between"),
        (["--fail-on", "degraded,slow"], "--fail-on: 'slow' is not an accepted verdict; choose from degraded"),
        (["--no-such-option"], "no-such-option"),
        (["--model", "/no/such/folder"], "is not a folder"),
    ],
)
def test_a_wrong_option_is_named(kveval, tmp_path, words, message):
    code, printed = kveval("run", "--out", tmp_path / "out", *words)
    assert code == 2
    assert message in printed
    assert not (tmp_path / "out").exists()


def test_a_model_folder_without_a_config_is_an_error(kveval, tmp_path):
    code, printed = kveval("run", "--model", tmp_path)
    assert code == 2
    assert "without a config.json" in printed


def test_lengths_above_the_models_limit_name_the_limit(kveval, tiny_model):
    code, printed = kveval("run", "--model", tiny_model, "--lengths", "4k,16k,32k")
    assert code == 2
    assert "16k, 32k exceed the model's context window (8,192 tokens)." in printed


def test_lengths_below_the_scaffold_name_the_number_that_does(kveval, tiny_model):
    code, printed = kveval("run", "--model", tiny_model, "--lengths", "1k", "--samples", "4")
    assert code == 2
    assert "Length 1,024 is too short for task evidence" in printed
    assert "Use --lengths" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kv-dtypes", "auto,fp9"], "fp9"),
        (["--engine-arg", "no-such-argument=1"], "no-such-argument"),
        (["--engine-arg", "max-num-seqs=many"], "max-num-seqs"),
        (["--engine-arg", "hos=0.0.0.0"], "host is set by kveval"),
    ],
)
def test_what_vllm_does_not_know_is_refused_before_a_model_is_loaded(kveval, tiny_model, tmp_path, words, message):
    code, printed = kveval(
        "run", "--model", tiny_model, "--lengths", "4k", "--samples", "4", "--out", tmp_path / "out", *words
    )
    assert code == 2
    assert "vLLM rejects this command line" in printed
    assert message in printed
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scenarios", "tiny"], "--scenarios: 'tiny' is not a valid scenario"),
        (["--loads", "rate=0"], "--loads: 'rate=0' is not a valid load"),
        (["--scenarios", "short,very-long"], "very-long takes 32,896 tokens, prompt and output together"),
        (["--kv-dtypes", "fp8"], "has no baseline: add auto"),
        (["--arrivals", "bursty"], "--arrivals 'bursty' is neither poisson nor constant"),
        (["--seconds", "0"], "--seconds 0 is not a positive number"),
        (["--bandwidth", "-1"], "--bandwidth -1 is not a positive number"),
        (["--rounds", "0"], "rounds"),
        (["--engine-arg", "port=80"], "kveval picks a free port"),
        (["--engine-arg", "num-gpu-blocks-override=9"], "add --no-held-pool"),
        (["--endpoint", "fp8=http://h:1"], "--endpoint has no auto"),
        (["--endpoint", "auto"], "--endpoint 'auto' does not name an arm"),
        (["--endpoint", "auto=h:1"], "is not a valid URL; use, for example, http://host:8000"),
        (["--endpoint", "auto=http://me:secret@h:1"], "put a key into the environment as KVEVAL_API_KEY_AUTO"),
        (["--endpoint", "auto=http://h:1", "--kv-dtypes", "auto"], "--kv-dtypes and --endpoint are both given"),
    ],
)
def test_a_throughput_pass_that_cannot_run_is_refused(kveval, tiny_model, tmp_path, words, message):
    given = {"--scenarios": "short"} if "--scenarios" not in words else {}
    more = [word for pair in given.items() for word in pair]
    code, printed = kveval("bench", "--model", tiny_model, "--out", tmp_path / "out", *more, *words)
    assert code == 2
    assert message in printed
    assert "secret" not in printed
    assert not (tmp_path / "out").exists()


def test_a_run_refuses_what_its_throughput_pass_cannot_send(kveval, tiny_model, tmp_path):
    words = (
        "--model",
        tiny_model,
        "--lengths",
        "4k",
        "--samples",
        "4",
        "--kv-dtypes",
        "auto",
        "--out",
        tmp_path / "out",
    )
    code, printed = kveval("run", *words, "--throughput")
    assert (code, "long takes 8,448 tokens" in printed) == (2, True)
    code, printed = kveval("run", *words, "--throughput", "--prompts", "accuracy", "--loads", "single")
    assert (code, "--prompts accuracy has 1 documents for evidence-4096/single" in printed) == (2, True)
    code, printed = kveval("run", *words, "--loads", "single")
    assert (code, "add --throughput" in printed) == (2, True)
    assert not (tmp_path / "out").exists()


def test_a_directory_of_another_run_is_left_alone(kveval, tiny_model, tmp_path):
    RunDirectory(tmp_path).claim(manifest(seed=7))
    before = (tmp_path / "manifest.json").read_bytes()
    words = ("--lengths", "4k", "--samples", "4", "--kv-dtypes", "auto", "--out", tmp_path)
    code, printed = kveval("run", "--model", tiny_model, *words)
    assert code == 2
    assert "belongs to another run" in printed
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_vllms_own_reading_of_its_limit_is_what_counts(kveval, tiny_model, tmp_path):
    words = ("--lengths", "4k", "--samples", "4", "--kv-dtypes", "auto", "--engine-arg", "max-model-len=4k")
    words += ("--out", tmp_path / "out")
    code, printed = kveval("run", "--model", tiny_model, *words)
    assert code == 2
    assert "4k exceeds the model's context window with --engine-arg max-model-len (4,000 tokens)." in printed


def test_files_that_are_no_run_are_left_alone(kveval, tiny_model, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    code, printed = kveval("run", "--model", tiny_model, "--lengths", "4k", "--out", tmp_path)
    assert code == 2
    assert "is not empty and is not a run of kveval" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_scoring_what_is_no_run_is_an_error(kveval, tmp_path):
    code, printed = kveval("score", tmp_path)
    assert code == 2
    assert "not a run directory" in printed


def test_a_throughput_pass_alone_is_judged_again_without_an_engine(monkeypatch, kveval, tiny_model, tmp_path):
    directory, _ = store_pass(monkeypatch, tmp_path / "run", tiny_model, lambda *_: {"ttft": 0.1, "tpot": 0.01})
    assert kveval("score", tmp_path / "run") == (0, "")
    assert "| 4096:8 | single | fp8 | TPOT |" in directory.report_markdown.read_text()
    assert directory.results.exists()
    code, printed = kveval("score", tmp_path / "run", "--fail-on", "degraded")
    assert code == 2
    assert "contains only a throughput pass" in printed


@pytest.fixture
def sample_run(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 0, ""),
        (["--fail-on", "degraded"], 0, ""),
        (["--fail-on", "degraded,weak-baseline"], 1, "--fail-on: fp8 is weak baseline on evidence at 2k"),
        (["--fail-on", "INVALID"], 1, "--fail-on: fp8 is invalid on copy at 2k"),
    ],
)
def test_gates_decide_the_exit_code(kveval, sample_run, words, code, message):
    left, printed = kveval("score", sample_run, *words)
    assert left == code
    assert message in printed


def test_an_incomplete_run_is_incomplete_whatever_its_gates_say(kveval, sample_run):
    outputs = sample_run / "arms/fp8/outputs.jsonl"
    outputs.write_text("".join(outputs.read_text().splitlines(keepends=True)[:-1]))
    assert kveval("score", sample_run, "--fail-on", "invalid")[0] == 3


def test_the_margin_stands_in_the_report(kveval, sample_run):
    kveval("score", sample_run, "--margin", "5")
    assert json.loads((sample_run / "report.json").read_text())["margin"] == 0.05


def test_an_unknown_sample_is_named(kveval, sample_run):
    code, printed = kveval("show", sample_run, "evidence-2048-0-9")
    assert code == 2
    assert "has no sample 'evidence-2048-0-9': it has evidence-2048-0-" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "no-such.json"], "is not a folder or a file"),
        (["--kv-dtypes", "fp8"], "has no baseline: add auto"),
        (["--kv-memory", "0"], "--kv-memory 0 is not a positive number"),
        (["--kv-memory", "8", "--gpu-memory", "80"], "cannot be combined"),
        (["--decode-speed", "-3"], "--decode-speed -3 is not a positive number"),
        (["--margin", "0.02"], "give it in points"),
        (["--lengths", "16k"], "exceeds the model's context window (8,192 tokens)"),
        (["--lengths", "512"], "Length 512 is too short for task evidence, copy"),
        (["--engine-arg", "tensor-parallel-size=two"], "is not a positive number"),
    ],
)
def test_a_plan_that_cannot_be_made_is_one_sentence(kveval, tiny_model, words, message):
    code, printed = kveval("plan", "--model", tiny_model, "--lengths", "4k", *words)
    assert code == 2
    assert message in printed
    assert len(printed.splitlines()) == 1


def test_a_config_that_is_none_is_an_error(kveval, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    code, printed = kveval("plan", "--model", tmp_path / "config.json")
    assert code == 2
    assert "cannot be loaded" in printed


def test_a_plan_needs_a_config_and_no_more(plan, tiny_model, tmp_path):
    config = tmp_path / "tiny.config.json"
    config.write_bytes((tiny_model / "config.json").read_bytes())
    printed = plan("--model", config, "--lengths", "2k,8k", "--kv-memory", "1")
    assert "tiny.config.json" in printed
    assert "auto (bfloat16)" in printed


def test_a_plan_as_json_is_one_object(plan, tiny_model):
    made = json.loads(
        plan("--model", tiny_model, "--lengths", "2k,8k", "--gpu-memory", "1", "--samples", "40", "--json")
    )
    assert made["lengths"] == [2048, 8192]
    assert made["samples"] == 40
    assert made["memory"]["weight_bytes"] == (tiny_model / "model.safetensors").stat().st_size
    assert [cache["token_bytes"] for cache in made["memory"]["caches"]] == [[256, 256], [128, 128]]


@pytest.mark.parametrize("command", ["run", "plan"])
def test_help_and_import_load_nothing_heavy(command):
    program = (
        f"import sys, kveval, kveval.cli.app; sys.argv = ['kveval', '{command}', '--help']\n"
        "try: kveval.cli.app.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'datasets', 'matplotlib', 'pandas', 'scipy', 'vllm'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--kv-dtypes" in done.stdout
