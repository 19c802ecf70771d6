"""Servers whose queues are known."""

import random

import pytest

from kveval.throughput.queueing import queue_state
from tests.throughput.made import made_reply


def one_by_one(service, rate=4.0, number=120, seed=0):
    """Replies of one server that serves one request at a time in about `service` seconds."""
    rng = random.Random(seed)
    free, found = 0.0, []
    for index in range(number):
        due = index / rate
        start = max(due, free)
        free = start + service * rng.uniform(0.8, 1.2)
        found.append(made_reply(f"r{index}", due, due, (start + 0.01, free), free, 10, 2))
    return found


def at_once(growth, rate=4.0, seconds=12.0, seed=0):
    """Replies of a server that takes each prompt in at once and answers it in 2 s; by the end of the round in `growth` times
    as much more."""
    rng = random.Random(seed)
    due, found = 0.0, []
    while (due := due + rng.expovariate(rate)) < seconds:
        end = due + 0.2 + 2.0 * (1 + growth * due / seconds)
        found.append(made_reply(f"r{due}", due, due, (due + 0.2, end), end, 10, 2))
    return found


def test_a_rate_at_which_the_queue_grows_is_saturated():
    assert queue_state([one_by_one(0.3), one_by_one(0.3, seed=1)]) == "saturated"
    assert queue_state([one_by_one(0.15), one_by_one(0.15, seed=1)]) == "steady"
    assert sum(queue_state([one_by_one(0.2, seed=seed)]) != "steady" for seed in range(40)) <= 2


@pytest.mark.parametrize("growth", [6.0, 10.0])
def test_rounds_that_end_before_the_queue_is_steady_say_so(growth):
    states = [queue_state([at_once(growth, seed=3 * run + seed) for seed in range(3)]) for run in range(20)]
    assert states.count("filling") >= 18


def test_bunches_of_a_poisson_process_seldom_look_like_a_queue():
    states = [queue_state([at_once(0.0, seed=3 * run + seed) for seed in range(3)]) for run in range(60)]
    assert states.count("steady") >= 55


def test_few_requests_tell_nothing():
    assert queue_state([one_by_one(0.15, number=4)]) == "filling"
    assert queue_state([[]]) is None
    assert queue_state([[made_reply("r", 0.0, 0.0, (), 0.1, None, None, "timeout")]]) is None
    together = [made_reply(f"r{index}", 0.0, 0.0, (0.1, 0.2), 0.2, 10, 2) for index in range(20)]
    assert queue_state([together, together]) == "filling"
