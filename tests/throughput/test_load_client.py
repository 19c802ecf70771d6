"""The load client against a server with known delays, on a clock that the tests control, and against one that misbehaves."""

import asyncio
import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from kveval.store.bench_records import Reply
from kveval.throughput.load_client import LoadClient, body
from kveval.throughput.measures import latency
from tests.throughput.clock import run
from tests.throughput.made import made_reply, made_request

REQUEST = made_request("r", 0.0, 3, 4, "seed")
IDS = [7, 8, 9]


def chunk(text="x"):
    return {"choices": [{"index": 0, "text": text, "finish_reason": None}]}


def usage(prompt=3, output=4):
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": output}}


def ask(events, *, status=200, timeout=None, cut=False):
    """The reply to one request, and what the server received. `events` are payloads, and waits in seconds."""
    received = {}

    async def completions(request):
        received.update(await request.json(), key=request.headers.get("Authorization"))
        if status != 200:
            return web.json_response({"error": {"message": "no room"}}, status=status)
        response = web.StreamResponse()
        await response.prepare(request)
        for event in events:
            if isinstance(event, float):
                await asyncio.sleep(event)
            else:
                data = event if isinstance(event, str) else json.dumps(event)
                await response.write(f"data: {data}\n\n".encode())
        if cut:
            request.transport.abort()
        else:
            await response.write(b"data: [DONE]\n\n")
        return response

    async def main():
        app = web.Application()
        app.router.add_post("/v1/completions", completions)
        async with (
            TestServer(app) as server,
            LoadClient(
                str(server.make_url("/")), {"Authorization": "Bearer secret"}, timeout_s=timeout or 60
            ) as client,
        ):
            start = asyncio.get_running_loop().time()
            return await client.send(REQUEST, body("m", REQUEST, IDS), 0.0, start)

    return run(main()), received


def test_ttft_and_itl_are_the_servers_delays():
    reply, received = ask([0.25, chunk(), 0.01, chunk(), 0.02, chunk(), 0.04, chunk(), 0.5, usage()])
    assert reply.error is None
    found = latency(reply)
    assert found.ttft == pytest.approx(0.25, abs=1e-3)
    assert found.itl == pytest.approx((0.01, 0.02, 0.04), abs=1e-3)
    assert found.e2e == pytest.approx(0.32, abs=1e-3)  # the last chunk ends it, not the end of the stream
    assert found.tpot == pytest.approx(0.07 / 3, abs=1e-3)
    assert (received["prompt"], received["max_tokens"], received["min_tokens"]) == (IDS, 4, 4)
    assert (received["ignore_eos"], received["temperature"], received["key"]) == (True, 0.0, "Bearer secret")


@pytest.mark.parametrize(
    ("events", "options", "kind"),
    [
        ([chunk()] * 4 + [usage(output=3)], {}, "tokens out"),
        ([chunk()] * 4 + [usage(prompt=5)], {}, "tokens in"),
        ([chunk()] * 4, {}, "cut"),
        ([usage()], {}, "cut"),
        ([chunk()] * 4 + [usage(prompt="3")], {}, "cut"),
        ([chunk()] * 4 + [usage(prompt=3.0)], {}, "cut"),
        ([chunk()] * 4 + [usage(output=True)], {}, "cut"),
        ([chunk()] * 4 + [usage(output=-4)], {}, "cut"),
        ([chunk()] * 4 + [usage(prompt=2**63)], {}, "cut"),
        ([chunk()] * 4 + [{"choices": [], "usage": [3, 4]}], {}, "cut"),
        ([chunk(), {"error": {"message": "engine is dead"}}], {}, "engine"),
        ([chunk(), "{nonsense"], {}, "bad stream"),
        ([], {"status": 429}, "http 429"),
        ([chunk()], {"cut": True}, "disconnect"),
        ([chunk(), 90.0, chunk(), usage()], {"timeout": 30}, "timeout"),
    ],
)
def test_every_failure_has_a_kind_and_no_latency(events, options, kind):
    reply, _ = ask(events, **options)
    assert reply.error == kind
    assert latency(reply) is None


def test_a_server_that_is_not_there_is_an_error_of_the_request():
    async def main():
        async with LoadClient("http://127.0.0.1:9/", {}) as client:
            return await client.send(REQUEST, body("m", REQUEST, IDS), 0.0, 0.0)

    assert asyncio.run(main()).error == "disconnect"


def test_a_reply_is_read_as_it_was_written():
    reply = made_reply("r", 0.5, 0.5001, (0.6, 0.7), 0.8, 3, 4)
    assert Reply.model_validate(json.loads(json.dumps(reply.as_json()))) == reply


def test_stored_times_are_whole_microseconds():
    reply = made_reply("r", 0.12345678, 0.1234567, (0.1234567, 0.2000004), 0.30000051, 3, 4)
    times = {"due": 0.123457, "sent": 0.123457, "chunks": (0.123457, 0.2), "end": 0.300001}
    assert reply.rounded().as_json() == reply.as_json() | times


def test_prompts_of_different_salts_share_no_cache():
    assert json.loads(body("m", REQUEST, IDS, "auto-1"))["cache_salt"] == "auto-1"
    assert "cache_salt" not in json.loads(body("m", REQUEST, IDS))
