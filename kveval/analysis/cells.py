"""Baselines and cells of a run, as its report has them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kveval.analysis.comparison import COLUMNS, Comparison, counts
from kveval.analysis.depth import by_depth
from kveval.analysis.metadata import by_metadata
from kveval.analysis.noise import divergence, excess
from kveval.analysis.trends import trend
from kveval.analysis.verdicts import DEFAULT_MARGIN, GARBAGE, judge
from kveval.analysis.wrong_answers import faults, lost_to, side
from kveval.arms import BASELINE, CONTROL
from kveval.scoring.score_outputs import ERROR, MISSING, SCORED
from kveval.stats import wilson
from kveval.store.run_directory import Record

WORST_PAIRS = 5

Place = tuple[str, int | None]
"""Task and length; no length where a task has none."""


@dataclass(frozen=True)
class Degradation:
    """What the arms of a run lose against the baseline, as plain data."""

    baselines: list[Record]
    """A record for each task and length: what the baseline did on its own."""
    cells: list[Record]
    """A record for each task, length and other arm, verdict included."""
    trends: list[Record]
    """A record for each task and arm with lengths enough: whether the loss grows with the length."""


def find_degradation(
    scores: Sequence[Record], arms: Mapping[str, Mapping[str, Any]], *, margin: float = DEFAULT_MARGIN, seed: int = 0
) -> Degradation:
    """Compare every arm with the baseline by task and length.

    `arms` are the facts of each arm by name, as in `report.json`; `margin` is the loss, as a share, that is still accepted.
    """
    frame = pd.DataFrame(scores, columns=COLUMNS)
    baselines: dict[Place, Record] = {}
    cells: list[tuple[Record, Comparison]] = []
    for (task, length), group in frame.groupby(["task", "length"], sort=False, dropna=False):
        place = (task, None if pd.isna(length) else int(length))
        by_arm = {str(arm): rows.set_index("sample_id") for arm, rows in group.groupby("arm", sort=False)}
        padded = not group["padded"].eq(False).any()
        baselines[place] = {"task": task, "length": place[1], "padded": padded, **_baseline(by_arm[BASELINE])}
        comparisons = {arm: Comparison(by_arm[BASELINE], rows, seed) for arm, rows in by_arm.items() if arm != BASELINE}
        for arm, comparison in comparisons.items():
            cell = {"task": task, "length": place[1], "padded": padded, "arm": arm, **_cell(comparison)}
            with_floor = arm != CONTROL and CONTROL in comparisons and cell["token_diff"] is not None
            cell["excess"] = excess(comparison, comparisons[CONTROL]) if with_floor else None
            cells.append((cell, comparison))
    judge(cells, baselines, arms, margin)
    return Degradation(list(baselines.values()), [cell for cell, _ in cells], _trends(cells, seed))


def _baseline(rows: pd.DataFrame) -> Record:
    """What the baseline did on its own, over the samples that were scored."""
    scored = rows[rows["status"] == SCORED].astype({"right": bool, "truncated": bool})
    n = len(scored)
    right = int(scored["right"].sum())
    return {
        "n": n,
        "documents": int(scored["document_id"].nunique()),
        "right": right,
        "right_interval": list(wilson(right, n)) if n else None,
        "score": float(scored["value"].mean()) if n else None,
        "errors": int((rows["status"] == ERROR).sum()),
        "missing": int((rows["status"] == MISSING).sum()),
        "cut": int((scored["truncated"] & ~scored["right"]).sum()),
        "garbage": sum(not GARBAGE.isdisjoint(flags) for flags in scored["flags"]),
        "flags": dict(sorted(Counter(flag for flags in scored["flags"] for flag in flags).items())),
        "faults": faults(scored),
    }


def _cell(comparison: Comparison) -> Record:
    pairs = comparison.pairs
    cell: Record = {
        **counts(pairs),
        "documents": len(set(comparison.document_ids)),
        "measure": "similarity" if comparison.graded else "right",
        "errors": comparison.errors,
        "missing": comparison.missing,
    }
    if pairs.empty:
        unknown = (
            "guess",
            "score_baseline",
            "score",
            "difference",
            "interval",
            "token_diff",
            "divergence",
            "length_ratio",
        )
        nothing: Record = {"identical": 0, "metrics": [], "lost_to": {}, "depths": [], "breakdowns": [], "worst": []}
        return cell | dict.fromkeys(unknown) | nothing | {"faults_baseline": {}, "faults": {}}
    has_tokens = bool(pairs["token_diff"].notna().all())
    tokens, tokens_baseline = pairs["answer_tokens"].sum(), pairs["answer_tokens_baseline"].sum()
    return cell | {
        "guess": float(pairs["guess"].iloc[0]),
        "score_baseline": float(pairs["value_baseline"].mean()),
        "score": float(pairs["value"].mean()),
        "difference": comparison.difference,
        "interval": list(comparison.interval()),
        "token_diff": float(pairs["token_diff"].mean()) if has_tokens else None,
        "identical": int((pairs["token_diff"] == 0).sum()) if has_tokens else None,
        "divergence": divergence(pairs) if has_tokens else None,
        "length_ratio": float(tokens / tokens_baseline) if has_tokens and tokens_baseline else None,
        "metrics": sorted(set(pairs["metric"])),
        "lost_to": lost_to(pairs),
        "faults_baseline": faults(side(pairs, "_baseline")),
        "faults": faults(pairs),
        "depths": by_depth(pairs),
        "breakdowns": by_metadata(pairs),
        "worst": comparison.worst(WORST_PAIRS),
    }


def _trends(cells: Sequence[tuple[Record, Comparison]], seed: int) -> list[Record]:
    by_series: dict[tuple[str, str], dict[int, Comparison]] = {}
    for cell, comparison in cells:
        # A baseline that cannot do a task loses the less the worse it is: no trend of the cache.
        if cell["length"] is not None and cell["verdict"] not in ("invalid", "weak baseline"):
            by_series.setdefault((cell["task"], cell["arm"]), {})[cell["length"]] = comparison
    found = {series: trend(by_length, seed) for series, by_length in by_series.items()}
    return [{"task": task, "arm": arm, **record} for (task, arm), record in found.items() if record]
