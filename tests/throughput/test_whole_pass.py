"""A whole throughput pass through the real CPU engine, on a tiny model with random weights."""

import json
import subprocess
import sys

import pytest

from tests.cpu import HOLDS_FP8, needs_fp8

pytestmark = pytest.mark.engine

SCENARIOS, LOADS = ("128:8", "256+64:8"), ("concurrency=2", "rate=8")
PERIODS = ("1-auto", "2-fp8", "3-fp8", "4-auto") if HOLDS_FP8 else ("1-auto", "2-auto")
ROUNDS, REQUESTS = 2, 8


def command(model, out):
    words = ["--kv-dtypes", "auto,fp8" if HOLDS_FP8 else "auto", "--no-held-pool", "--rounds", ROUNDS, "--seconds", 1]
    words += [
        "--scenarios",
        ",".join(SCENARIOS),
        "--loads",
        ",".join(LOADS),
        "--requests",
        REQUESTS,
        "--bandwidth",
        0.05,
    ]
    return [sys.executable, "-m", "kveval", "bench", *map(str, (*words, "--model", model, "--out", out))]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(scope="module")
def finished(tiny_model, tmp_path_factory):
    """A pass, and its directory."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    return subprocess.run(command(tiny_model, out), capture_output=True, text=True, timeout=600), out


@pytest.fixture(scope="module")
def results(finished):
    done, out = finished
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((out / "throughput" / "throughput.json").read_text())


def test_a_finished_pass_starts_no_engine(finished, results, tiny_model):
    again = subprocess.run(command(tiny_model, finished[1]), capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert "starting vLLM" not in again.stdout
    assert json.loads((finished[1] / "throughput" / "throughput.json").read_text()) == results


def test_every_round_is_measured_once_in_every_period_with_exact_lengths(finished, results):
    directory = finished[1] / "throughput"
    rounds = lines(directory / "requests.jsonl")
    wanted = {each["scenario"] + "/" + each["load"] + "/" + str(each["number"]): each for each in rounds}
    assert len(wanted) == len(SCENARIOS) * len(LOADS) * ROUNDS
    assert tuple(results["periods"]) == PERIODS
    for period in PERIODS:
        stored = [line for line in lines(directory / "arms" / period / "rounds.jsonl") if "round" in line]
        assert sorted(each["round"] for each in stored) == sorted(wanted)
        for each in stored:
            asked = wanted[each["round"]]["requests"]
            assert [reply["request"] for reply in each["replies"]] == [request["id"] for request in asked]
            for reply, request in zip(each["replies"], asked, strict=True):
                assert reply["error"] is None
                assert reply["prompt_tokens"] == request["prompt_tokens"]
                assert reply["output_tokens"] == request["output_tokens"]


def test_the_engine_says_what_it_held_and_its_prefix_cache_what_the_scenario_says(results):
    assert results["arms"]["auto"]["kv_dtype_effective"] == "bfloat16"
    for each in results["figures"]:
        assert (each["errors"], each["preemptions"]) == ({}, 0.0)
        assert each["prefix_hit_rate"] == (0.8 if "+" in each["scenario"] else 0.0)
        assert each["prefix_fault"] is None
        assert each["running"]["max"] >= 0
        assert each["latency"]["ttft"]["n"] == each["requests"]


def test_figures_are_those_of_a_server(results):
    for each in results["figures"]:
        latency = each["latency"]
        assert 0 < latency["ttft"]["mean"] < latency["e2e"]["mean"]
        assert latency["tpot"]["mean"] > 0
        assert "p99" not in latency["ttft"]
        assert "needs 368 values" in latency["ttft"]["left_out"]["p99"]
    assert results["limits"]


@needs_fp8
def test_a_quantized_cache_has_twice_the_pool_and_a_verdict_or_a_reason(results):
    arms = results["arms"]
    assert arms["fp8"]["kv_pool_tokens"] == 2 * arms["auto"]["kv_pool_tokens"]
    assert all(cell[name]["because"] for cell in results["cells"] for name in ("ttft", "tpot", "throughput"))


@pytest.mark.usefixtures("results")
def test_the_report_is_printed_and_written(finished):
    done, out = finished
    assert "KV pool: " in done.stdout
    assert "128:8" in done.stdout
    text = (out / "throughput" / "throughput.md").read_text()
    assert (out / "throughput" / "throughput.html").exists()
    assert "| 128:8 | rate=8 | auto |" in text
    assert not any(key in text for key in ("api_key", "Bearer"))
