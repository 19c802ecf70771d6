"""Right answers by metadata that the author of a task gives for each row, such as a party, a year or a kind of document."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.report_schema import MetadataPart


def by_metadata(pairs: pd.DataFrame) -> tuple[MetadataPart, ...]:
    """Return the results for each value of each metadata field."""
    groups: dict[tuple[str, str], list[str]] = {}
    for sample_id, metadata in pairs["metadata"].items():
        for field, value in metadata.items() if isinstance(metadata, dict) else ():
            groups.setdefault((field, value), []).append(str(sample_id))
    return tuple(_part(field, value, pairs.loc[ids]) for (field, value), ids in sorted(groups.items()))


def _part(field: str, value: str, rows: pd.DataFrame) -> MetadataPart:
    return MetadataPart(
        field=field,
        value=value,
        **counts(rows),
        score_baseline=float(rows["value_baseline"].mean()),
        score=float(rows["value"].mean()),
        token_diff=float(rows["token_diff"].mean()) if rows["token_diff"].notna().all() else None,
    )
