"""Accuracy of the load client, measured against a server with known delays, as a Markdown table.

    python benchmarks/load_client.py              a minute on two cores, one for the server

1. One stream: errors of TTFT and ITL.
2. Open loop, 16 requests per second with prompts of 32K tokens: lateness of sending, and its share of a core.
"""

import argparse
import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import numpy as np

from kveval.throughput.load_client import LoadClient, Reply, body
from kveval.throughput.measures import latency
from kveval.throughput.round_loop import drive
from kveval.throughput.scenarios import Load, Scenario
from kveval.throughput.workload import Prompts, Request, Round, make_round

TTFT_MS, ITL_MS = 200.0, 20.0
PROMPTS = Prompts(range(1000, 128_000))


async def replay(port: int, each: Round, in_flight: int | None) -> tuple[list[Reply], float]:
    """Send a round, and return its replies and the share of a core that this took."""
    bodies = {request.id: body("mock", request, PROMPTS.ids(request)) for request in each.requests}
    async with LoadClient(f"http://127.0.0.1:{port}/", {}) as client:
        await client.send(each.requests[0], bodies[each.requests[0].id], 0.0, 0.0)  # opens the connection

        async def send(request: Request, due: float, start: float) -> Reply:
            return await client.send(request, bodies[request.id], due, start)

        cpu = time.process_time()
        replies, duration = await drive(each.requests, in_flight, send)
        return replies, (time.process_time() - cpu) / duration


async def wait_for_server(port: int) -> None:
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"http://127.0.0.1:{port}/"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)


async def measure(port: int, seconds: float) -> None:
    await wait_for_server(port)
    chat = Scenario(name="chat", prompt_tokens=512, output_tokens=64)
    one = make_round(chat, Load("single"), 0, 20, arrivals="constant", seed=0)
    replies, _ = await replay(port, one, 1)
    found = [each for reply in replies if (each := latency(reply))]
    ttft = np.array([each.ttft for each in found]) * 1000 - TTFT_MS
    itl = np.array([gap for each in found for gap in each.itl]) * 1000 - ITL_MS
    load = Load("rate", 16)
    context = Scenario(name="32k", prompt_tokens=32_768, output_tokens=4)
    long = make_round(context, load, 1, load.number(1, seconds), arrivals="poisson", seed=0)
    replies, cpu = await replay(port, long, None)
    late = np.array([reply.sent - reply.due for reply in replies]) * 1000
    failed = sum(reply.error is not None for reply in replies)
    print("| measure | n | median | P99 | largest |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, values in (
        (f"TTFT − {TTFT_MS:g} ms", ttft),
        (f"ITL − {ITL_MS:g} ms", itl),
        (f"mean ITL of a request − {ITL_MS:g} ms", itl.reshape(len(found), -1).mean(axis=1)),
        ("lateness, 16 a second of 32K tokens", late),
    ):
        p50, p99 = np.percentile(values, (50, 99))
        print(f"| {name} | {len(values)} | {p50:+.3f} ms | {p99:+.3f} ms | {np.abs(values).max():.3f} ms |")
    print(f"\n{failed} of {len(replies)} requests failed; sending took {cpu:.0%} of a core.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30, help="duration of the open loop (default 30)")
    seconds = parser.parse_args().seconds
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("mock_server.py"), str(port), str(TTFT_MS), str(ITL_MS)]
    )
    try:
        asyncio.run(measure(port, seconds))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
