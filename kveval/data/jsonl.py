"""JSON Lines, read strictly: UTF-8, one object a line, no key twice, and no value that JSON does not have."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from typing import Any, NoReturn

from kveval.data.faults import Fault

Record = dict[str, Any]


class _Refused(ValueError):
    """What Python's reader would take, and JSON does not have."""


def read_jsonl(content: bytes) -> Iterator[tuple[int, Record] | Fault]:
    """Each record with its line, or what is wrong with the line. Blank lines hold nothing.

    A line ends with a line feed and nothing else, so that U+2028 and U+0085 stay in their texts.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        yield Fault((), "it is UTF-16: save it as UTF-8")
        return
    for number, line in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1):
        if line.strip():
            found = _object(line)
            yield (number, found) if isinstance(found, dict) else Fault((number,), found)


def _object(line: bytes) -> Record | str:
    """The object on a line, or what is wrong with it."""
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=_unrepeated, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {line[error.start]:#04x} at position {error.start + 1}): save the file as UTF-8"
    except _Refused as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"not JSON (column {error.colno}: {error.msg}): write one whole object on the line"
    except RecursionError:
        return "nested too deeply: write one flat object on the line"
    except ValueError as error:  # whole numbers of thousands of digits
        return f"not JSON that can be read ({error})"
    if isinstance(value, list):
        return "a list and no object: write one object a line, without brackets around them"
    return value if isinstance(value, dict) else "no JSON object: write one on the line, in braces"


def _unrepeated(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Refused(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}: name each key once")
    return record


def _no_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is no JSON value: write the text that is meant, in quotes")
