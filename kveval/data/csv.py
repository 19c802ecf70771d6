"""Comma-separated values with a header, read strictly: UTF-8, quotes as RFC 4180 has them, as many cells as columns."""

import csv
import io
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator

from kveval.data.faults import Fault
from kveval.data.jsonl import Record

CELL_CHARACTERS = 2**31 - 1
"""Python's reader stops at 131,072 characters unless it is told otherwise: documents are longer."""


def read_csv(content: bytes) -> Iterator[tuple[int, Record] | Fault]:
    """Each record, all of whose values are texts, with the line it begins on; or what is wrong with it."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        yield Fault((), "it is UTF-16: save it as CSV UTF-8")
        return
    try:
        text = content.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        yield Fault(
            (line,),
            f"not UTF-8 (byte {content[error.start]:#04x}): save the file as CSV UTF-8; what follows was not read",
        )
        return
    csv.field_size_limit(CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    begins = 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                yield from _header_faults(header, line)
            elif len(cells) != len(header):
                yield Fault(
                    (line,), f"{len(cells)} cells, and the header has {len(header)}: quote cells that hold commas"
                )
            else:
                yield line, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        yield Fault(
            (begins,),
            f"not CSV ({error}): put a cell that holds quotes, commas or line ends in quotes, and double its quotes",
        )


def _header_faults(header: list[str], line: int) -> Iterator[Fault]:
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            yield Fault((line,), f"the columns stand between {name}: save the file with commas between them")
    for name in sorted({name for name in header if header.count(name) > 1}):
        yield Fault(
            (line,), f"the header names {name!r} twice: name each column once" if name else "a column has no name"
        )
