"""Right answers by metadata: a party, a year, a kind of document, as a task's author named it for each row."""

import pandas as pd

from kveval.analysis.comparison import counts
from kveval.store.report_schema import MetadataPart


def by_metadata(pairs: pd.DataFrame) -> tuple[MetadataPart, ...]:
    """The pairs of each value of each metadata field."""
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
