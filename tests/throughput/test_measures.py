"""The definitions are vLLM's, and a percentile is shown only where n carries it."""

import numpy as np
import pytest

from kveval.throughput.measures import flow, latency, needed, summaries, summary
from tests.throughput.made import made_reply


def reply(sent=0.0, chunks=(0.5, 0.6, 0.8), due=0.0, output=3, error=None):
    return made_reply("r", due, sent, chunks, 1.0, 10, output, error)


def test_the_definitions():
    found = latency(reply(sent=0.1))
    assert found.ttft == pytest.approx(0.4)
    assert found.itl == pytest.approx((0.1, 0.2))
    assert found.e2e == pytest.approx(0.7)
    assert found.tpot == pytest.approx(0.15)
    # Two tokens in one chunk: a gap less, the same time for each token.
    assert latency(reply(chunks=(0.5, 0.8), output=3)).tpot == pytest.approx(0.15)


def test_they_are_those_of_vllms_benchmark():
    serve = pytest.importorskip("vllm.benchmarks.serve")
    from vllm.benchmarks.lib.endpoint_request_func import RequestFuncOutput

    rng = np.random.default_rng(0)
    replies, outputs = [], []
    for _ in range(80):
        gaps = rng.uniform(0.01, 0.1, 5)
        chunks = tuple(np.cumsum(gaps).tolist())
        replies.append(made_reply("r", 0.0, 0.0, chunks, 1.0, 10, 5))
        done = RequestFuncOutput(success=True, latency=chunks[-1], output_tokens=5, ttft=chunks[0], prompt_len=10)
        done.itl = list(gaps[1:])
        outputs.append(done)
    theirs, _ = serve.calculate_metrics([None] * 80, outputs, 4.0, None, [50, 90, 95], {})
    ours = summaries(replies)
    for name, their_name in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2el")):
        for percentile, value in getattr(theirs, f"percentiles_{their_name}_ms"):
            assert 1000 * getattr(getattr(ours, name), f"p{percentile}") == pytest.approx(value)
        assert 1000 * getattr(ours, name).mean == pytest.approx(getattr(theirs, f"mean_{their_name}_ms"))
    carried = flow(replies, 4.0, open_loop=False)
    assert carried.output_tokens_per_s == pytest.approx(theirs.output_throughput)
    assert carried.total_tokens_per_s == pytest.approx(theirs.total_token_throughput)


def test_a_percentile_that_n_cannot_carry_is_left_out_with_the_reason():
    assert [needed(percentile) for percentile in (50, 90, 95, 99)] == [6, 36, 72, 368]
    few = summary([1.0] * 40)
    assert set(few.as_json()) == {"n", "mean", "p50", "p90", "left_out"}
    assert few.left_out["p99"] == "needs 368 values, but there are 40"
    assert not summary([1.0] * 400).left_out
    assert summary([]) is None


def test_failures_are_counted_by_kind_and_never_averaged():
    replies = [reply(), reply(chunks=(), error="timeout"), reply(error="tokens out"), reply(error="timeout")]
    carried = flow(replies, 2.0, open_loop=False)
    assert carried.errors == {"timeout": 2, "tokens out": 1}
    assert carried.output_tokens_per_s == 1.5
    assert summaries(replies).ttft.n == 1


def test_lateness_and_achieved_rate_of_an_open_loop():
    replies = [reply(due=float(at), sent=at * 1.1, chunks=(at * 1.1 + 0.5,)) for at in range(11)]
    carried = flow(replies, 20.0, open_loop=True)
    assert carried.rate == pytest.approx(1 / 1.1)
    assert carried.lateness_p50 == pytest.approx(0.5)
    assert flow(replies, 20.0, open_loop=False).lateness_p50 is None
