"""The client against a server that behaves, and misbehaves, as vLLM does."""

import asyncio
import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from kveval.engine.client import Client, RequestError
from kveval.errors import EngineError


def event(ids, text="", finish=None, **more):
    likely = {"tokens": [f"token_id:{i}" for i in ids], "token_logprobs": [-0.5] * len(ids)}
    likely["top_logprobs"] = [{f"token_id:{i}": -0.5, "token_id:99": -1.75, "token_id:98": -3.0} for i in ids]
    choice = {"index": 0, "text": text, "token_ids": ids, "logprobs": likely}
    return {"choices": [{**choice, "finish_reason": finish, **more}]}


WHOLE = [event([5], "a", prompt_token_ids=[1, 2]), event([6, 7], "bc"), event([], "", "stop")]


def ask(events=WHOLE, *, status=200, done=True, body=None, prompt=(1, 2), pieces=1):
    """What the client makes of one stream; and the request that the server received."""
    received = {}

    async def completions(request):
        received.update(await request.json(), key=request.headers["Authorization"])
        if body is not None:
            return web.Response(status=status, text=body)
        response = web.StreamResponse(status=status)
        await response.prepare(request)
        stream = "".join(f"data: {json.dumps(e)}\n\n" for e in events) + ("data: [DONE]\n\n" if done else "")
        size = -(-len(stream) // pieces)
        for start in range(0, len(stream), size):
            await response.write(stream[start : start + size].encode())
            await asyncio.sleep(0)
        return response

    async def main():
        app = web.Application()
        app.router.add_post("/v1/completions", completions)
        firsts = []
        async with TestServer(app) as server, Client(str(server.make_url("/")), "m", "secret") as client:
            completion = await client.complete(prompt, 9, lambda: firsts.append(1))
        return completion, firsts

    return *asyncio.run(main()), received


@pytest.mark.parametrize("pieces", [1, 7, 100])
def test_a_whole_answer(pieces):
    completion, firsts, received = ask(pieces=pieces)
    assert completion.token_ids == (5, 6, 7)
    assert (completion.text, completion.finish_reason, completion.logprobs) == ("abc", "stop", (-0.5, -0.5, -0.5))
    assert completion.margins == (1.25, 1.25, 1.25)
    assert 0 < completion.first_token_s <= completion.total_s
    assert firsts == [1]
    assert received["prompt"] == [1, 2]
    assert (received["temperature"], received["repetition_penalty"], received["max_tokens"]) == (0, 1, 9)
    assert received["key"] == "Bearer secret"


def test_an_answer_of_no_token_is_whole():
    completion, _, _ = ask([event([], "", "stop")])
    assert completion.token_ids == ()


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"events": WHOLE[:2]}, "stream ended early"),
        ({"events": WHOLE[:2], "done": False}, "stream ended early"),
        ({"status": 400, "body": '{"error": {"message": "prompt is\\ntoo long"}}'}, "HTTP 400: prompt is too long"),
        ({"status": 500, "body": "Internal Server Error"}, "HTTP 500: Internal Server Error"),
        ({"events": [{"error": {"message": "engine is dead", "code": 500}}]}, "engine is dead"),
        ({"events": [event([5], finish="abort")]}, "finish reason abort"),
        ({"events": [{"choices": [{}]}]}, "not in vLLM's format"),
        ({"body": "data: {nonsense\n\n"}, "not in vLLM's format"),
        ({"events": WHOLE, "prompt": (1, 3)}, "different prompt tokens"),
    ],
)
def test_anything_short_of_a_whole_answer_is_an_error(case, message):
    with pytest.raises(RequestError, match=message):
        ask(**case)


def test_a_server_that_is_not_there():
    async def main():
        async with Client("http://127.0.0.1:9", "m", "k") as client:
            assert not await client.healthy()
            with pytest.raises(EngineError):
                await client.metrics()
            with pytest.raises(RequestError, match="ClientConnectorError"):
                await client.complete([1], 1)

    asyncio.run(main())
