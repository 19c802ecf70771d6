"""Sends the requests of a round according to its load."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from kveval.store.bench_records import Reply, Request

Send = Callable[[Request, float, float], Awaitable[Reply]]
"""Function that sends a request now. Arguments: the request, its due time in seconds after the start of the round, and the
start on the event loop's clock."""


async def drive(requests: Sequence[Request], in_flight: int | None, send: Send) -> tuple[list[Reply], float]:
    """Send all `requests`; return their replies, in the order of the requests, and the seconds until the last one ended.

    With `in_flight`, that many requests are in flight, and the next is sent when one ends. Without it, each is sent when it is
    due, regardless of the others.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()
    if in_flight is None:
        replies = await _open_loop(requests, send, start)
    else:
        replies = await _closed_loop(requests, in_flight, send, start)
    return replies, loop.time() - start


async def _open_loop(requests: Sequence[Request], send: Send, start: float) -> list[Reply]:
    loop = asyncio.get_running_loop()

    async def when_due(request: Request) -> Reply:
        due = request.due or 0.0
        await asyncio.sleep(start + due - loop.time())
        return await send(request, due, start)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(when_due(request)) for request in requests]
    return [task.result() for task in tasks]


async def _closed_loop(requests: Sequence[Request], in_flight: int, send: Send, start: float) -> list[Reply]:
    loop = asyncio.get_running_loop()
    left = iter(enumerate(requests))
    replies: dict[int, Reply] = {}

    async def send_next() -> None:
        for index, request in left:  # one iterator for all: each request is taken once
            replies[index] = await send(request, loop.time() - start, start)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(in_flight, len(requests))):
            group.create_task(send_next())
    return [replies[index] for index in range(len(requests))]
