"""A period's order, warm-up and rounds, against a server in this process on a clock that the tests control."""

import asyncio
import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from kveval.arms import Arm
from kveval.engine.client import Client
from kveval.errors import EngineError
from kveval.hardware.gpu_monitor import Gpus
from kveval.store.bench_records import Gauge
from kveval.throughput.period import Cell, Sender, in_order, warm_up
from kveval.throughput.scenarios import Load
from kveval.throughput.workload import Prompts, make_rounds
from tests.throughput.clock import run
from tests.throughput.made import made_scenario

PROMPTS = Prompts(range(100, 4000))


class Standing:
    """A server that stands until it is told to end."""

    def __init__(self, ends_after=None):
        self._ends_after = ends_after

    def alive(self):
        return self._ends_after is None

    async def died(self):
        await asyncio.sleep(self._ends_after or 1e9)
        return "out of memory"

    def root_cause(self):
        return "out of memory"


def cell(scenario, load):
    rounds = make_rounds(scenario, load, rounds=2, size=4, arrivals="constant", seed=0, prompts=PROMPTS)
    return Cell(scenario, load, tuple(rounds))


def with_sender(use, *, delays=(0.1,), server=None, salt=None):
    """What `use(sender)` returns, and the requests that came; the n-th answer takes the n-th delay, later ones the last."""
    came = []

    async def completions(request):
        asked = await request.json()
        came.append(asked)
        await asyncio.sleep(delays[min(len(came), len(delays)) - 1])
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(asked["max_tokens"]):
            await asyncio.sleep(0.01)
            await response.write(b'data: {"choices": [{"text": "x"}]}\n\n')
        usage = {"prompt_tokens": len(asked["prompt"]), "completion_tokens": asked["max_tokens"]}
        await response.write(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode())
        return response

    async def metrics(_):
        return web.Response(text="vllm:num_requests_running{} 1.0\nvllm:num_preemptions_total{} 0.0\n")

    async def main():
        app = web.Application()
        app.router.add_post("/v1/completions", completions)
        app.router.add_get("/metrics", metrics)
        async with TestServer(app) as listening:
            client = Client(str(listening.make_url("")).rstrip("/"), "m", "")
            sender = Sender(server or Standing(), client, PROMPTS, Gpus(here=False), salt)
            async with client, sender.connected():
                return await use(sender)

    return run(main()), came


def test_all_arms_and_then_all_backwards():
    arms = [Arm("auto", "auto"), Arm("fp8", "fp8"), Arm("fp8-held", "fp8")]
    names = ["1-auto", "2-fp8", "3-fp8-held", "4-fp8-held", "5-fp8", "6-auto"]
    assert [period.name for period in in_order(arms)] == names


def test_a_round_is_stored_with_every_reply_and_what_the_engine_said():
    mine = cell(made_scenario("s", 32, 4), Load("concurrency", 2))
    record, came = with_sender(lambda sender: sender.send(mine.rounds[0], mine.load))
    assert [reply.request for reply in record.replies] == [request.id for request in mine.rounds[0].requests]
    assert all(reply.error is None for reply in record.replies)
    assert all(
        at == round(at, 6) for reply in record.replies for at in (reply.due, reply.sent, *reply.chunks, reply.end)
    )
    assert record.duration == pytest.approx(2 * 0.14, abs=0.01)
    assert record.engine.running == Gauge(median=1.0, max=1.0)
    assert record.engine.preemptions == 0.0
    assert "cache_salt" not in came[0]


def test_the_shared_beginning_is_sent_before_and_not_measured():
    mine = cell(made_scenario("s", 32, 4, shared_tokens=16), Load("single"))
    record, came = with_sender(lambda sender: sender.send(mine.rounds[0], mine.load), salt="once")
    assert (len(came), len(record.replies)) == (5, 4)
    assert len({tuple(asked["prompt"][:16]) for asked in came}) == 1
    salts = {asked["cache_salt"] for asked in came}
    assert len(salts) == 1
    assert not set("@/\\") & set(salts.pop())  # which vLLM refuses


@pytest.mark.parametrize(
    ("delays", "passes", "steady"),
    [((0.1,), 2, True), ((2.0, 2.0, 0.1), 3, True), ((8.0, 8.0, 4.0, 4.0, 2.0, 2.0, 1.0, 1.0), 4, False)],
)
def test_warming_up_ends_when_a_pass_is_no_faster_than_the_one_before(delays, passes, steady):
    mine = cell(made_scenario("s", 32, 4), Load("single"))
    record, came = with_sender(lambda sender: warm_up(sender, mine, arrivals="constant", seed=0), delays=delays)
    assert (len(record.e2e), record.steady) == (passes, steady)
    measured = [PROMPTS.ids(request) for each in mine.rounds for request in each.requests]
    assert not any(asked["prompt"] in measured for asked in came)


def test_a_server_that_dies_ends_a_round():
    mine = cell(made_scenario("s", 32, 4), Load("single"))
    with pytest.raises(EngineError, match="The engine died: out of memory"):
        with_sender(lambda sender: sender.send(mine.rounds[0], mine.load), delays=(9.0,), server=Standing(1.0))
