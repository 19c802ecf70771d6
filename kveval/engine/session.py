"""One engine from start to stop: started or reached at its URL, its facts read and recorded, and stopped or left."""

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

DEATH_NOTICE_S = 2.0
DEATH_NOTICES = 5
"""Seconds between checks of an engine after a failed request, and checks before it counts as healthy."""


class EngineLog:
    """Writes `engine.json` of an arm: every engine that served it, the current one last."""

    def __init__(self, directory: Directory, arm: Arm) -> None:
        self._path = directory.engine(arm.name)
        self._arm = arm
        self._earlier = directory.read_engines(arm.name)
        self._engine: EngineRecord | None = None

    def update(self, status: EngineStatus, **facts: Any) -> None:
        """Set the status of this engine, and further fields of its record."""
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
    """An engine that answers."""

    server: AnyServer
    client: Client
    """Connected."""
    log: EngineLog
    _since: float

    def done(self, **facts: Any) -> None:
        """Record that every request was answered, in how many seconds, and further fields of the engine's record."""
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
    """The engine of an arm: its own fresh server, or the endpoint that `config` names for its KV dtype.

    `tokens` are those of the longest sequence, `samples` how many will be sent, `more` arguments of this arm alone. An
    EngineError, where it does not start or dies, is written down and raised.
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
        progress.stage(f"{arm.name}: {'leaving' if config.endpoints else 'stopping'} vLLM")
        server.stop()


async def is_dying(server: AnyServer, client: Client) -> bool:
    """Return whether the engine behind a server is gone or cannot recover."""
    for _ in range(DEATH_NOTICES):
        await asyncio.sleep(DEATH_NOTICE_S)
        if not server.alive():
            return True
        if await client.healthy():
            return False
    return True


def cancel_on_sigterm() -> None:
    """Cancel the current task when the system terminates this process, so that engines are stopped in order, as on Ctrl-C.

    Only the main thread can receive signals: in another one, such as a notebook's, nothing happens.
    """
    task = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
