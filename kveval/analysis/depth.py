"""Right answers by depth: where in the document the evidence lies."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.run_directory import Record

PARTS = 5
"""Equal parts of a document, from its start to its end."""


def by_depth(pairs: pd.DataFrame) -> list[Record]:
    """A record for each part of the documents in which evidence lies: right answers, losses and gains apart.

    Questions without a depth (the document does not hold the answer) are in none.
    """
    deep = pairs[pairs["depth"].notna()]
    part = (deep["depth"].astype(float) * PARTS).astype(int).clip(upper=PARTS - 1)
    return [
        {
            "from": index / PARTS,
            "to": (index + 1) / PARTS,
            **counts(rows),
            "score_baseline": float(rows["value_baseline"].mean()),
            "score": float(rows["value"].mean()),
        }
        for index, rows in deep.groupby(part)
    ]
