"""From one cell's test and interval to its verdict, and how many documents a verdict takes."""

from collections.abc import Callable
from typing import Literal, Protocol

from kveval.stats.proportions import wilson

MIN_DOCUMENTS = 8
"""Fewer decide nothing. 8 is the least of which a loss in each stays significant after Holm over six cells."""

ALPHA = 0.05

Verdict = Literal["degraded", "pass", "inconclusive"]


class IntervalAtScale(Protocol):
    """The interval at `scale` times the documents, such as `functools.partial(paired_interval, differences, ids)`."""

    def __call__(self, *, confidence: float, scale: float) -> tuple[float, float]: ...


def classify(
    p_adjusted: float, difference: float, interval: tuple[float, float], *, margin: float, documents: int
) -> Verdict:
    """Verdict of a cell whose data are sound, from its p value after Holm, its difference and its interval.

    `degraded` is a significant loss, however small; `pass` is an interval wholly above minus the margin (a share).
    """
    if documents < MIN_DOCUMENTS:
        return "inconclusive"
    if p_adjusted <= ALPHA and difference < 0:
        return "degraded"
    return "pass" if interval[0] > -margin else "inconclusive"


def documents_to_pass(margin: float, confidence: float = 0.95) -> int:
    """Fewest documents that can pass at this margin, those of which not one flips: 189 at 2 points, 73 at 5.

    Fewer cannot exclude that such a share of all documents fails as a whole, whatever the number of questions on each.
    """
    documents = _first(lambda n: wilson(0, n, confidence)[1] < margin, start=MIN_DOCUMENTS, limit=10**8)
    if documents is None:
        raise ValueError(f"no number of documents can exclude a loss of {margin}")
    return documents


def documents_to_decide(interval_at: IntervalAtScale, documents: int, margin: float, cells: int = 1) -> int | None:
    """How many documents in all would decide an inconclusive cell if all rates stayed as they were observed.

    They decide when the interval lies above minus the margin, or below zero at the level that Holm asks of the first
    among so many cells. `None` where a hundred thousand would not.
    """

    def decide(total: int) -> bool:
        scale = total / documents
        if interval_at(confidence=1 - ALPHA, scale=scale)[0] > -margin:
            return True
        return interval_at(confidence=1 - ALPHA / cells, scale=scale)[1] < 0

    return _first(decide, start=max(MIN_DOCUMENTS, documents + 1), limit=100_000)


def _first(holds: Callable[[int], bool], *, start: int, limit: int) -> int | None:
    """Smallest integer from start to limit for which a condition holds that stays true once it is."""
    below, above, step = start - 1, start, 1
    while not holds(above):
        if above >= limit:
            return None
        below, above, step = above, min(limit, above + step), 2 * step
    while above - below > 1:
        middle = (above + below) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
