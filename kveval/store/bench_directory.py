"""`throughput/` of a run directory: what a throughput pass writes.

    manifest.json            what was asked, with which versions and which model, and the hash of all requests
    requests.jsonl           one line a round: its requests, when they are due, and the hashes of their prompts
    arms/N-ARM/rounds.jsonl  one flushed line a finished round: every reply with its times, and what the engine said
    arms/N-ARM/engine.json   what each engine that served this period really ran
    arms/N-ARM/server.log    the engine's own words
    throughput.json throughput.md

What is done already is not done again. A period that is gone on with has another server; its engine.json says so.
"""

from pathlib import Path

from kveval.store.run_directory import RunDirectory


class BenchDirectory(RunDirectory):
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


def check_out(out: Path) -> None:
    """Raises RunDirectoryError where `out` holds what is neither an accuracy run nor a throughput pass. Leaves no trace."""
    directory = BenchDirectory(out)
    directory.check_free()
    if not directory.manifest.exists():
        RunDirectory(out).check_free()
