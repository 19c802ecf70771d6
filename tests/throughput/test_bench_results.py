"""From stored rounds to verdicts, limits, capacity and advice."""

import json
import re

import pytest

from kveval.errors import RunDirectoryError
from kveval.report.bench_report import speed_lines, throughput_markdown
from kveval.store.bench_results_schema import DegradedTask
from kveval.throughput.bench_results import accuracy_beside, build_results
from kveval.throughput.stored_bench import read_bench
from tests.report.handmade import CELL, made_cell
from tests.throughput.passes import store_pass


def faster_decode(arm, period, cell, number, index):
    """fp8 decodes 10% faster at 4096 tokens and 3% slower at 256; prefill is the same. A little noise everywhere."""
    wobble = 1 + 0.002 * ((5 * period + 3 * number + index) % 7 - 3)
    context = 0.9 if cell.scenario.prompt_tokens > 1000 else 1.03
    return {"ttft": 0.1 * wobble, "tpot": 0.01 * wobble * (1 if arm == "auto" else context)}


@pytest.fixture
def results(monkeypatch, tiny_model, tmp_path):
    def build(times=faster_decode, *, bandwidth=2e12, accuracy=(), **options):
        directory, _ = store_pass(monkeypatch, tmp_path / "run", tiny_model, times, **options)
        return build_results(directory, bandwidth=bandwidth, accuracy=accuracy)

    return build


def cell_of(found, scenario="4096:8", load="single", arm="fp8"):
    where = (scenario, load, arm)
    return next(cell for cell in found.cells if (cell.scenario, cell.load, cell.arm) == where)


def test_prefill_and_decode_are_judged_apart(results):
    found = results()
    long, short = cell_of(found), cell_of(found, "256:8")
    assert (long.ttft.verdict, long.tpot.verdict) == ("none", "faster")
    assert (short.ttft.verdict, short.tpot.verdict) == ("none", "slower")
    assert long.tpot.ratio.rounds == 6
    assert long.tpot.ratio.log == pytest.approx(-0.105, abs=0.003)
    assert cell_of(found, load="rate=4").throughput.verdict == "no verdict"
    assert found.incomplete is False
    assert any("fp8, later tokens (TPOT): faster on 4096:8 single" in line for line in found.advice)


def test_periods_run_in_an_order_in_which_a_drift_cancels(results):
    found = results(lambda _, period, *__: {"ttft": 0.1, "tpot": 0.01 * (1 + 0.02 * period)})
    assert list(found.periods) == ["1-auto", "2-fp8", "3-fp8-held", "4-fp8-held", "5-fp8", "6-auto"]
    cell = cell_of(found)
    assert cell.tpot.ratio.log == pytest.approx(0.0, abs=0.002)
    assert cell.tpot.verdict == "none"  # and the floor knows of the drift: auto's own periods differ by it
    assert cell.tpot.floor > 0.08


def with_errors(arm, period, cell, number, index):
    failed = arm == "fp8" and period == 2 and number == 0 and index == 0
    return faster_decode(arm, period, cell, number, index) | ({"error": "timeout"} if failed else {})


def in_bursts(arm, *where):
    return faster_decode(arm, *where) | ({"tpot": 1e-5} if arm == "fp8" else {})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"times": with_errors}, "failed requests differ: 0 with auto, 1 with fp8"),
        (
            {"engine": lambda arm, _: {"client_cpu": 0.95} if arm == "fp8" else {}},
            "client-bound with fp8: the client used 95%",
        ),
        ({"engine": lambda arm, _: {"prefix_hits": 10_000} if arm == "auto" else {}}, "prefix cache with auto"),
        ({"facts": {"fp8": {"kv_dtype_effective": "bfloat16"}}}, "both arms ran with a bfloat16 cache"),
        ({"facts": {"auto": {"kv_dtype_effective": "unknown"}}}, "the effective format of a cache is not known"),
        ({"skip": ("2-fp8", "5-fp8")}, "fp8 has no rounds: out of memory"),
        ({"times": in_bursts}, "chunks arrived in bursts with fp8: 100% together"),
        ({"rounds": 1}, "the noise floor was not measured"),
    ],
)
def test_what_forbids_a_verdict_is_named(results, options, reason):
    times = options.pop("times", faster_decode)
    found = results(times, **options)
    cell = cell_of(found)
    assert {cell.measure(name).verdict for name in ("ttft", "tpot")} == {"no verdict"}
    assert reason in cell.tpot.because
    assert any(reason in line for line, _ in speed_lines(found))


def failing(arm, period, cell, number, index):
    return faster_decode(arm, period, cell, number, index) | ({"error": "http 400"} if index == 0 else {})


def test_errors_are_told_with_an_example_and_too_many_make_a_pass_incomplete(results):
    found = results(failing)
    assert found.figures[0].error_rate > 0.05
    assert found.incomplete is True
    assert any("requests failed with http 400" in remark for remark in found.remarks)
    assert cell_of(found).tpot.verdict == "faster"  # as many on both arms, and none of them in an average


def test_a_missing_arm_makes_a_pass_incomplete(results):
    assert results(skip=("2-fp8",)).incomplete is True


def growing(arm, _period, _cell, _number, index):
    slow = 0.05 * index if arm == "auto" else 0.0
    return {"ttft": 0.1 + slow, "tpot": 0.01}


def test_a_saturated_rate_has_no_latency_verdict(results):
    cell = cell_of(results(growing, loads=("rate=4",), seconds=20.0), load="rate=4")
    assert "saturated: the queue grows with auto" in cell.ttft.because
    assert cell.tpot.verdict == "no verdict"


def filling(arm, _period, _cell, _number, index):
    return {"ttft": 0.1, "tpot": 0.01 if arm == "auto" else 0.05 * (1 + index / 10)}


def test_a_rate_whose_rounds_end_too_soon_has_no_verdict(results):
    found = results(filling, loads=("rate=4",), seconds=20.0)
    cell = cell_of(found, load="rate=4")
    assert {cell.measure(name).verdict for name in ("ttft", "tpot", "throughput")} == {"no verdict"}
    assert any(
        "rounds ended before the queue was steady with fp8: raise --seconds" in line for line, _ in speed_lines(found)
    )


def test_where_accuracy_failed_the_speed_line_says_so(results):
    accuracy = [
        made_cell(CELL | {"task": task, "length": length, "verdict": verdict})
        for task, length, verdict in (("copy", 8192, "degraded"), ("evidence", 8192, "pass"), ("copy", 512, "pass"))
    ]
    found = results(accuracy=accuracy)
    assert cell_of(found).accuracy == (DegradedTask(task="copy", length=8192),)
    assert cell_of(found, arm="fp8-held").accuracy == (DegradedTask(task="copy", length=8192),)
    assert cell_of(found, "256:8").accuracy == ()
    assert "faster, accuracy degraded" in throughput_markdown(found)
    assert accuracy_beside(10**6, accuracy) == [DegradedTask(task="copy", length=8192)]  # longer than any tested


def test_limit_lines_and_capacity(results):
    found = results()
    limit = next(each for each in found.limits if (each.scenario, each.arm) == ("4096:8", "auto"))
    # Two layers of one KV head of 32: 256 bytes a token, beside 16 GB of weights on 2 TB/s.
    assert limit.kv_bytes == 256 * 4100
    assert limit.limit == pytest.approx((16e9 + 256 * 4100) / 2e12)
    assert limit.share == pytest.approx(limit.limit / limit.tpot)
    line = next(each for each in found.lines if each.arm == "fp8")
    assert 256 < line.break_even.value < 4100
    fits = {each.arm: each.fits for each in found.capacity if each.scenario == "4096:8"}
    assert fits == {"auto": 24, "fp8": 48, "fp8-held": 24}
    assert any("fp8 with single: TPOT grows more slowly with the context" in line for line in found.advice)
    assert any("fp8 fits 48 sequences" in line for line in found.advice)


def test_max_num_seqs_is_advised_where_it_caps(results):
    found = results(engine_args=("--max-num-seqs=16",))
    assert {each.limit for each in found.capacity} == {"client"}
    assert {each.cap for each in found.capacity} == {"max-num-seqs"}
    assert any(
        "max-num-seqs allows 16 to run. Raise it if more requests are in flight." in line for line in found.advice
    )


def test_a_held_pool_of_another_size_is_said(results):
    found = results(facts={"fp8-held": {"kv_pool_tokens": 150_000}})
    assert any("the effect of the pool size is not isolated" in remark for remark in found.remarks)


def test_the_report_has_every_figure_with_its_n(results):
    text = throughput_markdown(results())
    assert "| 4096:8 | single | fp8 | TPOT |" in text
    assert "KV pool: 100,000 tokens with auto, 200,000 with fp8 (2.00×)" in text
    assert "P99 368" in text
    assert "## Decode by context" in text


def test_a_stored_pass_gives_the_same_results_again_and_a_torn_round_is_done_again(results, tmp_path):
    first = results()
    assert first == results()
    path = tmp_path / "run" / "throughput" / "arms" / "1-auto" / "rounds.jsonl"
    text = path.read_text()
    path.write_text(text[: len(text) - 40])
    third = results()
    assert (third.cells, third.figures) == (first.cells, first.figures)
    assert third.remarks == ("auto: resumed (3 server starts for 2 periods).",)
    assert len(path.read_text().splitlines()) > 0


def test_other_options_are_another_pass(results):
    results()
    with pytest.raises(RunDirectoryError, match="belongs to another run"):
        results(rounds=4)


def edited(path, line, change):
    """Change one JSON object of a file, the whole one where `line` is None."""
    lines = path.read_text().splitlines() if line is not None else [path.read_text()]
    record = json.loads(lines[line or 0])
    change(record)
    lines[line or 0] = json.dumps(record)
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("name", "line", "change", "message"),
    [
        ("manifest.json", None, lambda m: m["identity"].pop("kv_dtypes"), "identity.kv_dtypes: Field required"),
        ("manifest.json", None, lambda m: m["identity"].update(loads=["x"]), "its options are not valid"),
        (
            "manifest.json",
            None,
            lambda m: m["identity"].update(loads=["single"]),
            "does not contain 256:8 with rate=4, which was sent",
        ),
        ("manifest.json", None, lambda m: m["scenarios"][0].update(name="x"), "it does not contain 256:8"),
        ("manifest.json", None, lambda m: m["memory"].pop("caches"), "memory.caches: Field required"),
        ("requests.jsonl", 0, lambda r: r.update(number="0"), "line 1 is damaged: number"),
        (
            "requests.jsonl",
            0,
            lambda r: r["requests"].reverse(),
            "the hash of its requests differs from the manifest's",
        ),
        (
            "arms/2-fp8/rounds.jsonl",
            1,
            lambda r: r.update(round="no/such/0"),
            "line 2 is damaged: round no/such/0 is not in requests.jsonl",
        ),
        (
            "arms/2-fp8/rounds.jsonl",
            2,
            lambda r: r.update(round="256:8/single/0"),
            "line 3 is damaged: round 256:8/single/0 appears twice",
        ),
        ("arms/2-fp8/rounds.jsonl", 1, lambda r: r.update(duration=float("nan")), "duration: Input should be"),
        ("arms/2-fp8/rounds.jsonl", 1, lambda r: r["replies"].reverse(), "do not match the requests of 256:8/single/0"),
        ("arms/2-fp8/rounds.jsonl", 1, lambda r: r["replies"].pop(), "do not match the requests of 256:8/single/0"),
        (
            "arms/2-fp8/rounds.jsonl",
            1,
            lambda r: r["replies"][0].update(output_tokens=80),
            "does not have the requested lengths",
        ),
        ("arms/2-fp8/rounds.jsonl", 1, lambda r: r["replies"][0].update(chunks=[]), "neither an error nor tokens"),
        ("arms/2-fp8/rounds.jsonl", 1, lambda r: r["replies"][0]["chunks"].reverse(), "its times are not in order"),
        ("arms/2-fp8/rounds.jsonl", 0, lambda r: r.update(steady=None), "line 1 is damaged: steady"),
        (
            "arms/2-fp8/engine.json",
            None,
            lambda e: e["engines"][0]["facts"].update(block_size="16"),
            "block_size: Input should be",
        ),
    ],
)
def test_damage_is_named(monkeypatch, tiny_model, tmp_path, name, line, change, message):
    directory, _ = store_pass(monkeypatch, tmp_path / "other", tiny_model, faster_decode)
    edited(directory.path / name, line, change)
    with pytest.raises(RunDirectoryError, match=re.escape(message)) as raised:
        read_bench(directory)
    assert name in str(raised.value)


def test_results_that_cannot_be_read_are_named(results, tmp_path):
    results()
    edited(tmp_path / "run/throughput/throughput.json", None, lambda found: found.update(bandwidth="2"))
    with pytest.raises(RunDirectoryError, match="bandwidth"):
        results(bandwidth=None)


def half_failing(arm, period, cell, number, index):
    return faster_decode(arm, period, cell, number, index) | (
        {"error": "timeout"} if arm == "fp8" and index % 2 else {}
    )


def test_failures_are_counted_where_a_round_is_missing_too(monkeypatch, tiny_model, tmp_path):
    directory, _ = store_pass(monkeypatch, tmp_path / "torn", tiny_model, half_failing)
    path = directory.rounds("1-auto")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    cell = cell_of(build_results(directory), load="rate=4")
    assert "failed requests differ: 0 with auto" in cell.tpot.because


def test_intervals_of_lines_pool_what_servers_differ_by(results):
    auto, fp8 = results(held=False).lines
    widths = [line.slope.interval[1] - line.slope.interval[0] for line in (auto, fp8)]
    assert widths[0] > 0
    assert widths[0] == pytest.approx(widths[1])


def test_lines_leave_out_what_has_no_verdict(results):
    found = results(facts={"fp8": {"kv_dtype_effective": "bfloat16"}})
    assert [line.arm for line in found.lines] == ["auto", "fp8-held"]
    assert not any("with the context" in line for line in found.advice)


def by_server(arm, period, *_):
    """fp8's second server decodes 8% faster than its first, and so is fp8 4% faster on average."""
    return {"ttft": 0.1, "tpot": 0.01 * (0.92 if (arm, period) == ("fp8", 5) else 1)}


def test_rounds_of_one_server_are_no_independent_measurements(results):
    found = results(by_server)
    cell = cell_of(found)
    assert cell.tpot.verdict == "no verdict"
    assert "servers of one arm differ by as much" in cell.tpot.because
    low, high = cell.tpot.ratio.interval
    assert high - low > 0.15
    assert found.figures[1].by_server["tpot"] == pytest.approx([0.01, 0.0092])
    assert "| 10.0, 9.20 |" in throughput_markdown(found)
    told = next(line for line, _ in speed_lines(found) if line.startswith("fp8: no verdict"))
    assert "256:8 rate=4 TPOT;" in told  # and not TTFT, which has one
