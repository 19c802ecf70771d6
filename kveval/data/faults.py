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


@dataclass(frozen=True)
class Places:
    """How the numbers of records are called: `line 3`, `rows 1, 2 and 5`, or by the names of files."""

    unit: str = "line"
    names: tuple[str, ...] = ()

    def __call__(self, numbers: Sequence[int], *, more: int = 0) -> str:
        """With `more` that are not named."""
        said = [self.names[number - 1] if self.names else str(number) for number in numbers]
        listed = [*said, f"{more:,} more"] if more else said
        unit = "" if self.names else f"{self.unit}{'s' * (len(listed) > 1)} "
        return f"{unit}{' and '.join(filter(None, (', '.join(listed[:-1]), listed[-1])))}"


def faulty(name: str, faults: Sequence[Fault], places: Places) -> TaskError:
    """The error that names a source and every fault in it."""
    shown = [f"{places(fault.lines)}: {fault.text}" if fault.lines else fault.text for fault in sorted(faults)]
    if len(shown) > SHOWN:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN:,} more"]
    if len(shown) == 1:
        return TaskError(f"{name}: {shown[0]}.")
    return TaskError("\n  ".join((f"{name} has {len(faults):,} faults:", *shown)))
