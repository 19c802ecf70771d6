"""What is wrong with a file, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kveval.errors import TaskError

SHOWN = 50
"""Faults that one message names; the rest is counted."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong, and where."""

    lines: tuple[int, ...]
    """From 1, ascending; none where the file as a whole is meant."""
    text: str
    """What is wrong and what to do, as half a sentence."""

    def __str__(self) -> str:
        if not self.lines:
            return self.text
        *before, last = map(str, self.lines)
        where = f"lines {', '.join(before)} and {last}" if before else f"line {last}"
        return f"{where}: {self.text}"


def faulty(path: Path, faults: Sequence[Fault]) -> TaskError:
    """The error that names a file and every fault in it."""
    shown = [str(fault) for fault in sorted(faults)]
    if len(shown) > SHOWN:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN:,} more"]
    if len(shown) == 1:
        return TaskError(f"{path}: {shown[0]}.")
    return TaskError("\n  ".join((f"{path} has {len(faults):,} faults:", *shown)))
