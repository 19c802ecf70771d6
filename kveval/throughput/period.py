"""One arm on one fresh server: for each cell, a discarded warm-up until latencies are steady, then the measured rounds."""

import asyncio
import contextlib
import gc
import hashlib
import math
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from kveval.arms import Arm
from kveval.engine.client import Client
from kveval.engine.endpoint import AnyServer
from kveval.engine.session import is_dying
from kveval.errors import EngineError
from kveval.hardware.gpu_monitor import Gpus
from kveval.store.bench_records import Arrivals, Reply, Request, Round, SentRound, WarmUp
from kveval.throughput.load_client import LoadClient, body
from kveval.throughput.measures import latency
from kveval.throughput.metrics_poll import watching
from kveval.throughput.round_loop import drive
from kveval.throughput.scenarios import Load, Scenario
from kveval.throughput.workload import Prompts, make_round

WARM_UPS = 4
"""Maximum number of warm-up passes."""
STILL_WARMING = 0.10
"""Warming up continues while a pass's median end-to-end latency is at least this share below that of the pass before."""
WARM_UP_SECONDS = 2.0
"""Duration of a warm-up pass in an open loop."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """One scenario under one load, with the rounds that every period sends."""

    scenario: Scenario
    load: Load
    rounds: tuple[Round, ...]

    @property
    def id(self) -> str:
        return f"{self.scenario.name}/{self.load.name}"


@dataclass(frozen=True)
class Period:
    """One arm's turn."""

    number: int
    """Position in the order in which periods run, from 1."""
    arm: Arm

    @property
    def name(self) -> str:
        return f"{self.number}-{self.arm.name}"


def in_order(arms: Sequence[Arm]) -> tuple[Period, ...]:
    """All arms, then all arms in reverse (ABBA), so that a linear drift affects each of them equally."""
    return tuple(Period(number, arm) for number, arm in enumerate((*arms, *reversed(arms)), start=1))


class Sender:
    """Sends rounds to one server."""

    def __init__(self, server: AnyServer, client: Client, prompts: Prompts, gpus: Gpus, salt: str | None) -> None:
        """`client` is connected. `salt` keeps requests from hitting the prefix cache of earlier ones."""
        self._server, self._client, self._prompts, self._gpus, self._salt = server, client, prompts, gpus, salt

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator["Sender"]:
        async with LoadClient(f"{self._client.base_url}/", self._client.headers) as self._load:
            yield self

    async def send(self, each: Round, load: Load) -> SentRound:
        """Send one round and return its record. Raises EngineError if the engine dies, since requests do not say why."""
        salt = hashlib.sha256(f"{self._salt}/{each.id}".encode()).hexdigest() if self._salt else None
        sent = (*each.requests, *([each.primer] if each.primer else []))
        bodies = {request.id: body(self._client.model, request, self._prompts.ids(request), salt) for request in sent}

        async def send(request: Request, due: float, start: float) -> Reply:
            return await self._load.send(request, bodies[request.id], due, start)

        gc.collect()  # now rather than while a request is due
        try:
            record = await self._while_alive(self._measured(each, load, send))
        finally:
            gc.enable()
        if any(reply.error for reply in record.replies) and await is_dying(self._server, self._client):
            raise EngineError(f"The engine died: {self._server.root_cause()}")
        return record

    async def _measured(self, each: Round, load: Load, send: Any) -> SentRound:
        if each.primer:
            await send(each.primer, 0.0, asyncio.get_running_loop().time())
        gc.disable()
        async with watching(self._client.metrics, self._gpus) as watch:
            replies, duration = await drive(each.requests, load.in_flight, send)
        # Rounding takes 0.1 ms for 256 chunks: too long while other requests are in flight.
        stored = tuple(reply.rounded() for reply in replies)
        return SentRound(round=each.id, duration=round(duration, 6), replies=stored, engine=watch.summary())

    async def _while_alive(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of `work`. Raises EngineError if the server dies first."""
        tasks = asyncio.create_task(work), asyncio.create_task(self._server.died())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not tasks[0].done():
                raise EngineError(f"The engine died: {tasks[1].result()}")
            return tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def warm_up(sender: Sender, cell: Cell, *, arrivals: Arrivals, seed: int) -> WarmUp:
    """Send passes of the cell's shapes, with prompts of their own, until one is not much faster than the one before."""
    load = cell.load
    size = max(2, math.ceil(load.value * WARM_UP_SECONDS) if load.in_flight is None else 2 * load.in_flight)
    medians: list[float] = []
    steady = False
    while len(medians) < WARM_UPS and not steady:
        passed = make_round(cell.scenario, load, -1 - len(medians), size, arrivals=arrivals, seed=seed)
        record = await sender.send(passed, load)
        found = [each.e2e for reply in record.replies if (each := latency(reply))]
        if not found:  # no request succeeds: the rounds will report why
            break
        medians.append(median(found))
        steady = len(medians) > 1 and medians[-1] > (1 - STILL_WARMING) * medians[-2]
    return WarmUp(warm_up=cell.id, e2e=tuple(round(value, 6) for value in medians), steady=steady)
