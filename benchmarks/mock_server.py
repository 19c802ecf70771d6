"""Server with known delays, to measure the load client: streams `/v1/completions` without a model.

    python benchmarks/mock_server.py PORT TTFT_MS ITL_MS

The due times of all tokens are fixed when the request has been read. Waiting ends in a busy loop, so that tokens are late by
microseconds only. Every stream ends with the usage in the format of vLLM.
"""

import asyncio
import json
import sys
import time

from aiohttp import web

SPIN_S = 0.002


async def wait_until(due: float) -> None:
    await asyncio.sleep(max(0.0, due - time.perf_counter() - SPIN_S))
    while time.perf_counter() < due:
        await asyncio.sleep(0)


def application(ttft: float, itl: float) -> web.Application:
    async def completions(request: web.Request) -> web.StreamResponse:
        read = await request.read()
        received = time.perf_counter()
        parameters = json.loads(read)
        response = web.StreamResponse()
        await response.prepare(request)
        for token in range(parameters["max_tokens"]):
            await wait_until(received + ttft + token * itl)
            chunk = {"choices": [{"index": 0, "text": "x", "logprobs": None, "finish_reason": None}]}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        usage = {"prompt_tokens": len(parameters["prompt"]), "completion_tokens": parameters["max_tokens"]}
        await response.write(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode())
        return response

    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/completions", completions)
    return app


if __name__ == "__main__":
    port, ttft_ms, itl_ms = map(float, sys.argv[1:])
    web.run_app(application(ttft_ms / 1000, itl_ms / 1000), host="127.0.0.1", port=int(port), print=None)
