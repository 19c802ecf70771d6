"""Rounds on a clock that the tests control: requests are sent when their load says."""

import asyncio

import pytest

from kveval.throughput.round_loop import drive
from tests.throughput.clock import run
from tests.throughput.made import made_reply, made_request


def requests(dues):
    return [made_request(f"r{index}", due, 10, 5, f"s{index}") for index, due in enumerate(dues)]


def server(seconds, seen=None):
    """Answers after `seconds`, by request; notes how many are in flight."""
    flying = 0

    async def send(request, due, start):
        nonlocal flying
        loop = asyncio.get_running_loop()
        flying += 1
        if seen is not None:
            seen.append(flying)
        sent = loop.time() - start
        await asyncio.sleep(seconds)
        flying -= 1
        return made_reply(request.id, due, sent, (loop.time() - start,), loop.time() - start, 10, 5)

    return send


def test_an_open_loop_sends_when_due_whatever_becomes_of_the_others():
    seen = []
    replies, duration = run(drive(requests([0.5, 1.0, 1.25]), None, server(10.0, seen)))
    assert [reply.request for reply in replies] == ["r0", "r1", "r2"]
    assert [reply.sent for reply in replies] == pytest.approx([0.5, 1.0, 1.25])
    assert [reply.due for reply in replies] == [0.5, 1.0, 1.25]
    assert duration == pytest.approx(11.25)
    assert seen == [1, 2, 3]


def test_a_closed_loop_keeps_so_many_in_flight():
    seen = []
    replies, duration = run(drive(requests([None] * 5), 2, server(1.0, seen)))
    assert max(seen) == 2
    assert [reply.sent for reply in replies] == pytest.approx([0, 0, 1, 1, 2])
    assert all(reply.sent == reply.due for reply in replies)
    assert duration == pytest.approx(3.0)


def test_a_single_stream_sends_one_after_the_other():
    replies, duration = run(drive(requests([None] * 3), 1, server(2.0)))
    assert [reply.sent for reply in replies] == pytest.approx([0, 2, 4])
    assert duration == pytest.approx(6.0)
