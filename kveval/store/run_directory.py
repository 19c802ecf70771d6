"""The run directory: everything that a run writes, so that nothing is lost and a stopped run can be resumed.

manifest.json               options, versions and model of the run
samples.jsonl               a line for each question: gold, distractors, depth, prompt hash
documents.jsonl             a line for each document: its text
arms/ARM/outputs.jsonl      a flushed line for each finished sample
arms/ARM/engine.json        every engine that served this arm, and what it ran
arms/ARM/server.log         the engine's own log
scores.jsonl report.json report.md report.html
figures/                    the charts of report.html
"""

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kveval.errors import RunDirectoryError
from kveval.store.json_files import damaged, read_lines, read_object, write_object
from kveval.store.manifest import Manifest
from kveval.store.run_records import DocumentRecord, EngineFile, EngineRecord, Key, OutputRecord, SampleRecord


class Directory:
    """The paths that accuracy runs and throughput passes share, and the lock on the directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.figures = path / "figures"
        self.report_markdown = path / "report.md"
        self.report_html = path / "report.html"

    def arm(self, name: str) -> Path:
        return self.path / "arms" / name

    def engine(self, arm: str) -> Path:
        return self.arm(arm) / "engine.json"

    def server_log(self, arm: str) -> Path:
        return self.arm(arm) / "server.log"

    def check_free(self) -> None:
        """Raises RunDirectoryError if the path is occupied by anything but a run. Changes nothing on disk."""
        if self.path.is_dir() and not self.manifest.exists():
            if any(entry.name != ".lock" for entry in self.path.iterdir()):
                raise RunDirectoryError(f"{self.path} is not empty and is not a run of kveval: choose another --out.")
        elif self.path.exists() and not self.path.is_dir():
            raise RunDirectoryError(f"{self.path} is a file: choose another --out.")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory for this process. Raises RunDirectoryError if another run has locked it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("w")
        except OSError as error:
            raise RunDirectoryError(
                f"{self.path} cannot be written: {error.strerror}. Choose another --out."
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunDirectoryError(
                    f"{self.path} is in use by another run: wait for it or choose another --out."
                ) from None
            except OSError as error:
                raise RunDirectoryError(
                    f"{self.path} cannot be locked ({error.strerror}): choose a local --out."
                ) from error
            yield

    def check_manifest(self) -> None:
        """Raises RunDirectoryError if there is no manifest."""
        if not self.manifest.exists():
            raise RunDirectoryError(f"{self.path} is not a run directory: it has no manifest.json.")

    def check_same_run(self, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
        """Raises RunDirectoryError, naming what differs, unless both describe the same run."""
        differing = sorted(
            f"{name} {_short(there.get(name))} there, {_short(here.get(name))} here"
            for name in {*there, *here}
            if there.get(name) != here.get(name)
        )
        if differing:
            raise RunDirectoryError(
                f"{self.path} belongs to another run (differs in: {'; '.join(differing)}). Choose another --out."
            )

    def read_engines(self, arm: str) -> tuple[EngineRecord, ...]:
        """Every engine that has served an arm, in order; empty if none was started."""
        path = self.engine(arm)
        return read_object(path, EngineFile).engines if path.exists() else ()


class RunDirectory(Directory):
    """The files of one accuracy run, read as records. Reading raises RunDirectoryError for damage, naming file and line."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.samples = path / "samples.jsonl"
        self.documents = path / "documents.jsonl"
        self.scores = path / "scores.jsonl"
        self.report_json = path / "report.json"

    def outputs(self, arm: str) -> Path:
        return self.arm(arm) / "outputs.jsonl"

    def claim(self, manifest: Manifest) -> None:
        """Make this directory the run that `manifest` describes, or resume it if it already is.

        Raises RunDirectoryError if the directory contains another run, or files that are not a run.
        """
        if not self.manifest.exists():
            self.check_free()
            write_object(self.manifest, manifest)
            return
        stored = self.read_manifest()
        try:
            self.check_same_run(stored.compared(), manifest.compared())
        except RunDirectoryError as error:
            if stored.kveval == manifest.kveval:
                raise
            raise RunDirectoryError(
                f"{error} It was started by kveval {stored.kveval}, and this is {manifest.kveval}; kveval score {self.path} "
                "still works."
            ) from None

    def read_manifest(self) -> Manifest:
        self.check_manifest()
        return read_object(self.manifest, Manifest)

    def read_samples(self) -> list[SampleRecord]:
        samples = read_lines(self.samples, SampleRecord)
        kinds = {sample.task: _kind(sample) for sample in samples}
        ids = set()
        for sample in samples:
            if sample.id in ids:
                raise damaged(self.samples, None, f"{sample.id} appears twice")
            if _kind(sample) != kinds[sample.task]:
                raise damaged(self.samples, None, f"the task {sample.task} has answers of more than one kind")
            ids.add(sample.id)
        if not samples:
            raise damaged(self.samples, None, "it contains no samples")
        return samples

    def read_documents(self, samples: Iterable[SampleRecord]) -> dict[str, str]:
        """Texts by id, for every document of `samples`; empty if a question is asked without its document."""
        texts = {record.id: record.text for record in read_lines(self.documents, DocumentRecord)}
        for sample in samples:
            if not sample.with_document:
                texts.setdefault(sample.document_id, "")
            elif sample.document_id not in texts:
                raise damaged(self.documents, None, f"document {sample.document_id} is missing")
        return texts

    def read_outputs(self, arm: str) -> dict[Key, OutputRecord]:
        """The last output of each sample on an arm, by `SampleRecord.key`."""
        return read_outputs(self.outputs(arm))


def read_outputs(path: Path) -> dict[Key, OutputRecord]:
    """The last output of each sample in a file; a later error never replaces an answer."""
    outputs: dict[Key, OutputRecord] = {}
    for output in read_lines(path, OutputRecord, growing=True):
        if output.error is None or output.key not in outputs:
            outputs[output.key] = output
    return outputs


def _kind(sample: SampleRecord) -> str:
    """The kind of a sample's answer, which all samples of a task share."""
    return sample.answer_type if sample.answer_type in ("copy", "free") else "value"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
