"""A stored pass, read back: rounds with their replies, by arm and period."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import ValidationError

from kveval.arms import Arm
from kveval.errors import UsageError
from kveval.store.bench_directory import BenchDirectory
from kveval.store.bench_records import BenchManifest, EngineWatch, Reply, Round, SentRound, WarmUp
from kveval.store.json_files import damaged
from kveval.store.run_records import EngineRecord
from kveval.throughput.bench_config import BenchConfig
from kveval.throughput.measures import Flow, Latency, flow, latency
from kveval.throughput.period import Cell, Period, in_order
from kveval.throughput.scenarios import Load, Scenario
from kveval.throughput.workload import digest


@dataclass(frozen=True)
class StoredRound:
    """One round as one period measured it."""

    replies: tuple[Reply, ...]
    """In the order of its requests."""
    duration: float
    flow: Flow
    engine: EngineWatch
    """Metrics of the engine and the GPU during the round."""

    @cached_property
    def latencies(self) -> tuple[Latency | None, ...]:
        """Latencies of each reply; None for one that failed."""
        return tuple(map(latency, self.replies))


@dataclass(frozen=True)
class StoredPeriod:
    """One arm's turn: its rounds by id, its warm-ups by cell, and every engine that served it."""

    period: Period
    rounds: dict[str, StoredRound]
    steady: dict[str, bool]
    engines: tuple[EngineRecord, ...]


@dataclass(frozen=True)
class StoredBench:
    """Everything that a pass has stored."""

    manifest: BenchManifest
    config: BenchConfig
    cells: tuple[Cell, ...]
    periods: tuple[StoredPeriod, ...]

    def of(self, arm: Arm) -> list[StoredPeriod]:
        """The periods of an arm, in their order."""
        return [stored for stored in self.periods if stored.period.arm == arm]

    def rounds(self, arm: Arm, cell: Cell) -> list[list[StoredRound | None]]:
        """Rounds by period and number; None for a round that is not stored."""
        return [[stored.rounds.get(each.id) for each in cell.rounds] for stored in self.of(arm)]


def read_bench(directory: BenchDirectory) -> StoredBench:
    """Read a stored pass. Raises RunDirectoryError if something is missing or damaged."""
    manifest = directory.read_manifest()
    try:
        identity = manifest.identity.model_dump()
        config = BenchConfig.model_validate({name: identity[name] for name in BenchConfig.model_fields})
        loads = {load.name: load for load in config.asked_loads}
    except (ValidationError, UsageError) as error:
        raise damaged(directory.manifest, None, f"its options are not valid: {error}") from error
    cells = _cells(directory, manifest, loads)
    known = {each.id: (cell, each) for cell in cells for each in cell.rounds}
    periods = tuple(_period(directory, period, known) for period in in_order(config.arms))
    return StoredBench(manifest, config, cells, periods)


def _cells(directory: BenchDirectory, manifest: BenchManifest, loads: Mapping[str, Load]) -> tuple[Cell, ...]:
    scenarios = {shape.name: Scenario(**shape.model_dump()) for shape in manifest.scenarios}
    rounds = directory.read_requests()
    if digest(rounds) != manifest.identity.workload:
        raise damaged(directory.requests, None, "the hash of its requests differs from the manifest's")
    found: dict[tuple[str, str], list[Round]] = {}
    for each in rounds:
        if each.scenario not in scenarios or each.load not in loads:
            raise damaged(
                directory.manifest, None, f"it does not contain {each.scenario} with {each.load}, which was sent"
            )
        found.setdefault((each.scenario, each.load), []).append(each)
    return tuple(Cell(scenarios[scenario], loads[load], tuple(each)) for (scenario, load), each in found.items())


def _period(directory: BenchDirectory, period: Period, known: Mapping[str, tuple[Cell, Round]]) -> StoredPeriod:
    rounds: dict[str, StoredRound] = {}
    steady: dict[str, bool] = {}
    path = directory.rounds(period.name)
    for line, record in enumerate(directory.read_rounds(period.name), start=1):
        if isinstance(record, WarmUp):
            steady[record.warm_up] = record.steady
            continue
        name = record.round
        if name not in known or name in rounds:
            raise damaged(
                path, line, f"round {name} {'appears twice' if name in rounds else 'is not in requests.jsonl'}"
            )
        cell, planned = known[name]
        if why := _mismatch(record, planned):
            raise damaged(path, line, why)
        round_flow = flow(record.replies, record.duration, open_loop=cell.load.in_flight is None)
        rounds[name] = StoredRound(record.replies, record.duration, round_flow, record.engine)
    return StoredPeriod(period, rounds, steady, directory.read_engines(period.name))


def _mismatch(record: SentRound, planned: Round) -> str | None:
    """Why a stored round does not match its requests, which must agree since figures are paired request by request."""
    if [reply.request for reply in record.replies] != [request.id for request in planned.requests]:
        return f"its replies do not match the requests of {planned.id} in order"
    for reply, request in zip(record.replies, planned.requests, strict=True):
        lengths = reply.prompt_tokens, reply.output_tokens
        if reply.error is None and lengths != (request.prompt_tokens, request.output_tokens):
            return f"the reply to {request.id} does not have the requested lengths, and no error"
    return None
