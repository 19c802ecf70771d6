"""Polls the metrics of the engine and the GPU while a round runs."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from kveval.errors import EngineError
from kveval.hardware.gpu_monitor import Gpus
from kveval.store.bench_records import EngineWatch, Gauge

HERTZ = 4.0
"""Readings a second; a reading takes the client a millisecond."""
GAUGES = {
    "running": "vllm:num_requests_running",
    "waiting": "vllm:num_requests_waiting",
    "kv_usage": "vllm:kv_cache_usage_perc",
}
COUNTERS = {
    "preemptions": "vllm:num_preemptions_total",
    "prefix_queries": "vllm:prefix_cache_queries_total",
    "prefix_hits": "vllm:prefix_cache_hits_total",
    "queue_seconds": "vllm:request_queue_time_seconds_sum",
    "queued": "vllm:request_queue_time_seconds_count",
}
_NAMES = {name: short for short, name in (GAUGES | COUNTERS).items()}
# prometheus_client's parser takes ten times as long, which would delay requests that are due.
_SAMPLE = re.compile(rf"^({'|'.join(_NAMES)})(?:\{{[^}}\n]*\}})? (\S+)$", re.MULTILINE)


def read_samples(metrics: str) -> dict[str, float]:
    """The gauges and counters above by their short names, summed over the engines behind a server."""
    found: dict[str, float] = {}
    for name, value in _SAMPLE.findall(metrics):
        found[_NAMES[name]] = found.get(_NAMES[name], 0.0) + float(value)
    return found


@dataclass
class Watch:
    """Metrics read during a round."""

    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    looks: list[dict[str, float]] = field(default_factory=list)
    gpu: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """CPU time of this process, all threads."""

    def summary(self) -> EngineWatch:
        """Medians and largest values of gauges, differences of counters; None for what the engine does not report."""
        counted: dict[str, Any] = {
            name: self.after[name] - self.before[name]
            for name in COUNTERS
            if name in self.after and name in self.before
        }
        gauges: dict[str, Any] = {name: _gauge([look[name] for look in self.looks if name in look]) for name in GAUGES}
        return EngineWatch(
            hertz=round(len(self.looks) / self.seconds, 2) if self.seconds else None,
            client_cpu=round(self.cpu_seconds / self.seconds, 4) if self.seconds else None,
            gpu={name: _gauge([look[name] for look in self.gpu]) for name in (self.gpu[0] if self.gpu else ())},
            **gauges,
            **counted,
        )


def _gauge(values: Sequence[float]) -> Gauge | None:
    return Gauge(median=median(values), max=max(values)) if values else None


@contextlib.asynccontextmanager
async def watching(metrics: Callable[[], Awaitable[str]], gpus: Gpus) -> AsyncIterator[Watch]:
    """Read the metrics of the engine and the GPUs until the end of the block; yields the Watch."""
    watch = Watch(before=read_samples(await metrics()))
    polling = asyncio.create_task(_poll(watch, metrics, gpus))
    started, cpu = time.perf_counter(), time.process_time()
    try:
        yield watch
    finally:
        watch.seconds = time.perf_counter() - started
        watch.cpu_seconds = time.process_time() - cpu
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)
    watch.after = read_samples(await metrics())


async def _poll(watch: Watch, metrics: Callable[[], Awaitable[str]], gpus: Gpus) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        await asyncio.sleep(due - loop.time())
        due = max(due + 1 / HERTZ, loop.time())
        with contextlib.suppress(EngineError):  # one reading is missed; a dead engine is noticed by the requests
            watch.looks.append(read_samples(await metrics()))
        if gpus:
            watch.gpu.append(await asyncio.to_thread(gpus.look))
