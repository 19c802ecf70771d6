"""What a pass has stored, read again: rounds with their replies, by arm and period."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kveval.arms import Arm
from kveval.errors import RunDirectoryError
from kveval.forms import Form, Host, read_engines
from kveval.records import Record, check_form, read_jsonl
from kveval.throughput.client import Reply, read_reply
from kveval.throughput.config import BenchConfig
from kveval.throughput.directory import BenchDirectory
from kveval.throughput.measures import Flow, flow
from kveval.throughput.period import Cell, Period, in_order
from kveval.throughput.scenarios import Scenario
from kveval.throughput.workload import Round, read_rounds


class BenchManifest(Form):
    """What the manifest must hold before a report rests on it."""

    identity: dict[str, Any]
    created: str
    host: Host
    scenarios: list[dict[str, Any]]
    memory: dict[str, Any]
    weight_bytes: int | None


@dataclass(frozen=True)
class StoredRound:
    """One round as one period measured it."""

    replies: tuple[Reply, ...]
    """In the order of its requests."""
    duration: float
    flow: Flow
    engine: Record
    """What the engine and the GPU said meanwhile."""


@dataclass(frozen=True)
class StoredPeriod:
    """One arm's turn: its rounds by id, its warm-ups by cell, and every engine that served it."""

    period: Period
    rounds: dict[str, StoredRound]
    steady: dict[str, bool]
    engines: list[Record]


@dataclass(frozen=True)
class StoredBench:
    """All that a pass has stored."""

    manifest: Record
    config: BenchConfig
    cells: tuple[Cell, ...]
    periods: tuple[StoredPeriod, ...]

    def of(self, arm: Arm) -> list[StoredPeriod]:
        """The periods of an arm, in their order."""
        return [stored for stored in self.periods if stored.period.arm == arm]

    def rounds(self, arm: Arm, cell: Cell) -> list[list[StoredRound | None]]:
        """By period and number; None for a round that is not stored."""
        return [[stored.rounds.get(each.id) for each in cell.rounds] for stored in self.of(arm)]


def read_bench(directory: BenchDirectory) -> StoredBench:
    """Raises RunDirectoryError where something is missing or damaged."""
    manifest = check_form(directory.read_manifest(), BenchManifest, directory.manifest)
    asked = {name: manifest["identity"][name] for name in BenchConfig.model_fields}
    config = BenchConfig.model_validate(asked)
    cells = _cells(directory, manifest, config)
    known = {each.id: cell for cell in cells for each in cell.rounds}
    periods = tuple(_period(directory, period, known) for period in in_order(config.arms))
    return StoredBench(manifest, config, cells, periods)


def _cells(directory: BenchDirectory, manifest: Record, config: BenchConfig) -> tuple[Cell, ...]:
    scenarios = {shape["name"]: Scenario(**shape) for shape in manifest["scenarios"]}
    loads = {load.name: load for load in config.asked_loads}
    found: dict[tuple[str, str], list[Round]] = {}
    for each in read_rounds(directory.requests):
        found.setdefault((each.scenario, each.load), []).append(each)
    return tuple(Cell(scenarios[scenario], loads[load], tuple(rounds)) for (scenario, load), rounds in found.items())


def _period(directory: BenchDirectory, period: Period, known: dict[str, Cell]) -> StoredPeriod:
    rounds: dict[str, StoredRound] = {}
    steady: dict[str, bool] = {}
    path = directory.rounds(period.name)
    try:
        for record in read_jsonl(path, growing=True):
            if "warm_up" in record:
                steady[record["warm_up"]] = record["steady"]
            else:
                open_loop = known[record["round"]].load.in_flight is None
                rounds[record["round"]] = _round(record, open_loop=open_loop)
    except (KeyError, TypeError) as error:
        raise RunDirectoryError(f"{path} is damaged: {error}. Restore it, or choose another --out.") from error
    return StoredPeriod(period, rounds, steady, read_engines(directory, period.name))


def _round(record: Record, *, open_loop: bool) -> StoredRound:
    replies: Sequence[Reply] = [read_reply(reply) for reply in record["replies"]]
    return StoredRound(
        tuple(replies), record["duration"], flow(replies, record["duration"], open_loop=open_loop), record["engine"]
    )
