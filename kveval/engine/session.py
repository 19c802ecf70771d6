"""One engine from start to stop: started or only reached, read for what it really runs, written down, and left."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
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
from kveval.store.run_directory import SCHEMA, Record, RunDirectory, read_json, write_json

DEATH_NOTICE_S = 2.0
DEATH_NOTICES = 5
"""How often, and how long apart, an engine is looked at after a failed request before it is held to be well."""


class EngineRecord:
    """`engine.json` of an arm: every engine that has served it, this one last."""

    def __init__(self, directory: RunDirectory, arm: Arm) -> None:
        self._path = directory.engine(arm.name)
        self._head = {"schema": SCHEMA, "arm": arm.name, "kv_dtype": arm.kv_dtype}
        self._earlier = read_json(self._path)["engines"] if self._path.exists() else []
        self._engine: Record = {}

    def update(self, status: str, facts: Mapping[str, Any]) -> None:
        self._engine |= {"status": status, **facts}
        write_json(self._path, {**self._head, "engines": [*self._earlier, self._engine]})


@dataclass(frozen=True)
class Engine:
    """An engine that answers."""

    server: AnyServer
    client: Client
    """Connected."""
    record: EngineRecord
    _since: float

    def done(self, **facts: Any) -> None:
        """Write down that all was answered, in how many seconds, and what there is to say of it."""
        self.record.update("done", {"serving_seconds": round(time.perf_counter() - self._since, 1), **facts})


@asynccontextmanager
async def running(
    arm: Arm,
    config: EngineConfig,
    model: Model,
    vllm: Installed,
    directory: RunDirectory,
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
    record = EngineRecord(directory, arm)
    server: AnyServer
    if config.endpoints:
        url = config.endpoints[arm.kv_dtype]
        server = Endpoint(arm.kv_dtype, url, tokens)
        record.update("starting", {"endpoint": url})
    else:
        arguments = command_line(model.path, arm, tokens, (*config.engine_args, *more), vllm.device)
        log = directory.server_log(arm.name)
        server = Server(arguments, log, device=vllm.device, offline=model.is_local, version=vllm.version)
        record.update("starting", {"arguments": model.shown(arguments), "environment": server.settings})
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
            record.update("serving", facts.as_record())
            progress.arm_started(arm.name, samples, facts)
            yield Engine(server, client, record, time.perf_counter())
    except EngineError as error:
        record.update("failed", {"reason": str(error)})
        raise
    finally:
        progress.stage(f"{arm.name}: {'leaving' if config.endpoints else 'stopping'} vLLM")
        server.stop()


async def is_dying(server: AnyServer, client: Client) -> bool:
    """Whether the engine behind a server is gone, or will not be healthy again."""
    for _ in range(DEATH_NOTICES):
        await asyncio.sleep(DEATH_NOTICE_S)
        if not server.alive():
            return True
        if await client.healthy():
            return False
    return True
