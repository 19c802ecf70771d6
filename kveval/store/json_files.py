"""JSON objects and JSON Lines on disk: written so that a crash loses nothing, and read strictly.

A line that a crash has cut short is dropped and written again; any other damage raises an error that names file and line.
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
    """A record that is a whole file, with the version of its schema."""

    SCHEMA: ClassVar[int] = 1
    MIGRATIONS: ClassVar[tuple[Migration, ...]] = ()
    """One function for each step, from schema 1 on. Each returns a new object and does not change the old one."""

    schema_version: int = Field(alias="schema")


def read_object(path: Path, kind: type[F]) -> F:
    """Read a file as a record of its type, migrated from an older schema if necessary; the file itself does not change.

    Raises RunDirectoryError, naming file and field, if the file is damaged or its schema is not known.
    """
    record = _read_dict(path)
    version = record.get("schema")
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= kind.SCHEMA:
        raise RunDirectoryError(
            f"{path} has schema {version}, but this kveval reads schemas up to {kind.SCHEMA}: use the version of kveval that "
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
    """Validate an object as a record of type `kind`. Raises RunDirectoryError, naming the first field that is not valid."""
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
    """Write one JSON object. A crash leaves the old file or the new one, never a part of it."""
    write_text(path, json.dumps(record.as_json(), ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a whole file. A crash leaves the old file or the new one."""
    temporary = path.with_name(f".{path.name}.tmp")
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # An engine may answer with half a surrogate pair, which is written as its escape.
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def remove(path: Path) -> None:
    """Remove a file if it exists."""
    with _writing(path):
        path.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Convert OSError, as for a full disk or a read-only folder, to RunDirectoryError."""
    try:
        yield
    except OSError as error:
        raise RunDirectoryError(
            f"{path} cannot be written: {error.strerror}. What was written is kept: run the same command again to resume."
        ) from error


def write_lines(path: Path, records: Iterable[Record]) -> None:
    """Write a whole file with one record per line."""
    write_json_lines(path, (record.as_json() for record in records))


def write_json_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole file with one object per line."""
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def read_lines(path: Path, kind: type[R] | Callable[[Mapping[str, Any]], type[R]], *, growing: bool = False) -> list[R]:
    """Read the records of a JSON Lines file. `kind` is their type, or a function that returns the type of each object.

    A `growing` file is appended to line by line: it may be missing, and an unfinished last line is ignored. Raises
    RunDirectoryError, naming file, line and field, for any other damage.
    """
    choose = (lambda _: kind) if isinstance(kind, type) else kind
    return [validated(choose(record), record, path, number) for number, record, _ in _lines_of(path, growing=growing)]


def _lines_of(path: Path, *, growing: bool) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Yield the number of each line from 1, its object, and the offset in bytes at which it ends."""
    if growing and not path.exists():
        return
    if not path.is_file():
        raise RunDirectoryError(f"{path} is missing: restore it, or start over with another --out.")
    with path.open("rb") as file:
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                if growing:
                    return  # cut short by a crash: its sample is sent again
                raise damaged(path, number, "its end is missing")
            end += len(line)
            try:
                record = jsonlines.Reader([line.decode("utf-8")]).read(type=dict)
            except (jsonlines.InvalidLineError, UnicodeDecodeError) as error:
                raise damaged(path, number, "it is not a JSON object") from error
            yield number, record, end


def damaged(path: Path, line: int | None, why: str) -> RunDirectoryError:
    """Return the error to raise if a file of a run is not as the run wrote it."""
    where = path if line is None else f"{path} line {line}"
    return RunDirectoryError(f"{where} is damaged: {why}. Restore the file, or start over with another --out.")


class Appender:
    """Appends records to a JSON Lines file, each on disk before the next. An unfinished last line is removed first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                end = max((end for _, _, end in _lines_of(path, growing=True)), default=0)
                os.truncate(path, end)
            self._file: TextIO = path.open("a", encoding="utf-8")
        # ASCII escapes, since an engine may answer with half a surrogate pair, which UTF-8 cannot encode.
        self._writer = jsonlines.Writer(self._file, dumps=json.dumps, flush=True)

    def append(self, record: Record) -> None:
        with _writing(self._path):
            self._writer.write(record.as_json())
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with _writing(self._path):
            self._file.close()
