"""Closed-book questions: a task that can be answered without its documents says little about the cache."""

from collections.abc import Sequence

from kveval.stats import wilson
from kveval.store.report_schema import ClosedBook
from kveval.store.run_records import SCORED, ScoreRecord

HALF_COPIED = 0.5
"""Minimum similarity at which a passage repeated without the document counts as known."""


def closed_book(scores: Sequence[ScoreRecord]) -> tuple[ClosedBook, ...]:
    """Return a record for each task whose questions were asked without the document.

    `answerable` is set if more answers are right than guessing explains: the lower limit of the 95% interval is above the
    accuracy of guessing.
    """
    tasks: dict[str, list[ScoreRecord]] = {}
    for score in scores:
        if score.status == SCORED:
            tasks.setdefault(score.task, []).append(score)
    records = []
    for task, scored in tasks.items():
        n = len(scored)
        right = sum(score.value is not None and score.value >= HALF_COPIED for score in scored)
        guess = scored[0].guess
        low, high = wilson(right, n)
        records.append(
            ClosedBook(task=task, n=n, right=right, right_interval=(low, high), guess=guess, answerable=low > guess)
        )
    return tuple(records)
