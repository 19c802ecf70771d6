"""One engine from start to stop: starts it or connects to its URL, records its facts, and stops or leaves it."""

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from kveval.arms import Arm
from kveval.config import EngineConfig
from kveval.engine.client import Client
from kveval.engine.endpoint import AnyServer, Endpoint
from kveval.engine.facts import read_facts
from kveval.engine.inspection import Installed
from kveval.engine.progress import Progress
from kveval.engine.server import Server, command_line
from kveval.errors import EngineError
from kveval.models.checkpoint import Model
from kveval.store.json_files import write_object
from kveval.store.run_directory import Directory
from kveval.store.run_records import EngineFile, EngineRecord, EngineStatus

HEALTH_CHECK_INTERVAL_S = 2.0
HEALTH_CHECKS = 5
"""Seconds between health checks after a failed request, and failed checks after which an engine counts as dead."""


class EngineLog:
    """Writes the `engine.json` of an arm: every engine that has served it, the current one last."""

    def __init__(self, directory: Directory, arm: Arm) -> None:
        self._path = directory.engine(arm.name)
        self._arm = arm
        self._earlier = directory.read_engines(arm.name)
        self._engine: EngineRecord | None = None

    def update(self, status: EngineStatus, **facts: Any) -> None:
        """Set the status of the current engine, and further fields of its record."""
        if self._engine is None:
            self._engine = EngineRecord(status=status, **facts)
        else:
            self._engine = self._engine.model_copy(update={"status": status, **facts})
        engines = (*self._earlier, self._engine)
        write_object(
            self._path,
            EngineFile(
                schema_version=EngineFile.SCHEMA, arm=self._arm.name, kv_dtype=self._arm.kv_dtype, engines=engines
            ),
        )


@dataclass(frozen=True)
class Engine:
    """A running engine that answers requests."""

    server: AnyServer
    client: Client
    """A connected client."""
    log: EngineLog
    _since: float

    def done(self, **facts: Any) -> None:
        """Record that every request was answered, the seconds that this took, and further fields of the engine's record."""
        self.log.update("done", serving_seconds=round(time.perf_counter() - self._since, 1), **facts)


@asynccontextmanager
async def running(
    arm: Arm,
    config: EngineConfig,
    model: Model,
    vllm: Installed,
    directory: Directory,
    progress: Progress,
    *,
    tokens: int,
    samples: int,
    more: tuple[str, ...] = (),
) -> AsyncIterator[Engine]:
    """Start a fresh server for an arm, or connect to the endpoint that `config` names for its KV dtype; release it on exit.

    `tokens` is the length of the longest sequence, `samples` the number of samples that will be sent, `more` are arguments for
    this arm only. An EngineError, raised if the engine does not start or dies, is recorded and raised again.
    """
    log = EngineLog(directory, arm)
    server: AnyServer
    if config.endpoints:
        url = config.endpoints[arm.kv_dtype]
        server = Endpoint(arm.kv_dtype, url, tokens)
        log.update("starting", endpoint=url)
    else:
        arguments = command_line(model.path, arm, tokens, (*config.engine_args, *more), vllm.device)
        path = directory.server_log(arm.name)
        server = Server(arguments, path, device=vllm.device, offline=model.is_local, version=vllm.version)
        log.update("starting", arguments=tuple(model.shown(arguments)), environment=server.settings)
    progress.stage(f"{arm.name}: {'connecting' if config.endpoints else 'starting vLLM'}")
    try:
        async with await server.start() as client:
            facts = read_facts(
                await client.metrics(),
                server.log_text(),
                kv_dtype_asked=arm.kv_dtype,
                config=model.config,
                vllm_version=server.version,
                device=vllm.device,
                start_seconds=server.start_seconds,
            )
            log.update("serving", facts=facts)
            progress.arm_started(arm.name, samples, facts)
            yield Engine(server, client, log, time.perf_counter())
    except EngineError as error:
        log.update("failed", reason=str(error))
        raise
    finally:
        progress.stage(f"{arm.name}: {'disconnecting from' if config.endpoints else 'stopping'} vLLM")
        server.stop()


async def is_dying(server: AnyServer, client: Client) -> bool:
    """Return whether the engine behind a server is gone, or stays unhealthy."""
    for _ in range(HEALTH_CHECKS):
        await asyncio.sleep(HEALTH_CHECK_INTERVAL_S)
        if not server.alive():
            return True
        if await client.healthy():
            return False
    return True


def cancel_on_sigterm() -> None:
    """Cancel the current task when the system terminates this process, so that engines are stopped in order, as on Ctrl-C.

    Only the main thread can receive signals; in other threads, such as a notebook's, this function does nothing.
    """
    task = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
