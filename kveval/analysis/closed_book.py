"""Whether questions are answered without their documents: then a right answer says little about the cache."""

from collections.abc import Sequence

from kveval.scoring.score_outputs import SCORED
from kveval.stats import wilson
from kveval.store.run_directory import Record

HALF_COPIED = 0.5
"""A passage of which as much is repeated without the document counts as known."""


def without_document(scores: Sequence[Record]) -> list[Record]:
    """A record for each task whose questions were asked without the document.

    `answerable` is set where more are right than guessing explains: the lower 95% limit lies above the share that guessing
    reaches.
    """
    tasks: dict[str, list[Record]] = {}
    for score in scores:
        if score["status"] == SCORED:
            tasks.setdefault(score["task"], []).append(score)
    records = []
    for task, asked in tasks.items():
        right, guess = sum(score["value"] >= HALF_COPIED for score in asked), asked[0]["guess"]
        low, high = wilson(right, len(asked))
        records.append(
            {
                "task": task,
                "n": len(asked),
                "right": right,
                "right_interval": [low, high],
                "guess": guess,
                "answerable": low > guess,
            }
        )
    return records
