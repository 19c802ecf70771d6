"""Ratios, guards and lines: what a verdict rests on."""

import math
import random

import numpy as np
import pytest

from kveval.throughput.client import Reply
from kveval.throughput.guards import client_bound, prefix_fault
from kveval.throughput.judging import classify
from kveval.throughput.measures import flow
from kveval.throughput.ratios import Ratio, log_ratios, paired
from kveval.throughput.roofline import bandwidth_of, break_even, decode_limit, fieller, fit_line
from kveval.throughput.workload import Request, Round


def test_requests_are_paired_with_themselves_and_failures_left_out():
    assert log_ratios([1.0, None, 4.0, 3.0], [2.0, 1.0, None, 3.0]) == pytest.approx([math.log(0.5), 0.0])


def test_a_ratio_knows_rounds_and_requests():
    steady = paired([[-0.1, -0.11, -0.09]] * 3 + [[-0.1, -0.12, -0.08]] * 3)
    assert steady.log == pytest.approx(-0.1)
    assert steady.low < -0.1 < steady.high < 0
    # Rounds that differ among themselves say little, however many requests each of them has.
    uneven = paired([[value] * 50 for value in (-0.4, 0.2, -0.1)])
    assert uneven.low < 0 < uneven.high
    # And so do requests that differ, where rounds happen to agree.
    wild = paired([[-0.1 + swing, -0.1 - swing] for swing in (0.5, 0.6, 0.7)])
    assert wild.high - wild.low > 0.5
    assert paired([[0.1] * 9]) is None


def test_the_interval_covers_what_it_should():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        rounds = [list(-0.05 + rng.normal(0, 0.02) + rng.normal(0, 0.05, 16)) for _ in range(6)]
        found = paired(rounds)
        covered += found.low <= -0.05 <= found.high
    assert covered >= 0.93 * 400


def ratio(log, low, high):
    return Ratio(log, low, high, 6, 48)


@pytest.mark.parametrize(
    ("found", "floor", "verdict"),
    [
        (ratio(-0.10, -0.12, -0.08), ratio(0.0, -0.02, 0.03), "faster"),
        (ratio(0.10, 0.08, 0.12), ratio(0.0, -0.02, 0.03), "slower"),
        (ratio(-0.025, -0.03, -0.02), ratio(0.0, -0.02, 0.03), "none"),
        (ratio(-0.10, -0.25, 0.05), ratio(0.0, -0.02, 0.03), "no verdict"),
        (ratio(-0.10, -0.12, -0.08), None, "no verdict"),
        (None, ratio(0.0, -0.02, 0.03), "no verdict"),
    ],
)
def test_a_difference_inside_the_floor_is_none(found, floor, verdict):
    assert classify(found, floor, smaller_is_faster=True)[0] == verdict


def test_more_tokens_a_second_are_faster():
    assert classify(ratio(0.1, 0.08, 0.12), ratio(0, -0.01, 0.01), smaller_is_faster=False)[0] == "faster"


def replies(*, late=0.0, spacing=1.0):
    return [Reply(f"r{i}", float(i), i * spacing + late, (i + 0.5,), i + 1.0, 10, 5) for i in range(20)]


@pytest.mark.parametrize(
    ("case", "cpu", "reason"),
    [
        ({}, 0.5, None),
        ({"late": 0.011}, 0.5, "11 ms late"),
        ({"spacing": 1.03}, 0.5, "late"),
        ({"spacing": 0.97}, 0.5, "103.1% of the asked rate"),
        ({}, 0.91, "91% of a core"),
    ],
)
def test_the_client_as_the_bottleneck_is_said(case, cpu, reason):
    found = client_bound(flow(replies(**case), 20.0, open_loop=True), cpu)
    assert found is None if reason is None else reason in found


def test_hits_of_the_prefix_cache_are_what_the_scenario_says():
    requests = tuple(Request(f"r{i}", None, 100, 5, "s", shared_tokens=70) for i in range(10))
    shared, alone = Round("s", "single", 0, requests), Round("s", "single", 0, (Request("r", None, 1000, 5, "s"),))
    assert prefix_fault(shared, 1000, 640, 16) is None  # whole blocks: 64 of 70 tokens
    assert "0% of prompt tokens came from the prefix cache, where 64% should" in prefix_fault(shared, 1000, 0, 16)
    assert prefix_fault(alone, 1000, 0, 16) is None
    assert "where 0% should" in prefix_fault(alone, 1000, 900, 16)
    assert prefix_fault(alone, None, None, 16) is None


def test_the_8b_example():
    """16 GB of weights and 4 GB of KV at 32K on 2 TB/s: 10 ms, and 9 ms with half the KV."""
    assert decode_limit(16e9, 4e9, 2e12) == pytest.approx(0.010)
    assert decode_limit(16e9, 2e9, 2e12) == pytest.approx(0.009)


def test_kv_of_an_8b_model_at_32k_is_4_gb():
    from transformers import LlamaConfig

    from kveval.memory import kv_layout

    config = LlamaConfig(num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, hidden_size=4096)
    layout = kv_layout(config)
    assert layout.sequence_bytes("bfloat16", 32768) == (4 * 2**30, 4 * 2**30)
    assert layout.sequence_bytes("fp8", 32768) == (2 * 2**30, 2 * 2**30)


def curves(intercept, slope, noise=0.0, seed=0):
    rng = random.Random(seed)
    contexts = (1024, 8192, 32768, 65536)
    return [[(c, intercept + slope * c + rng.gauss(0, noise)) for c in contexts] for _ in range(6)]


def test_slope_and_break_even_are_found_with_intervals():
    auto, fp8 = curves(4.9e-3, 3.2e-8, 1e-5), curves(5.0e-3, 2.0e-8, 1e-5, seed=1)
    line = fit_line(auto)
    assert line.slope.value == pytest.approx(3.2e-8, rel=0.05)
    assert line.slope.interval[0] < 3.2e-8 < line.slope.interval[1]
    meets = break_even(fp8, auto)
    assert meets.value == pytest.approx(1e-4 / 1.2e-8, rel=0.15)
    assert meets.interval[0] < 1e-4 / 1.2e-8 < meets.interval[1]
    assert break_even(auto, fp8) is None  # its ITL grows faster: no context makes up for that
    assert fit_line([[(1024.0, 0.005)]] * 6) is None


def test_the_interval_of_a_break_even_is_not_bounded_where_slopes_may_be_equal():
    assert fieller([1.0, 1.1, 0.9], [0.1, -0.1, 0.05]) is None
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        below = rng.normal(2.0, 0.2, 6)
        found = fieller(list(rng.normal(8.0, 0.5, 6)), list(below))
        covered += found is not None and found[0] <= 4.0 <= found[1]
    assert covered >= 0.93 * 300


def test_bandwidths_are_known_by_the_gpus_name():
    assert bandwidth_of("NVIDIA H200, 143771 MiB, 570.00") == pytest.approx(4.8e12)
    assert bandwidth_of("NVIDIA H20, 97871 MiB, 570.00") == pytest.approx(4.0e12)
    assert bandwidth_of("NVIDIA A100-SXM4-80GB, 81920 MiB, 570.00") == pytest.approx(2.039e12)
    assert bandwidth_of("Some other GPU") is None
