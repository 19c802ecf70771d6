"""`throughput/` of a run directory: what a throughput pass writes.

    manifest.json            what was asked, with which versions and which model, and the hash of all requests
    requests.jsonl           one line a round: its requests, when they are due, and the hashes of their prompts
    arms/N-ARM/rounds.jsonl  one flushed line a finished round: every reply with its times, and what the engine said
    arms/N-ARM/engine.json   what each engine that served this period really ran
    arms/N-ARM/server.log    the engine's own words
    throughput.json throughput.md

What is done already is not done again. A period that is gone on with has another server; its engine.json says so.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kveval.store.bench_records import BenchManifest, Round, SentRound, WarmUp
from kveval.store.json_files import read_lines, read_object, write_json_lines, write_object
from kveval.store.run_directory import Directory, RunDirectory


class BenchDirectory(Directory):
    """The paths of one throughput pass; a period has the place of an arm."""

    def __init__(self, out: Path) -> None:
        """`out` is the run directory that it is a part of."""
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

        Raises RunDirectoryError where the directory has another pass, or files that are not a pass.
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
        """The lines of a period, in their order; none where it has not begun."""
        return read_lines(self.rounds(period), _kind_of_line, growing=True)


def _kind_of_line(line: Mapping[str, Any]) -> type[SentRound | WarmUp]:
    return WarmUp if "warm_up" in line else SentRound


def check_out(out: Path) -> None:
    """Raises RunDirectoryError where `out` has something else than an accuracy run or a throughput pass. Leaves no trace."""
    directory = BenchDirectory(out)
    directory.check_free()
    if not directory.manifest.exists():
        RunDirectory(out).check_free()
