"""Verdict of one cell from its test and interval, and the number of documents that a verdict needs."""

from collections.abc import Callable
from typing import Literal, Protocol

from kveval.stats.proportions import wilson

MIN_DOCUMENTS = 8
"""Minimum number of documents for a verdict: the fewest with which a loss in every one of them is significant after
Holm's correction for six cells."""

ALPHA = 0.05

Verdict = Literal["degraded", "pass", "inconclusive"]


class IntervalAtScale(Protocol):
    """Interval at `scale` times the documents, for example `functools.partial(paired_interval, differences, ids)`."""

    def __call__(self, *, confidence: float, scale: float) -> tuple[float, float]: ...


def classify(
    p_adjusted: float, difference: float, interval: tuple[float, float], *, margin: float, documents: int
) -> Verdict:
    """Return the verdict of a cell with valid data from its Holm-adjusted p-value, its difference and its interval.

    `degraded` is a significant loss of any size. `pass` is an interval entirely above −`margin` (a share). All else, and
    any cell of fewer than `MIN_DOCUMENTS` documents, is `inconclusive`.
    """
    if documents < MIN_DOCUMENTS:
        return "inconclusive"
    if p_adjusted <= ALPHA and difference < 0:
        return "degraded"
    return "pass" if interval[0] > -margin else "inconclusive"


def documents_to_pass(margin: float, confidence: float = 0.95) -> int:
    """Return the fewest documents that can pass at this margin if no answer flips: 189 at 2 points, 73 at 5 points.

    Fewer cannot exclude that a share `margin` of all documents fails entirely, however many questions each has. Raises
    ValueError if no number of documents suffices.
    """
    documents = _first_true(lambda n: wilson(0, n, confidence)[1] < margin, start=MIN_DOCUMENTS, limit=10**8)
    if documents is None:
        raise ValueError(f"no number of documents can exclude a loss of {margin}")
    return documents


def documents_to_decide(interval_at: IntervalAtScale, documents: int, margin: float, cells: int = 1) -> int | None:
    """Return the total number of documents that would decide an inconclusive cell at the observed rates.

    A cell is decided if its interval lies above −`margin`, or below zero at level α ÷ `cells`, the level of the first step
    of Holm's procedure. None if 100,000 documents would not decide it.
    """

    def decide(total: int) -> bool:
        scale = total / documents
        if interval_at(confidence=1 - ALPHA, scale=scale)[0] > -margin:
            return True
        return interval_at(confidence=1 - ALPHA / cells, scale=scale)[1] < 0

    return _first_true(decide, start=max(MIN_DOCUMENTS, documents + 1), limit=100_000)


def _first_true(condition: Callable[[int], bool], *, start: int, limit: int) -> int | None:
    """Return the smallest integer from `start` to `limit` for which a monotone condition is true; None if there is none."""
    below, above, step = start - 1, start, 1
    while not condition(above):
        if above >= limit:
            return None
        below, above, step = above, min(limit, above + step), 2 * step
    while above - below > 1:
        middle = (above + below) // 2
        below, above = (below, middle) if condition(middle) else (middle, above)
    return above
