"""Where records come from: files of one's own, folders of texts, and what the library `datasets` reads.

JSONL and CSV have strict readers here, since `datasets` turns NaN, bare numbers and numeric ids into something else without
a word. It reads Parquet files and datasets by their ids; their records then go through the same checks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from kveval.data.csv import read_csv
from kveval.data.faults import Fault
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
    """Each with its number, or what is wrong with it."""
    unit: str
    """What the numbers count: lines, rows or files."""


def source(data: Path | Hub) -> Source:
    """The source that a path or an id names. Raises TaskError where it is none that is known."""
    if isinstance(data, Hub):
        name = f"dataset {data.dataset}"
        return Source(name, lambda: _rows(name, lambda: _load(data)), "row")
    suffix = data.suffix.lower()
    if data.is_dir():
        return Source(str(data), lambda: _texts(data), "file")
    if suffix == ".jsonl":
        return Source(str(data), lambda: read_jsonl(read_file(data)), "line")
    if suffix == ".csv":
        return Source(str(data), lambda: read_csv(read_file(data)), "line")
    if suffix == ".parquet":
        return Source(str(data), lambda: _rows(str(data), lambda: _parquet(data)), "row")
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


def _texts(folder: Path) -> Iterator[tuple[int, Record] | Fault]:
    """A record for each text file of a folder and the folders in it: its id is its path there, without the ending."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    odd = [path for path in files if path.suffix.lower() not in TEXTS]
    if odd:
        more = f" and {len(odd) - 1:,} more" if len(odd) > 1 else ""
        yield Fault((), f"it holds {odd[0].relative_to(folder)}{more}, and texts end in {' or '.join(TEXTS)}")
    for number, path in enumerate((path for path in files if path not in odd), start=1):
        try:
            yield number, {"id": path.relative_to(folder).with_suffix("").as_posix(), "document": read_text(path)}
        except TaskError as error:
            yield Fault((), str(error).removesuffix("."))


def _rows(name: str, load: Callable[[], Any]) -> Iterator[tuple[int, Record]]:
    try:
        loaded = load()
    except ImportError as error:
        raise TaskError(f"{name} needs the package datasets: pip install datasets.") from error
    except TaskError:
        raise
    except Exception as error:  # `datasets` raises what its readers, its network and its cache raise
        raise TaskError(f"{name} cannot be read: {' '.join(str(error).split()) or type(error).__name__}.") from error
    yield from ((number, dict(row)) for number, row in enumerate(loaded, start=1))


def _load(data: Hub) -> Any:
    from datasets import load_dataset

    return load_dataset(data.dataset, data.subset, split=data.split, revision=data.revision)


def _parquet(path: Path) -> Any:
    import tempfile

    from datasets import Dataset
    from datasets.utils.logging import disable_progress_bar

    read_file(path)  # for one sentence where it is not there
    disable_progress_bar()
    with tempfile.TemporaryDirectory() as cache:  # a file that has changed must not be answered from a cache
        return Dataset.from_parquet(str(path), cache_dir=cache, keep_in_memory=True)
