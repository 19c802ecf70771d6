"""The run directory: what a run writes, so that nothing is lost and a stopped run can go on.

    manifest.json               what was asked, with which versions and which model
    samples.jsonl               one line a question: gold, distractors, depth, prompt hash
    documents.jsonl             one line a document: its text
    arms/ARM/outputs.jsonl      one flushed line a finished sample
    arms/ARM/engine.json        what each engine that served this arm really ran
    arms/ARM/server.log         the engine's own words
    scores.jsonl report.json report.md report.html
    figures/                    the charts of report.html

Everything on disk is plain JSON with a schema version; a line that was torn by a crash is dropped and done again.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import jsonlines
from pydantic import BaseModel, ValidationError

from kveval.errors import RunDirectoryError

SCHEMA = 1

Record = dict[str, Any]


class RunDirectory:
    """The paths of one run, and reading and writing under them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.samples = path / "samples.jsonl"
        self.documents = path / "documents.jsonl"
        self.scores = path / "scores.jsonl"
        self.report_json = path / "report.json"
        self.report_markdown = path / "report.md"
        self.report_html = path / "report.html"
        self.figures = path / "figures"

    def arm(self, name: str) -> Path:
        return self.path / "arms" / name

    def outputs(self, arm: str) -> Path:
        return self.arm(arm) / "outputs.jsonl"

    def engine(self, arm: str) -> Path:
        return self.arm(arm) / "engine.json"

    def server_log(self, arm: str) -> Path:
        return self.arm(arm) / "server.log"

    def check_free(self) -> None:
        """Raises RunDirectoryError where the path holds something that is no run. Leaves no trace."""
        if self.path.is_dir() and not self.manifest.exists():
            if any(entry.name != ".lock" for entry in self.path.iterdir()):
                raise RunDirectoryError(f"{self.path} is not empty and no run of kveval: choose another --out.")
        elif self.path.exists() and not self.path.is_dir():
            raise RunDirectoryError(f"{self.path} is a file: choose another --out.")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the directory for this process; raises RunDirectoryError where another run holds it."""
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

    def read_manifest(self) -> Record:
        if not self.manifest.exists():
            raise RunDirectoryError(f"{self.path} is no run directory: it has no manifest.json.")
        manifest = read_json(self.manifest)
        if not isinstance(manifest.get("identity"), dict):
            raise RunDirectoryError(
                f"{self.manifest} is damaged, it has no identity: restore it, or choose another --out."
            )
        return manifest

    def claim(self, identity: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Make this directory the run that `identity` describes, or go on with it if it already is.

        `identity` is what decides the outputs; `facts` (host, date) are written once and never compared. Raises
        RunDirectoryError where the directory holds another run, or files that are no run at all.
        """
        wanted = json.loads(json.dumps(identity))
        if self.manifest.exists():
            differing = sorted(_differences(self.read_manifest()["identity"], wanted))
            if differing:
                raise RunDirectoryError(
                    f"{self.path} belongs to another run (differs in: {'; '.join(differing)}). Choose another --out."
                )
            return
        self.check_free()
        write_json(self.manifest, {"schema": SCHEMA, "identity": wanted, **facts})


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in {*old, *new}:
        if old.get(key) != new.get(key):
            yield f"{key} {_short(old.get(key))} there, {_short(new.get(key))} here"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def read_json(path: Path) -> Record:
    """One JSON object. Raises RunDirectoryError where the file is damaged or of a newer schema."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunDirectoryError(f"{path} is damaged ({error}): restore it, or choose another --out.") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise RunDirectoryError(f"{path} is not of schema {SCHEMA}: it was written by another version of kveval.")
    return record


def check_form(record: Record, form: type[BaseModel], path: Path, line: int | None = None) -> Record:
    """The record as it is. Raises RunDirectoryError where a name of `form` is missing or of another type."""
    try:
        form.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ")
        raise damaged(path, line, f"{where}: {said}" if where else said) from error
    return record


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write one JSON object; a crash leaves the old file or the new one, never half of it."""
    write_text(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Half a surrogate pair, with which an engine may answer, is written as its escape.
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def remove(path: Path) -> None:
    """Remove a file that may not be there."""
    with _writing(path):
        path.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turns what the system says of a full disk or a read-only folder into a RunDirectoryError."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(
            f"{path} cannot be written: {error.strerror}. What was written is kept; the same command goes on from there."
        ) from error


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def read_jsonl(path: Path, *, form: type[BaseModel] | None = None, growing: bool = False) -> list[Record]:
    """The records of a JSONL file.

    One that is `growing`, a line at a time, may be missing yet; an unfinished last line is left out. Raises
    RunDirectoryError for all other damage, and for a record that has not the given form.
    """
    if growing and not path.exists():
        return []
    if not path.is_file():
        raise RunDirectoryError(f"{path} is missing: restore it, or start anew with another --out.")
    return [record for record, _ in _whole_lines(path, form, growing=growing)]


def _whole_lines(path: Path, form: type[BaseModel] | None, *, growing: bool) -> Iterator[tuple[Record, int]]:
    """Each record with the offset in bytes at which its line ends."""
    with path.open("rb") as file:
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                if growing:
                    return  # torn by a crash: its sample is done again
                raise damaged(path, number, "its end is missing")
            end += len(line)
            try:
                record = jsonlines.Reader([line.decode("utf-8")]).read(type=dict)
            except (jsonlines.InvalidLineError, UnicodeDecodeError) as error:
                raise damaged(path, number, "it is not a JSON object") from error
            yield check_form(record, form, path, number) if form else record, end


def damaged(path: Path, line: int | None, why: str) -> RunDirectoryError:
    """The error to raise where a file of a run cannot be what the run wrote."""
    where = path if line is None else f"{path} line {line}"
    return RunDirectoryError(f"{where} is damaged, {why}: restore the file, or start anew with another --out.")


class Appender:
    """Appends records to a JSONL file, each on disk before the next; a torn last line is cut off first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                end = max((end for _, end in _whole_lines(path, None, growing=True)), default=0)
                os.truncate(path, end)
            self._file: TextIO = path.open("a", encoding="utf-8")
        # ASCII escapes: an engine may answer with half a surrogate pair, which UTF-8 cannot hold.
        self._writer = jsonlines.Writer(self._file, dumps=json.dumps, flush=True)

    def append(self, record: Mapping[str, Any]) -> None:
        with _writing(self._path):
            self._writer.write(record)
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with _writing(self._path):
            self._file.close()
