"""Strict reader of comma-separated values with a header: UTF-8, quoted as in RFC 4180, one cell per column."""

import csv
import io
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator

from kveval.data.faults import Fault
from kveval.data.jsonl import UserRecord

CELL_CHARACTERS = 2**31 - 1
"""Maximum characters of a cell. Python's default is 131,072; documents are longer."""


def read_csv(content: bytes) -> Iterator[tuple[int, UserRecord] | Fault]:
    """Yield each record, whose values are all texts, with the number of its first line; or a fault."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        yield Fault((), "it is UTF-16: save it as CSV UTF-8")
        return
    try:
        text = content.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        yield Fault(
            (line,),
            f"not UTF-8 (byte {content[error.start]:#04x}): save the file as CSV UTF-8; later lines were not read",
        )
        return
    csv.field_size_limit(CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    next_line = 1
    try:
        for cells in reader:
            line, next_line = next_line, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                yield from _header_faults(header, line)
            elif len(cells) != len(header):
                yield Fault(
                    (line,),
                    f"{len(cells)} cells, but the header has {len(header)}: put cells that contain commas in quotes",
                )
            else:
                yield line, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        yield Fault(
            (next_line,),
            f"not CSV ({error}): put cells that contain quotes, commas or line breaks in quotes, and double their quotes",
        )


def _header_faults(header: list[str], line: int) -> Iterator[Fault]:
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            yield Fault((line,), f"the columns are separated by {name}: save the file with commas as separators")
    for name in sorted({name for name in header if header.count(name) > 1}):
        yield Fault(
            (line,), f"the header contains {name!r} twice: name each column once" if name else "a column has no name"
        )
