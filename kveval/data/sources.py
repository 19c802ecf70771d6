"""Where records come from: files of one's own, folders of texts, datasets by their ids.

JSONL and CSV have strict readers here, since `datasets` turns NaN, bare numbers and numeric ids into something else without
a word. It reads datasets by their ids, and pyarrow Parquet files; their records go through the same checks.
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
from kveval.data.jsonl import Record, read_jsonl
from kveval.errors import TaskError

READERS = (".jsonl", ".csv", ".parquet")
"""What names of data files end in."""
TEXTS = (".txt", ".md")
"""What names of files in a folder of texts end in."""


class Hub(BaseModel):
    """A dataset by its id, as `datasets.load_dataset` takes it: from a hub, or a folder of this machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str = Field(min_length=1)
    split: str = Field(min_length=1)
    subset: str | None = None
    revision: str | None = None


@dataclass(frozen=True)
class Source:
    """Records, and how messages call them."""

    name: str
    records: Callable[[], Iterator[tuple[int, Record] | Fault]]
    """Each record with its number, or what is wrong with it."""
    places: Places


def source(data: Path | Hub, used: Collection[str]) -> Source:
    """The source that a path or an id names; of fields that are not `used` it may leave the values out.

    Raises TaskError where it is none that is known.
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
    hint = "" if data.exists() else "; a dataset's id is written as data: {dataset: ID, split: SPLIT}"
    raise TaskError(
        f"{data} is no data that is known: give a file that ends in {', '.join(READERS)}, or a folder of texts{hint}."
    )


def read_file(path: Path) -> bytes:
    """All of a regular file. Raises TaskError for anything else: a device never ends, a pipe never begins."""
    try:
        if path.exists() and not path.is_file():
            raise TaskError(f"{path} cannot be read: it is no regular file.")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        name = str(path) if str(path).isprintable() else repr(str(path))
        raise TaskError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def read_text(path: Path) -> str:
    """A whole file of UTF-8 text. Raises TaskError where it is another encoding."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(
            f"{path} is not UTF-8 (byte {error.object[error.start]:#04x} at position {error.start + 1}): save it as UTF-8."
        ) from error


def _folder(folder: Path) -> Source:
    """A record for each text file of a folder and the folders in it: its id is its path there, without the ending.

    What begins with a dot is the system's or a program's, and no text.
    """
    inside = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    files = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
    texts = [path for path in files if path.suffix.lower() in TEXTS]
    odd = [path for path in files if path.suffix.lower() not in TEXTS]

    def records() -> Iterator[tuple[int, Record] | Fault]:
        if odd:
            more = f" and {len(odd) - 1:,} more" if len(odd) > 1 else ""
            yield Fault((), f"it holds {odd[0]}{more}, and texts end in {' or '.join(TEXTS)}")
        for number, path in enumerate(texts, start=1):
            try:
                yield number, {"id": path.with_suffix("").as_posix(), "document": read_text(folder / path)}
            except TaskError as error:
                yield Fault((), str(error).removesuffix("."))

    return Source(str(folder), records, Places("file", tuple(map(str, texts))))


def _table(name: str, load: Callable[[], Iterable[Record]]) -> Iterator[tuple[int, Record] | Fault]:
    """The rows of a table that a library reads. Raises TaskError with what the library says."""
    number = 0
    try:
        for number, row in enumerate(load(), start=1):
            yield number, row
    except (ImportError, TaskError):
        raise
    except Exception as error:  # readers, the network, the cache and each value raise what they like
        cause = error.__cause__ or error
        said = " ".join(str(cause).split()).rstrip(".") or type(cause).__name__
        where = f" behind row {number}" if number else ""
        raise TaskError(f"{name} cannot be read{where}: {said}.") from error


def _only(columns: Sequence[str], used: Collection[str]) -> tuple[list[str], Record]:
    """The columns that are used, and the others, whose values nobody asks for. Raises TaskError where two have one name."""
    if twice := next((column for column in columns if columns.count(column) > 1), None):
        raise TaskError(f"The column {twice!r} stands there twice: name each once.")
    return [column for column in columns if column in used], dict.fromkeys(columns)


def _load(data: Hub, used: Collection[str]) -> Iterator[Record]:
    import datasets

    def load(cache: str | None) -> Iterator[Record]:
        found = datasets.load_dataset(
            data.dataset, data.subset, split=data.split, revision=data.revision, cache_dir=cache
        )
        columns, others = _only(found.column_names, used)
        chosen: Iterable[Record] = found.select_columns(columns) if columns else ({} for _ in range(len(found)))
        yield from (others | row for row in chosen)

    datasets.disable_progress_bars()
    datasets.utils.logging.set_verbosity(CRITICAL)  # what matters of it stands in the one sentence
    if not Path(data.dataset).is_dir():
        yield from load(None)
        return
    with TemporaryDirectory() as cache:  # a folder that has changed, or is gone, must not be answered from a cache
        yield from load(cache)


def _parquet(path: Path, used: Collection[str]) -> Iterator[Record]:
    from pyarrow import parquet

    file = parquet.ParquetFile(BytesIO(read_file(path)))
    columns, others = _only(file.schema_arrow.names, used)
    for batch in file.iter_batches(columns=columns):
        yield from (others | row for row in batch.to_pylist()) if columns else (others for _ in range(batch.num_rows))
