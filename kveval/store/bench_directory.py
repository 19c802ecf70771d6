"""`throughput/` of a run directory: what a throughput pass writes.

    manifest.json            what was asked, with which versions and which model, and the hash of all requests
    requests.jsonl           one line a round: its requests, when they are due, and the hashes of their prompts
    arms/N-ARM/rounds.jsonl  one flushed line a finished round: every reply with its times, and what the engine said
    arms/N-ARM/engine.json   what each engine that served this period really ran
    arms/N-ARM/server.log    the engine's own words
    throughput.json throughput.md

What is done already is not done again. A period that is gone on with has another server; its engine.json says so.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kveval.errors import RunDirectoryError
from kveval.store.json_files import SCHEMA, Record, read_json, write_json
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

    def read_manifest(self) -> Record:
        self.check_manifest()
        manifest = read_json(self.manifest)
        if not isinstance(manifest.get("identity"), dict):
            raise RunDirectoryError(
                f"{self.manifest} is damaged, it has no identity: restore it, or choose another --out."
            )
        return manifest

    def claim(self, identity: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Make this directory the pass that `identity` describes, or resume it if it already is.

        `facts` (host, date) are written once and never compared. Raises RunDirectoryError where the directory has another pass.
        """
        if self.manifest.exists():
            self.check_same_run(self.read_manifest()["identity"], identity)
            return
        self.check_free()
        write_json(self.manifest, {"schema": SCHEMA, "identity": json.loads(json.dumps(identity)), **facts})


def check_out(out: Path) -> None:
    """Raises RunDirectoryError where `out` has something else than an accuracy run or a throughput pass. Leaves no trace."""
    directory = BenchDirectory(out)
    directory.check_free()
    if not directory.manifest.exists():
        RunDirectory(out).check_free()
