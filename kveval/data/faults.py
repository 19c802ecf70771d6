"""What is wrong with a source of records, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

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

    def said(self, unit: str) -> str:
        """The fault and where it is, in lines, rows or files."""
        if not self.lines:
            return self.text
        *before, last = map(str, self.lines)
        where = f"{unit}s {', '.join(before)} and {last}" if before else f"{unit} {last}"
        return f"{where}: {self.text}"


def faulty(name: str, faults: Sequence[Fault], unit: str = "line") -> TaskError:
    """The error that names a source and every fault in it."""
    shown = [fault.said(unit) for fault in sorted(faults)]
    if len(shown) > SHOWN:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN:,} more"]
    if len(shown) == 1:
        return TaskError(f"{name}: {shown[0]}.")
    return TaskError("\n  ".join((f"{name} has {len(faults):,} faults:", *shown)))
