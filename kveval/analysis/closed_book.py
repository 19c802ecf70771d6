"""Closed-book questions: a task that is answered without its documents says little about the cache."""

from collections.abc import Sequence

from kveval.stats import wilson
from kveval.store.report_schema import ClosedBook
from kveval.store.run_records import SCORED, ScoreRecord

HALF_COPIED = 0.5
"""Similarity from which a passage that is repeated without the document counts as known."""


def closed_book(scores: Sequence[ScoreRecord]) -> tuple[ClosedBook, ...]:
    """A record for each task whose questions were asked without the document.

    `answerable` is set where more are right than guessing explains: the lower 95% limit is above the share that guessing
    reaches.
    """
    tasks: dict[str, list[ScoreRecord]] = {}
    for score in scores:
        if score.status == SCORED:
            tasks.setdefault(score.task, []).append(score)
    records = []
    for task, asked in tasks.items():
        right = sum(score.value is not None and score.value >= HALF_COPIED for score in asked)
        guess = asked[0].guess
        low, high = wilson(right, len(asked))
        records.append(
            ClosedBook(
                task=task, n=len(asked), right=right, right_interval=(low, high), guess=guess, answerable=low > guess
            )
        )
    return tuple(records)
