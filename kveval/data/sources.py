"""Sources of records: data files, folders of texts, and datasets by id.

JSONL and CSV files are read by the strict readers of this package, since `datasets` silently converts NaN, bare numbers
and numeric ids. `datasets` reads datasets by id, and pyarrow reads Parquet files; their records pass the same checks.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from logging import CRITICAL
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel, ConfigDict, Field

from kveval.data.csv import read_csv
from kveval.data.faults import Fault, Places
from kveval.data.jsonl import UserRecord, read_jsonl
from kveval.errors import TaskError

READERS = (".jsonl", ".csv", ".parquet")
"""Suffixes of data files."""
TEXTS = (".txt", ".md")
"""Suffixes of files in a folder of texts."""


class Hub(BaseModel):
    """Dataset by id, with the arguments of `datasets.load_dataset`: from a hub or a local folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str = Field(min_length=1)
    split: str = Field(min_length=1)
    subset: str | None = None
    revision: str | None = None


@dataclass(frozen=True)
class Source:
    """Source of records, with the names that messages use for it."""

    name: str
    records: Callable[[], Iterator[tuple[int, UserRecord] | Fault]]
    """Yields each record with its number, or a fault."""
    places: Places


def source(data: Path | Hub, used: Collection[str]) -> Source:
    """Return the source at a path or with an id. It may omit the values of fields that are not in `used`.

    Raises TaskError if the path is neither a folder nor a file of a known type.
    """
    if isinstance(data, Hub):
        name = f"dataset {data.dataset}"
        return Source(name, lambda: _table(name, lambda: _load(data, used)), Places("row"))
    suffix = data.suffix.lower()
    if data.is_dir():
        return _folder(data)
    if suffix == ".jsonl":
        return Source(str(data), lambda: read_jsonl(read_file(data)), Places("line"))
    if suffix == ".csv":
        return Source(str(data), lambda: read_csv(read_file(data)), Places("line"))
    if suffix == ".parquet":
        return Source(str(data), lambda: _table(str(data), lambda: _parquet(data, used)), Places("row"))
    hint = "" if data.exists() else "; write a dataset's id as data: {dataset: ID, split: SPLIT}"
    raise TaskError(
        f"{data} is not a supported data source: give a file that ends in {', '.join(READERS)}, or a folder of texts{hint}."
    )


def read_file(path: Path) -> bytes:
    """Read a regular file. Raises TaskError for anything else, since devices may never end and pipes may block."""
    try:
        if path.exists() and not path.is_file():
            raise TaskError(f"{path} cannot be read: it is not a regular file.")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        name = str(path) if str(path).isprintable() else repr(str(path))
        raise TaskError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def read_text(path: Path) -> str:
    """Read a file of UTF-8 text, with or without a byte order mark. Raises TaskError for other encodings."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(
            f"{path} is not UTF-8 (byte {error.object[error.start]:#04x} at position {error.start + 1}): save it as UTF-8."
        ) from error


def _folder(folder: Path) -> Source:
    """Return a source with one record per text file in a folder and its subfolders.

    The id of a record is the path within the folder, without the suffix. Names that begin with a dot are skipped.
    """
    inside = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    files = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
    texts = [path for path in files if path.suffix.lower() in TEXTS]
    other_files = [path for path in files if path.suffix.lower() not in TEXTS]

    def records() -> Iterator[tuple[int, UserRecord] | Fault]:
        if other_files:
            more = f" and {len(other_files) - 1:,} more" if len(other_files) > 1 else ""
            yield Fault(
                (),
                f"it contains {other_files[0]}{more}, but texts must end in {' or '.join(TEXTS)}: move other files elsewhere",
            )
        for number, path in enumerate(texts, start=1):
            try:
                yield number, {"id": path.with_suffix("").as_posix(), "document": read_text(folder / path)}
            except TaskError as error:
                yield Fault((), str(error).removesuffix("."))

    return Source(str(folder), records, Places("file", tuple(map(str, texts))))


def _table(name: str, load: Callable[[], Iterable[UserRecord]]) -> Iterator[tuple[int, UserRecord] | Fault]:
    """Yield the numbered rows of a table that a library reads. Raises TaskError with the library's message."""
    number = 0
    try:
        for number, row in enumerate(load(), start=1):
            yield number, row
    except (ImportError, TaskError):
        raise
    except Exception as error:  # readers, the network, the cache and value conversions raise errors of any type
        cause = error.__cause__ or error
        message = " ".join(str(cause).split()).rstrip(".") or type(cause).__name__
        where = f" after row {number}" if number else ""
        raise TaskError(f"{name} cannot be read{where}: {message}.") from error


def _split_columns(columns: Sequence[str], used: Collection[str]) -> tuple[list[str], UserRecord]:
    """Return the columns in `used`, and a record of all columns without values. Raises TaskError for duplicate names."""
    if duplicate := next((column for column in columns if columns.count(column) > 1), None):
        raise TaskError(f"The column {duplicate!r} appears twice: give each column a unique name.")
    return [column for column in columns if column in used], dict.fromkeys(columns)


def _load(data: Hub, used: Collection[str]) -> Iterator[UserRecord]:
    import datasets

    def load(cache: str | None) -> Iterator[UserRecord]:
        found = datasets.load_dataset(
            data.dataset, data.subset, split=data.split, revision=data.revision, cache_dir=cache
        )
        columns, others = _split_columns(found.column_names, used)
        chosen: Iterable[UserRecord] = found.select_columns(columns) if columns else ({} for _ in range(len(found)))
        yield from (others | row for row in chosen)

    datasets.disable_progress_bars()
    datasets.utils.logging.set_verbosity(CRITICAL)  # errors are reported in one TaskError instead
    if not Path(data.dataset).is_dir():
        yield from load(None)
        return
    with TemporaryDirectory() as cache:  # a folder that has changed or is gone must not be read from the shared cache
        yield from load(cache)


def _parquet(path: Path, used: Collection[str]) -> Iterator[UserRecord]:
    from pyarrow import parquet

    file = parquet.ParquetFile(BytesIO(read_file(path)))
    columns, others = _split_columns(file.schema_arrow.names, used)
    for batch in file.iter_batches(columns=columns):
        yield from (others | row for row in batch.to_pylist()) if columns else (others for _ in range(batch.num_rows))
