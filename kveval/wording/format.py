"""Numbers as a report writes them. They are rounded here and nowhere else."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from kveval.config import length_name
from kveval.store.report_schema import Measure

NONE = "–"


class Placed(Protocol):
    """Anything that has a task and a length."""

    @property
    def task(self) -> str: ...
    @property
    def length(self) -> int | None: ...


class Compared(Protocol):
    """Pairs of answers: a cell, or a part of one."""

    @property
    def n(self) -> int: ...
    @property
    def right_baseline(self) -> int: ...
    @property
    def right(self) -> int: ...
    @property
    def score_baseline(self) -> float | None: ...
    @property
    def score(self) -> float | None: ...


def at_length(cell: Placed) -> str:
    """`32k`; `≤ 8k` where prompts are not padded, and the length is the shortest that holds them."""
    if cell.length is None:
        return NONE
    return length_name(cell.length) if getattr(cell, "padded", True) else f"≤ {length_name(cell.length)}"


def place(cell: Placed) -> str:
    """`copy at 32k`."""
    return cell.task if cell.length is None else f"{cell.task} at {at_length(cell)}"


def percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}%"


def signed(value: float, digits: int) -> str:
    """With a sign, a true minus; a value that rounds to zero has none."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(digit in "123456789" for digit in text) else text[1:]


def points(share: float) -> str:
    """A share in points, with its sign."""
    return signed(100 * share, 1)


def interval(limits: Sequence[float], *, similarity: bool = False) -> str:
    low, high = (signed(limit, 3) if similarity else points(limit) for limit in limits)
    return f"[{low}, {high}]"


def baseline_level(pairs: Compared, measure: Measure) -> str:
    """The baseline's share of right answers, or its mean similarity."""
    return _level(pairs.n, pairs.right_baseline, pairs.score_baseline, measure)


def arm_level(pairs: Compared, measure: Measure) -> str:
    """The arm's share of right answers, or its mean similarity."""
    return _level(pairs.n, pairs.right, pairs.score, measure)


def _level(n: int, right: int, score: float | None, measure: Measure) -> str:
    if not n:
        return NONE
    return (NONE if score is None else f"{score:.3f}") if measure == "similarity" else percent(right / n)


def difference(value: float | None, limits: Sequence[float] | None, measure: Measure) -> str:
    """Arm minus baseline with its interval, in points or in similarity."""
    if value is None or limits is None:
        return NONE
    if measure == "similarity":
        return f"{signed(value, 3)} {interval(limits, similarity=True)}"
    return f"{points(value)} pt {interval(limits)}"


def p_value(p: float | None) -> str:
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


_SINGULAR = {"words": "word", "splices": "splice"}
_PLURAL = {"near value": "near values", "other record": "other records"}


def fault_counts(counts: Mapping[str, int]) -> str:
    """`2 near values, 1 word replaced`."""
    return ", ".join(f"{count} {_inflected(kind, count)}" for kind, count in counts.items())


def _inflected(kind: str, count: int) -> str:
    if count != 1:
        return _PLURAL.get(kind, kind)
    return " ".join(_SINGULAR.get(word, word) for word in kind.split())
