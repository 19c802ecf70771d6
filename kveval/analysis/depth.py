"""Right answers by depth: where in the document the evidence lies."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.report_schema import DepthPart

PARTS = 5
"""Equal parts of a document, from its start to its end."""


def by_depth(pairs: pd.DataFrame) -> tuple[DepthPart, ...]:
    """One part of the documents after the other, as far as evidence lies there.

    Questions without a depth, whose document does not have the answer, are in none.
    """
    deep = pairs[pairs["depth"].notna()]
    part = (deep["depth"].astype(float) * PARTS).astype(int).clip(upper=PARTS - 1)
    return tuple(
        DepthPart(
            start=index / PARTS,
            end=(index + 1) / PARTS,
            **counts(rows),
            score_baseline=float(rows["value_baseline"].mean()),
            score=float(rows["value"].mean()),
        )
        for index, rows in deep.groupby(part)
    )
