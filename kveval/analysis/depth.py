"""Right answers by depth: the position of the evidence in the document."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.report_schema import DepthPart

PARTS = 5
"""Equal parts of a document, from its start to its end."""


def by_depth(pairs: pd.DataFrame) -> tuple[DepthPart, ...]:
    """Return the parts of the documents that contain evidence, from start to end.

    Questions without a depth, whose document does not contain the answer, are left out.
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
