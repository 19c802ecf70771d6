"""JSON objects and JSON Lines on disk: written so that a crash loses nothing, read strictly.

A line that a crash has torn is dropped and written again; any other damage stops with the file and the line.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TextIO, TypeVar

import jsonlines
from pydantic import Field, ValidationError

from kveval.errors import RunDirectoryError
from kveval.store.record import Record

R = TypeVar("R", bound=Record)
F = TypeVar("F", bound="JsonFile")
Migration = Callable[[dict[str, Any]], dict[str, Any]]


class JsonFile(Record):
    """A record that is a whole file and carries the number of its schema."""

    SCHEMA: ClassVar[int] = 1
    MIGRATIONS: ClassVar[tuple[Migration, ...]] = ()
    """One function for each step, from schema 1 on: each returns a new object and leaves the old one as it is."""

    schema_version: int = Field(alias="schema")


def read_object(path: Path, kind: type[F]) -> F:
    """A file as a record of its type, brought up from an older schema if need be; the file itself stays as it is.

    Raises RunDirectoryError, naming file and field, where the file is damaged or its schema is not known.
    """
    record = _read_dict(path)
    version = record.get("schema")
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= kind.SCHEMA:
        raise RunDirectoryError(
            f"{path} has schema {version}, and this kveval reads schemas up to {kind.SCHEMA}: use the version of kveval that "
            "wrote it."
        )
    try:
        for migrate in kind.MIGRATIONS[version - 1 :]:
            record = migrate(record)
    except (KeyError, TypeError, AttributeError) as error:
        raise damaged(path, None, f"a field of schema {version} is missing or of another type: {error}") from error
    return validated(kind, record, path)


def _read_dict(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunDirectoryError(f"{path} is damaged ({error}): restore it, or choose another --out.") from error
    if not isinstance(record, dict):
        raise damaged(path, None, "it is not a JSON object")
    return record


def validated(kind: type[R], record: Mapping[str, Any], path: Path, line: int | None = None) -> R:
    """An object as a record of its type. Raises RunDirectoryError naming the first field that is missing or of another type."""
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        raise damaged(path, line, _first_fault(error)) from error


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


def write_object(path: Path, record: Record) -> None:
    """Write one JSON object; a crash leaves the old file or the new one, never half of it."""
    write_text(path, json.dumps(record.as_json(), ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a whole file; a crash leaves the old file or the new one."""
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
    """Turns the system's error for a full disk or a read-only folder into a RunDirectoryError."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(
            f"{path} cannot be written: {error.strerror}. What was written is kept; the same command goes on from there."
        ) from error


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """Write one record a line, as a whole file."""
    write_json_lines(path, (record.as_json() for record in records))


def write_json_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write one object a line, as a whole file."""
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def read_lines(path: Path, kind: type[R] | Callable[[Mapping[str, Any]], type[R]], *, growing: bool = False) -> list[R]:
    """The records of a JSON Lines file; `kind` is their type, or chooses it for each.

    A file that is `growing`, a line at a time, may be missing, and its unfinished last line is left out. Raises
    RunDirectoryError, naming file, line and field, for all other damage.
    """
    choose = (lambda _: kind) if isinstance(kind, type) else kind
    return [validated(choose(record), record, path, number) for number, record, _ in _lines_of(path, growing=growing)]


def _lines_of(path: Path, *, growing: bool) -> Iterator[tuple[int, dict[str, Any], int]]:
    """The number of each line from 1, its object, and the offset in bytes at which it ends."""
    if growing and not path.exists():
        return
    if not path.is_file():
        raise RunDirectoryError(f"{path} is missing: restore it, or start anew with another --out.")
    with path.open("rb") as file:
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                if growing:
                    return  # torn by a crash: its sample is sent again
                raise damaged(path, number, "its end is missing")
            end += len(line)
            try:
                record = jsonlines.Reader([line.decode("utf-8")]).read(type=dict)
            except (jsonlines.InvalidLineError, UnicodeDecodeError) as error:
                raise damaged(path, number, "it is not a JSON object") from error
            yield number, record, end


def damaged(path: Path, line: int | None, why: str) -> RunDirectoryError:
    """The error to raise where a file of a run cannot be what the run wrote."""
    where = path if line is None else f"{path} line {line}"
    return RunDirectoryError(f"{where} is damaged, {why}: restore the file, or start anew with another --out.")


class Appender:
    """Appends records to a JSON Lines file, each on disk before the next; a torn last line is cut off first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                end = max((end for _, _, end in _lines_of(path, growing=True)), default=0)
                os.truncate(path, end)
            self._file: TextIO = path.open("a", encoding="utf-8")
        # ASCII escapes: an engine may answer with half a surrogate pair, which UTF-8 cannot hold.
        self._writer = jsonlines.Writer(self._file, dumps=json.dumps, flush=True)

    def append(self, record: Record) -> None:
        with _writing(self._path):
            self._writer.write(record.as_json())
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with _writing(self._path):
            self._file.close()
