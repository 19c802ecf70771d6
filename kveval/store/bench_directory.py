"""`throughput/` of a run directory: what a throughput pass writes.

    manifest.json            options, versions and model of the pass, and the hash of all requests
    requests.jsonl           a line for each round: its requests, when they are due, and the hashes of their prompts
    arms/N-ARM/rounds.jsonl  a flushed line for each finished round: every reply with its times, and the engine's metrics
    arms/N-ARM/engine.json   every engine that served this period, and what it ran
    arms/N-ARM/server.log    the engine's own log
    throughput.json throughput.md

Finished rounds are not sent again. A period that is resumed gets a new server, which its engine.json lists.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kveval.store.bench_records import BenchManifest, Round, SentRound, WarmUp
from kveval.store.json_files import read_lines, read_object, write_json_lines, write_object
from kveval.store.run_directory import Directory, RunDirectory


class BenchDirectory(Directory):
    """The paths of one throughput pass, whose periods have the folders that arms have in an accuracy run."""

    def __init__(self, out: Path) -> None:
        """`out` is the run directory that contains it."""
        super().__init__(out / "throughput")
        self.requests = self.path / "requests.jsonl"
        self.results = self.path / "throughput.json"
        self.report_markdown = self.path / "throughput.md"
        self.report_html = self.path / "throughput.html"

    def rounds(self, period: str) -> Path:
        return self.arm(period) / "rounds.jsonl"

    def read_manifest(self) -> BenchManifest:
        self.check_manifest()
        return read_object(self.manifest, BenchManifest)

    def claim(self, manifest: BenchManifest) -> None:
        """Make this directory the pass that `manifest` describes, or resume it if it already is.

        Raises RunDirectoryError if the directory contains another pass, or files that are not a pass.
        """
        if self.manifest.exists():
            self.check_same_run(self.read_manifest().identity.model_dump(), manifest.identity.model_dump())
            return
        self.check_free()
        write_object(self.manifest, manifest)

    def write_requests(self, rounds: Iterable[Round]) -> None:
        write_json_lines(self.requests, (each.model_dump() for each in rounds))

    def read_requests(self) -> list[Round]:
        return read_lines(self.requests, Round)

    def read_rounds(self, period: str) -> list[SentRound | WarmUp]:
        """The lines of a period, in order; empty if it has not begun."""
        return read_lines(self.rounds(period), _kind_of_line, growing=True)


def _kind_of_line(line: Mapping[str, Any]) -> type[SentRound | WarmUp]:
    return WarmUp if "warm_up" in line else SentRound


def check_out(out: Path) -> None:
    """Raises RunDirectoryError if `out` contains anything but an accuracy run or a throughput pass. Changes nothing on disk."""
    directory = BenchDirectory(out)
    directory.check_free()
    if not directory.manifest.exists():
        RunDirectory(out).check_free()
