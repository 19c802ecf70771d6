"""Requests are made once, have exact lengths, and share nothing that they should not."""

import random
from itertools import combinations

import pytest

from kveval.errors import LengthError, RunDirectoryError, UsageError
from kveval.store.bench_directory import BenchDirectory
from kveval.throughput.scenarios import Load, check_scenarios, parse_loads, parse_scenarios
from kveval.throughput.workload import Prompts, due_times, make_rounds
from kveval.throughput.workload import digest as digest_of
from tests.throughput.made import made_scenario

PROMPTS = Prompts(range(100, 4000))
OPTIONS = {"rounds": 3, "size": 6, "arrivals": "poisson", "seed": 0, "prompts": PROMPTS}


def test_lengths_are_exact_and_no_prompt_begins_like_another():
    rounds = make_rounds(made_scenario("s", 64, 8), Load("rate", 2), **OPTIONS)
    prompts = [PROMPTS.ids(request) for each in rounds for request in each.requests]
    assert {len(ids) for ids in prompts} == {64}
    assert all(a[:8] != b[:8] for a, b in combinations(prompts, 2))
    assert {token for ids in prompts for token in ids} <= set(range(100, 4000))


def test_a_shared_prefix_is_that_of_its_round_alone():
    rounds = make_rounds(made_scenario("s", 64, 8, shared_tokens=48), Load("concurrency", 2), **OPTIONS)
    heads = []
    for each in rounds:
        prompts = [PROMPTS.ids(request) for request in (*each.requests, each.primer)]
        assert len({tuple(ids[:48]) for ids in prompts}) == 1
        assert len({tuple(ids[48:]) for ids in prompts}) == len(prompts)
        heads.append(tuple(prompts[0][:48]))
        assert each.cached_tokens == 48 * 6
    assert len(set(heads)) == 3


def test_mixed_lengths_keep_the_mean_and_the_limits():
    (mixed,) = parse_scenarios("64:8-mixed")
    lengths = [mixed.lengths(random.Random(seed)) for seed in range(2000)]
    assert (min(prompt for prompt, _ in lengths), max(prompt for prompt, _ in lengths)) == (32, 96)
    assert sum(prompt for prompt, _ in lengths) / 2000 == pytest.approx(64, rel=0.02)
    assert max(output for _, output in lengths) == 12
    assert mixed.longest == 108


def test_a_shared_beginning_of_ones_own():
    (own,) = parse_scenarios("8k+512:256")
    assert (own.prompt_tokens, own.shared_tokens, own.output_tokens) == (8704, 8192, 256)
    assert parse_scenarios("shared")[0].shared_tokens == 8192


def test_the_same_seed_makes_the_same_requests_and_another_one_others():
    scenario, load = made_scenario("s", 64, 8), Load("rate", 2)
    first, again = make_rounds(scenario, load, **OPTIONS), make_rounds(scenario, load, **OPTIONS)
    assert first == again
    other = make_rounds(scenario, load, **{**OPTIONS, "seed": 1})
    assert digest_of(first) == digest_of(again) != digest_of(other)


def test_stored_requests_are_replayed_and_altered_ones_refused(tmp_path):
    directory = BenchDirectory(tmp_path)
    rounds = make_rounds(made_scenario("s", 64, 8, shared_tokens=16), Load("rate", 2), **OPTIONS)
    directory.write_requests(rounds)
    assert directory.read_requests() == rounds
    with pytest.raises(RunDirectoryError, match="not the one that was stored"):
        Prompts(range(3000)).ids(rounds[0].requests[0])


@pytest.mark.parametrize("arrivals", ["poisson", "constant"])
def test_due_times_have_the_rate_that_was_asked_for(arrivals):
    times = due_times(4.0, 100, arrivals, random.Random(1))
    assert times == sorted(times)
    assert times[-1] == pytest.approx(25.0, abs=1e-4)
    gaps = [after - before for before, after in zip([0.0, *times], times, strict=False)]
    spread = max(gaps) - min(gaps)
    assert spread > 0.5 if arrivals == "poisson" else spread < 1e-5


@pytest.mark.parametrize(
    ("load", "number"), [("single", 8), ("concurrency=4", 32), ("concurrency=64", 256), ("rate=4", 80)]
)
def test_how_many_requests_a_round_has(load, number):
    assert parse_loads(load)[0].number(32, 20) == number


@pytest.mark.parametrize(
    "text",
    [
        "8k",
        "8k:",
        "8k:1",
        "0:5",
        "tiny",
        "shared-mixed",
        "8k:16:3",
        "short,short",
        "8k+:16",
        "1k+1k+1k:16",
        "8k+1k:16-mixed",
    ],
)
def test_what_is_no_scenario_is_refused(text):
    with pytest.raises(UsageError, match="--scenarios"):
        parse_scenarios(text)


@pytest.mark.parametrize(
    "text", ["rate", "rate=0", "rate=-1", "concurrency=0", "concurrency=2.5", "rate=1e9", "single,single"]
)
def test_what_is_no_load_is_refused(text):
    with pytest.raises(UsageError, match="--loads"):
        parse_loads(text)


def test_sequences_longer_than_the_model_are_refused():
    with pytest.raises(LengthError, match=r"very-long takes 32,896 tokens.*context window of tiny \(8,192 tokens\)"):
        check_scenarios(parse_scenarios("short,very-long"), 8192, "tiny")
    check_scenarios(parse_scenarios("very-long"), None, "unknown")
