"""Right answers by what a task's author knows of its rows: a party, a year, a kind of document."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.run_directory import Record


def by_metadata(pairs: pd.DataFrame) -> list[Record]:
    """A record for each value of each field that results are broken down by: right answers, losses and gains apart."""
    groups: dict[tuple[str, str], list[str]] = {}
    for sample_id, metadata in pairs["metadata"].items():
        for field, value in metadata.items() if isinstance(metadata, dict) else ():
            groups.setdefault((field, value), []).append(str(sample_id))
    records = []
    for field, value in sorted(groups):
        rows = pairs.loc[groups[field, value]]
        scores = {"score_baseline": float(rows["value_baseline"].mean()), "score": float(rows["value"].mean())}
        token_diff = float(rows["token_diff"].mean()) if rows["token_diff"].notna().all() else None
        records.append({"field": field, "value": value, **counts(rows), **scores, "token_diff": token_diff})
    return records
