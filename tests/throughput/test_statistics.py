"""Ratios, guards and lines: what a verdict rests on."""

import math
import random

import numpy as np
import pytest

from kveval.throughput.guards import client_bound, prefix_fault
from kveval.throughput.measures import flow
from kveval.throughput.ratios import log_ratios, paired
from kveval.throughput.roofline import (
    SLOPE,
    break_even,
    decode_limit,
    estimate,
    fieller,
    fit_line,
    slope_gain,
)
from kveval.throughput.server_variance import spread_of
from kveval.throughput.speed_verdicts import speed_verdict
from tests.throughput.made import made_ratio, made_reply, made_request, made_round


def test_requests_are_paired_with_themselves_and_failures_left_out():
    assert log_ratios([1.0, None, 4.0, 3.0], [2.0, 1.0, None, 3.0]) == pytest.approx([math.log(0.5), 0.0])


def test_a_ratio_knows_rounds_and_requests():
    steady = paired([[-0.1, -0.11, -0.09]] * 3 + [[-0.1, -0.12, -0.08]] * 3)
    assert steady.log == pytest.approx(-0.1)
    assert steady.interval[0] < -0.1 < steady.interval[1] < 0
    # Rounds that differ among themselves say little, however many requests each of them has.
    uneven = paired([[value] * 50 for value in (-0.4, 0.2, -0.1)])
    assert uneven.interval[0] < 0 < uneven.interval[1]
    # And so do requests that differ, where rounds happen to agree.
    wild = paired([[-0.1 + swing, -0.1 - swing] for swing in (0.5, 0.6, 0.7)])
    assert wild.interval[1] - wild.interval[0] > 0.5
    assert paired([[0.1] * 9]) is None


def test_the_interval_covers_what_it_should():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        rounds = [list(-0.05 + rng.normal(0, 0.02) + rng.normal(0, 0.05, 16)) for _ in range(6)]
        found = paired(rounds)
        covered += found.interval[0] <= -0.05 <= found.interval[1]
    assert covered >= 0.93 * 400


@pytest.mark.parametrize("server", [0.0, 0.005, 0.02])
def test_the_interval_knows_that_servers_of_one_arm_differ(server):
    """Equal arms of two servers each, three rounds on each of them: rounds on one server are no independent measurements."""
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(300):
        sides = [rng.normal(0, server, 2)[:, None, None] + rng.normal(0, 0.002, (2, 3, 4)) for _ in range(2)]
        rounds = [list(each) for each in (sides[0] - sides[1]).reshape(6, 4)]
        means = tuple([[float(own.mean())] for own in side] for side in sides)
        found = paired(rounds, means)
        covered += found.interval[0] <= 0 <= found.interval[1]
    assert covered >= 0.93 * 300


def ratio(log, low, high):
    return made_ratio(log, low, high, 6, 48)


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
    assert speed_verdict(found, floor, smaller_is_faster=True)[0] == verdict


def test_more_tokens_a_second_are_faster():
    assert speed_verdict(ratio(0.1, 0.08, 0.12), ratio(0, -0.01, 0.01), smaller_is_faster=False)[0] == "faster"


def replies(*, late=0.0, spacing=1.0):
    sent = [i * spacing + late for i in range(20)]
    return [made_reply(f"r{i}", float(i), at, (at + 0.5,), at + 1.0, 10, 5) for i, at in enumerate(sent)]


@pytest.mark.parametrize(
    ("case", "cpu", "reason"),
    [
        ({}, 0.5, None),
        ({"late": 0.011}, 0.5, "late by a median of 11 ms"),
        ({"spacing": 1.03}, 0.5, "late"),
        ({"spacing": 0.97}, 0.5, "103.1% of the requested rate"),
        ({}, 0.91, "91% of a core"),
    ],
)
def test_the_client_as_the_bottleneck_is_said(case, cpu, reason):
    found = client_bound(flow(replies(**case), 20.0, open_loop=True), cpu)
    assert found is None if reason is None else reason in found


def test_hits_of_the_prefix_cache_are_what_the_scenario_says():
    requests = tuple(made_request(f"r{i}", None, 100, 5, "s", shared_tokens=70) for i in range(10))
    shared, alone = (
        made_round("s", "single", 0, requests),
        made_round("s", "single", 0, (made_request("r", None, 1000, 5, "s"),)),
    )
    assert prefix_fault(shared, 1000, 640, 16) is None  # whole blocks: 64 of 70 tokens
    assert "0% of prompt tokens came from it, but 64% should have" in prefix_fault(shared, 1000, 0, 16)
    assert prefix_fault(alone, 1000, 0, 16) is None
    assert "but 0% should have" in prefix_fault(alone, 1000, 900, 16)
    assert prefix_fault(alone, None, None, 16) is None


def test_the_8b_example():
    """16 GB of weights and 4 GB of KV at 32K on 2 TB/s: 10 ms, and 9 ms with half the KV."""
    assert decode_limit(16e9, 4e9, 2e12) == pytest.approx(0.010)
    assert decode_limit(16e9, 2e9, 2e12) == pytest.approx(0.009)


def test_kv_of_an_8b_model_at_32k_is_4_gb():
    from transformers import LlamaConfig

    from kveval.kv_cache.layout import kv_layout

    config = LlamaConfig(num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, hidden_size=4096)
    layout = kv_layout(config)
    assert layout.sequence_bytes("bfloat16", 32768) == (4 * 2**30, 4 * 2**30)
    assert layout.sequence_bytes("fp8", 32768) == (2 * 2**30, 2 * 2**30)


CONTEXTS = (1024, 8192, 32768, 65536)


def servers(intercept, slope, noise=0.0, seed=0, number=2):
    """Curves of three rounds on each of some servers, of which each is off by its own share of `noise`."""
    rng = random.Random(seed)
    off = [rng.gauss(0, noise) for _ in range(number)]
    return [
        [[(c, intercept + own + slope * c + rng.gauss(0, noise / 10)) for c in CONTEXTS] for _ in range(3)]
        for own in off
    ]


def test_slope_and_break_even_are_found_with_intervals():
    auto, fp8 = (fit_line(servers(*each)) for each in ((4.9e-3, 3.2e-8, 1e-5), (5.0e-3, 2.0e-8, 1e-5, 1)))
    spread = spread_of([auto.servers, fp8.servers])
    slope = estimate(auto, SLOPE, spread)
    assert slope.value == pytest.approx(3.2e-8, rel=0.05)
    assert slope.interval[0] < 3.2e-8 < slope.interval[1]
    gain = slope_gain(fp8, auto, spread)
    assert gain.value == pytest.approx(1.2e-8, rel=0.05)
    meets = break_even(fp8, auto, spread)
    assert meets.value == pytest.approx(1e-4 / 1.2e-8, rel=0.3)
    assert meets.interval[0] < 1e-4 / 1.2e-8 < meets.interval[1]
    assert break_even(auto, fp8, spread) is None  # its TPOT grows faster: no context makes up for that
    assert break_even(fp8, auto, None).interval is None
    assert auto.misfit < 0.01
    assert fit_line([[[(1024.0, 0.005)]] * 3] * 2) is None
    assert fit_line([servers(4.9e-3, 3e-8)[0], []]) is None


def test_a_curve_that_is_no_line_is_told_by_its_misfit():
    bent = [[[(c, 5e-3 + 3e-8 * c + (3e-4 if c < 5000 else 0)) for c in CONTEXTS]] * 3] * 2
    assert fit_line(bent).misfit > 0.02


def test_the_interval_of_a_break_even_is_not_bounded_where_slopes_may_be_equal():
    assert fieller(1.0, 0.02, 0.01, 0.01, 0.0, 2.0) is None
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        found = fieller(rng.normal(8.0, 0.5), rng.normal(2.0, 0.2), 0.25, 0.04, 0.0, 1.96)
        covered += found is not None and found[0] <= 4.0 <= found[1]
    assert covered >= 0.92 * 300
