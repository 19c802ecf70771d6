"""Baselines, cells and trends of a run, as its report shows them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from kveval.analysis.comparison import Comparison, counts, frame_of
from kveval.analysis.depth import by_depth
from kveval.analysis.metadata import by_metadata
from kveval.analysis.noise import divergence, excess
from kveval.analysis.trends import trend
from kveval.analysis.verdicts import DEFAULT_MARGIN, GARBAGE, judge_cells
from kveval.analysis.wrong_answers import faults, lost_to, side
from kveval.arms import BASELINE, CONTROL
from kveval.stats import wilson
from kveval.store.report_schema import ArmFacts, Baseline, Cell, Trend
from kveval.store.run_records import ERROR, MISSING, SCORED, ScoreRecord

WORST_PAIRS = 5

Place = tuple[str, int | None]
"""Task and length; the length is None if the task has none."""


@dataclass(frozen=True)
class Degradation:
    """The losses of a run's arms against the baseline."""

    baselines: tuple[Baseline, ...]
    """Results of the baseline alone, by task and length."""
    cells: tuple[Cell, ...]
    """Comparisons with the baseline and their verdicts, by task, length and arm."""
    trends: tuple[Trend, ...]
    """Whether the loss grows with the length, by task and arm with enough lengths."""


def find_degradation(
    scores: Sequence[ScoreRecord], arms: Mapping[str, ArmFacts], *, margin: float = DEFAULT_MARGIN, seed: int = 0
) -> Degradation:
    """Compare every arm with the baseline by task and length.

    `arms` contains the facts of each arm by name; `margin` is the accepted loss, as a share.
    """
    frame = frame_of(scores)
    baselines: dict[Place, Baseline] = {}
    compared: list[tuple[Cell, Comparison]] = []
    for (task, length), group in frame.groupby(["task", "length"], sort=False, dropna=False):
        place = (str(task), None if pd.isna(length) else int(length))
        by_arm = {str(arm): rows.set_index("sample_id") for arm, rows in group.groupby("arm", sort=False)}
        padded = not group["padded"].eq(False).any()
        baselines[place] = _baseline(place, padded, by_arm[BASELINE])
        comparisons = {arm: Comparison(by_arm[BASELINE], rows, seed) for arm, rows in by_arm.items() if arm != BASELINE}
        for arm, comparison in comparisons.items():
            cell = _cell(place, padded, arm, comparison)
            with_floor = arm != CONTROL and CONTROL in comparisons and cell.token_diff is not None
            floor = excess(comparison, comparisons[CONTROL]) if with_floor else None
            compared.append((cell.model_copy(update={"excess": floor}), comparison))
    cells = judge_cells(compared, baselines, arms, margin)
    comparisons_of = [comparison for _, comparison in compared]
    return Degradation(tuple(baselines.values()), cells, _trends(cells, comparisons_of, seed))


def _baseline(place: Place, padded: bool, rows: pd.DataFrame) -> Baseline:
    scored = rows[rows["status"] == SCORED].astype({"right": bool, "truncated": bool})
    n = len(scored)
    right = int(scored["right"].sum())
    return Baseline(
        task=place[0],
        length=place[1],
        padded=padded,
        n=n,
        documents=int(scored["document_id"].nunique()),
        right=right,
        right_interval=wilson(right, n) if n else None,
        score=float(scored["value"].mean()) if n else None,
        errors=int((rows["status"] == ERROR).sum()),
        missing=int((rows["status"] == MISSING).sum()),
        cut=int((scored["truncated"] & ~scored["right"]).sum()),
        garbage=sum(not GARBAGE.isdisjoint(flags) for flags in scored["flags"]),
        flags=dict(sorted(Counter(flag for flags in scored["flags"] for flag in flags).items())),
        faults=faults(scored),
    )


def _cell(place: Place, padded: bool, arm: str, comparison: Comparison) -> Cell:
    """A cell without its verdict."""
    pairs = comparison.pairs
    empty = pairs.empty
    has_tokens = not empty and bool(pairs["token_diff"].notna().all())
    tokens, tokens_baseline = pairs["answer_tokens"].sum(), pairs["answer_tokens_baseline"].sum()
    return Cell(
        task=place[0],
        length=place[1],
        padded=padded,
        arm=arm,
        **counts(pairs),
        documents=len(set(comparison.document_ids)),
        measure=comparison.measure,
        errors=comparison.errors,
        missing=comparison.missing,
        guess=None if empty else float(pairs["guess"].iloc[0]),
        score_baseline=None if empty else float(pairs["value_baseline"].mean()),
        score=None if empty else float(pairs["value"].mean()),
        difference=None if empty else comparison.difference,
        interval=None if empty else comparison.interval(),
        token_diff=float(pairs["token_diff"].mean()) if has_tokens else None,
        identical=int((pairs["token_diff"] == 0).sum()) if has_tokens else 0 if empty else None,
        divergence=divergence(pairs) if has_tokens else None,
        length_ratio=float(tokens / tokens_baseline) if has_tokens and tokens_baseline else None,
        metrics=() if empty else tuple(sorted(set(pairs["metric"]))),
        lost_to={} if empty else lost_to(pairs),
        faults_baseline={} if empty else faults(side(pairs, "_baseline")),
        faults={} if empty else faults(pairs),
        depths=() if empty else by_depth(pairs),
        breakdowns=() if empty else by_metadata(pairs),
        worst=() if empty else tuple(comparison.worst(WORST_PAIRS)),
    )


def _trends(cells: Sequence[Cell], comparisons: Sequence[Comparison], seed: int) -> tuple[Trend, ...]:
    by_series: dict[tuple[str, str], dict[int, Comparison]] = {}
    for cell, comparison in zip(cells, comparisons, strict=True):
        # The worse the baseline is at a task, the less there is to lose: such a trend is not due to the cache.
        if cell.length is not None and cell.verdict not in ("invalid", "weak baseline"):
            by_series.setdefault((cell.task, cell.arm), {})[cell.length] = comparison
    found = (trend(task, arm, by_length, seed) for (task, arm), by_length in by_series.items())
    return tuple(each for each in found if each)
