"""Faults of a source of records, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from kveval.errors import TaskError

SHOWN = 50
"""Maximum number of faults that one message lists; the others are counted."""


@dataclass(frozen=True, order=True)
class Fault:
    """One fault, with its lines."""

    lines: tuple[int, ...]
    """Line or record numbers from 1, ascending; empty if the fault concerns the whole source."""
    text: str
    """What is wrong and what to do, without a capital letter at the start or a full stop at the end."""


@dataclass(frozen=True)
class Places:
    """Formatter of record numbers: `line 3`, `rows 1, 2 and 5`, or names of files."""

    unit: str = "line"
    names: tuple[str, ...] = ()

    def __call__(self, numbers: Sequence[int], *, more: int = 0) -> str:
        """Format `numbers`, with `more` as the number of further ones that are not listed."""
        listed = [self.names[number - 1] if self.names else str(number) for number in numbers]
        if more:
            listed.append(f"{more:,} more")
        unit = "" if self.names else f"{self.unit}{'s' * (len(listed) > 1)} "
        return f"{unit}{' and '.join(filter(None, (', '.join(listed[:-1]), listed[-1])))}"


def faulty(name: str, faults: Sequence[Fault], places: Places) -> TaskError:
    """Return the error that names a source and lists its faults."""
    shown = [f"{places(fault.lines)}: {fault.text}" if fault.lines else fault.text for fault in sorted(faults)]
    if len(shown) > SHOWN:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN:,} more"]
    if len(shown) == 1:
        return TaskError(f"{name}: {shown[0]}.")
    return TaskError("\n  ".join((f"{name} has {len(faults):,} faults:", *shown)))
