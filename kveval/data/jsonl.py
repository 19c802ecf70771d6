"""Strict reader of JSON Lines: UTF-8, one object per line, no duplicate keys, and only values that JSON defines."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from typing import Any, NoReturn

from kveval.data.faults import Fault

UserRecord = dict[str, Any]


class _NotStrictError(ValueError):
    """Raised for content that Python's reader accepts, but strict JSON does not."""


def read_jsonl(content: bytes) -> Iterator[tuple[int, UserRecord] | Fault]:
    """Yield each record with its line number, or a fault. Blank lines are skipped.

    Only a line feed ends a line; U+2028 and U+0085 are part of the text.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        yield Fault((), "it is UTF-16: save it as UTF-8")
        return
    for number, line in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1):
        if line.strip():
            found = _object(line)
            yield (number, found) if isinstance(found, dict) else Fault((number,), found)


def _object(line: bytes) -> UserRecord | str:
    """Return the object on a line, or the text of its fault."""
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant
        )
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {line[error.start]:#04x} at position {error.start + 1}): save the file as UTF-8"
    except _NotStrictError as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"not JSON (column {error.colno}: {error.msg}): write one whole object on the line"
    except RecursionError:
        return "nested too deeply: write one flat object on the line"
    except ValueError as error:  # integers of thousands of digits
        return f"not JSON ({error})"
    if isinstance(value, list):
        return "a list, not an object: write one object per line, without brackets around them"
    return value if isinstance(value, dict) else "not a JSON object: write one object in braces on the line"


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> UserRecord:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _NotStrictError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}: name each key once")
    return record


def _reject_constant(name: str) -> NoReturn:
    raise _NotStrictError(f"{name} is not a JSON value: write it as text, in quotes")
