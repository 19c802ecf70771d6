"""The whole job through the real CPU engine, on a tiny model with random weights: interrupt, resume, die, resume, report."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.cpu import HOLDS_FP8, needs_fp8

pytestmark = pytest.mark.engine

ARMS = ("auto", "control", *(["fp8"] if HOLDS_FP8 else []))
LENGTHS = (4096, 5120)
SAMPLES = 8


def command(model, out, *more):
    words = ("--tasks", "evidence,copy", "--lengths", "4k,5k", "--samples", SAMPLES, "--concurrency", 4)
    words += ("--kv-dtypes", "auto,fp8" if HOLDS_FP8 else "auto")
    return [sys.executable, "-m", "kveval", "run", *map(str, (*words, "--model", model, "--out", out, *more))]


SESSIONS: set[int] = set()
"""Of every engine that was seen to run: its processes stay in its session, whatever becomes of their parents."""


def engine_processes():
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if os.getsid(process.pid) in SESSIONS:
                found.append(process)
        except OSError:
            continue
    return found


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def wait_for_lines(path, run):
    """Until a run has written two lines, or ended. Notes the session of its engine."""
    deadline = time.monotonic() + 400
    while len(lines(path)) < 2 and time.monotonic() < deadline and run.poll() is None:
        time.sleep(0.05)
    engines = [child for child in psutil.Process(run.pid).children() if "vllm.entrypoints" in " ".join(child.cmdline())]
    assert engines, "no engine was seen to run"
    SESSIONS.update(os.getsid(engine.pid) for engine in engines)


@pytest.fixture(scope="module")
def interrupted(tiny_model, tmp_path_factory):
    """A run that was interrupted as soon as its first answers were on disk: exit code, output, directory, answers."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    run = subprocess.Popen(command(tiny_model, out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    outputs = out / "arms" / "auto" / "outputs.jsonl"
    wait_for_lines(outputs, run)
    run.send_signal(signal.SIGINT)
    printed, _ = run.communicate(timeout=60)
    return run.returncode, printed, out, lines(outputs)


@pytest.fixture(scope="module")
def died(interrupted, tiny_model):
    """The same command once more, its last engine killed as soon as it has answered: exit code, output, report."""
    _, _, out, _ = interrupted
    run = subprocess.Popen(command(tiny_model, out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for_lines(out / "arms" / ARMS[-1] / "outputs.jsonl", run)
    for process in engine_processes():
        if process.name().startswith("VLLM::Worker"):
            process.kill()
    printed, _ = run.communicate(timeout=300)
    return run.returncode, printed, json.loads((out / "report.json").read_text())


@pytest.fixture(scope="module")
def finished(interrupted, died, tiny_model):
    """The same command a third time, to its end."""
    _, _, out, _ = interrupted
    assert died[0] == 3, died[1]
    return subprocess.run(command(tiny_model, out), capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="module")
def report(interrupted, finished):
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return json.loads((interrupted[2] / "report.json").read_text())


def test_an_interrupt_ends_cleanly(interrupted):
    code, printed, _, answered = interrupted
    assert code == 130, printed
    assert "Interrupted" in printed
    assert "Traceback" not in printed
    assert not engine_processes()
    assert answered
    assert all(json.loads(line)["error"] is None for line in answered)


def test_an_engine_that_dies_ends_its_arm_alone(died):
    code, printed, report = died
    assert code == 3, printed
    ended = report["arms"][ARMS[-1]]
    assert (report["arms"]["auto"]["status"], ended["status"], report["incomplete"]) == ("done", "failed", True)
    assert "The engine died: " in ended["reason"]
    assert 0 < ended["missing"] < ended["samples"]
    assert ended["errors"] == 0
    assert sum(cell["n"] + cell["missing"] for cell in report["cells"] if cell["arm"] == ARMS[-1]) == ended["samples"]
    assert not engine_processes()


def test_an_arm_whose_engine_died_is_made_up_for(report):
    ended = report["arms"][ARMS[-1]]
    assert (ended["status"], ended["missing"], ended["engines"]) == ("done", 0, 2)


def test_the_same_command_goes_on_where_it_stopped(interrupted, finished):
    _, _, out, before = interrupted
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "Resuming: " in finished.stdout
    after = lines(out / "arms" / "auto" / "outputs.jsonl")
    assert after[: len(before)] == before


@pytest.mark.usefixtures("finished")
def test_every_sample_is_answered_once_on_every_arm(interrupted):
    out = interrupted[2]
    samples = [json.loads(line) for line in lines(out / "samples.jsonl")]
    wanted = sorted(sample["id"] for sample in samples if sample["with_document"])
    assert len(wanted) == SAMPLES * len(LENGTHS) * 2
    # Of the baseline every question at the shortest length is asked without its document, too.
    alone = [sample["id"] for sample in samples if not sample["with_document"]]
    assert len(alone) == SAMPLES * 2
    for arm in ARMS:
        outputs = [json.loads(line) for line in lines(out / "arms" / arm / "outputs.jsonl")]
        assert sorted(output["sample_id"] for output in outputs) == sorted(wanted + (alone if arm == "auto" else []))
        for output in outputs:
            assert output["finish_reason"] in ("stop", "length")
            assert len(output["token_ids"]) == len(output["logprobs"]) == len(output["margins"])
            assert all(margin >= 0 for margin in output["margins"])


def test_the_caches_are_what_was_asked(report):
    arms = report["arms"]
    assert [arms[name]["kv_dtype_effective"] for name in ("auto", "control")] == ["bfloat16", "bfloat16"]
    assert arms["control"]["kv_pool_tokens"] == arms["auto"]["kv_pool_tokens"]
    assert {arm["status"] for arm in arms.values()} == {"done"}


@needs_fp8
def test_a_quantized_cache_holds_twice_the_tokens(report):
    fp8 = report["arms"]["fp8"]
    assert (fp8["kv_dtype_effective"], fp8["scales"]) == ("fp8_e4m3", "1.0, not calibrated")
    assert fp8["kv_pool_tokens"] == 2 * report["arms"]["auto"]["kv_pool_tokens"]


@pytest.mark.skipif(HOLDS_FP8, reason="this CPU can hold a quantized cache")
def test_a_cache_that_the_cpu_cannot_hold_is_refused_before_an_engine_starts(tiny_model, tmp_path):
    words = [*command(tiny_model, tmp_path / "out"), "--kv-dtypes", "auto,fp8"]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 2
    assert "--kv-cache-dtype fp8: FP8 KV cache on CPU requires x86 with AVX-512 or AMX" in refused.stderr
    assert not (tmp_path / "out").exists()


def test_siblings_are_served_from_the_prefix_cache(report):
    for arm in ARMS[1:]:
        facts = report["arms"][arm]
        assert facts["prefix_cache_hits"] > 0.5 * facts["prefix_cache_queries"]


def test_there_is_a_cell_for_every_task_length_and_arm(report):
    cells = {(cell["task"], cell["length"], cell["arm"]): cell for cell in report["cells"]}
    assert set(cells) == {(t, n, a) for t in ("evidence", "copy") for n in LENGTHS for a in ARMS[1:]}
    for cell in cells.values():
        assert cell["n"] == SAMPLES
        assert (cell["errors"], cell["missing"]) == (0, 0)
        assert 0 <= cell["token_diff"] <= 1
    # Random weights know nothing: there is nothing to lose, and a verdict must not pretend otherwise.
    assert {cell["verdict"] for cell in cells.values() if cell["arm"] == "fp8"} <= {"invalid", "weak baseline"}


def test_the_report_is_printed_and_written(interrupted, finished, report):
    assert "KV pool" in finished.stdout
    assert f"{ARMS[-1]}: cache" in finished.stdout
    written = (interrupted[2] / "report.md").read_text()
    assert "| evidence | 4k |" in written
    assert f"report: {interrupted[2] / 'report.html'}" in finished.stdout.replace("\n", "")
    assert (interrupted[2] / "report.html").read_text().count("<svg") == 2
    assert {task["task"]: task["right"] for task in report["without_document"]} == {"evidence": 0, "copy": 0}
    assert report["incomplete"] is False


def test_scoring_again_gives_the_same_report_without_an_engine(interrupted, report):
    out = interrupted[2]
    subprocess.run([sys.executable, "-m", "kveval", "score", str(out)], check=True, capture_output=True)
    assert json.loads((out / "report.json").read_text()) == report


@pytest.mark.usefixtures("finished")
def test_a_finished_run_starts_no_engine(interrupted, tiny_model):
    out = interrupted[2]
    before = {arm: lines(out / "arms" / arm / "engine.json") for arm in ARMS}
    again = subprocess.run(command(tiny_model, out), capture_output=True, text=True, timeout=300)
    assert again.returncode == 0
    assert {arm: lines(out / "arms" / arm / "engine.json") for arm in ARMS} == before
