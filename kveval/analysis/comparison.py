"""One cell: the samples of a task and length on the baseline and on one other arm.

A sample without an answer on either side (an error, or not sent) is excluded from the pairs and counted separately; it never
counts as a wrong answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import pandas as pd

from kveval.stats import RESAMPLES, bootstrap_mean_difference, design_effect, paired_interval, paired_test, tango
from kveval.store.report_schema import Measure
from kveval.store.run_records import ERROR, MISSING, SCORED, ScoreRecord, Status

WORST = -1.0
"""The smallest possible difference of two similarities: an unseen document may be lost completely."""

FORECAST_RESAMPLES = 999
"""Resamples for the forecast of how many documents would decide: it takes about a dozen bootstraps and is only an estimate."""

# The fields of scores that cells are made from, listed so that a run without answers has the same columns, all empty.
COLUMNS = [
    *("sample_id", "arm", "task", "length", "document_id", "answer_type", "kind", "depth", "guess", "metric", "status"),
    *("value", "right", "reason", "flags", "truncated", "answer_tokens", "token_diff", "first_divergence"),
    *("passage_words", "substituted", "dropped", "inserted", "spliced", "padded", "metadata"),
]


def frame_of(scores: Sequence[ScoreRecord]) -> pd.DataFrame:
    """Return scores as a table with the columns in `COLUMNS`, one row per score."""
    return pd.DataFrame([score.model_dump() for score in scores], columns=COLUMNS)


def is_copying(rows: pd.DataFrame) -> bool:
    """Whether these samples are judged by the similarity of copies instead of as right or wrong."""
    return len(rows) > 0 and rows["answer_type"].iloc[0] == "copy"


def is_free(rows: pd.DataFrame) -> bool:
    """Whether no answer to these samples is known to be right, so that the similarity of the arms' answers is measured."""
    return len(rows) > 0 and rows["answer_type"].iloc[0] == "free"


def is_graded(rows: pd.DataFrame) -> bool:
    """Whether these samples are judged by similarities from 0 to 1, as copies and free answers are, instead of as right or
    wrong."""
    return is_copying(rows) or is_free(rows) or (len(rows) > 0 and rows["answer_type"].iloc[0] == "similarity")


def counts(pairs: pd.DataFrame) -> dict[str, Any]:
    """The fields of `Counts`: numbers of pairs, of right answers on either side, lost and gained."""
    was, now = pairs["right_baseline"], pairs["right"]
    return {
        "n": len(pairs),
        "right_baseline": int(was.sum()),
        "right": int(now.sum()),
        "lost": int((was & ~now).sum()),
        "gained": int((~was & now).sum()),
    }


@dataclass(frozen=True)
class Comparison:
    """The samples of one task and length on the baseline and on another arm; both frames are indexed by sample id."""

    baseline: pd.DataFrame
    arm: pd.DataFrame
    seed: int
    """Seed of permutations and bootstraps."""

    @cached_property
    def both(self) -> pd.DataFrame:
        """All samples; the baseline's columns have the suffix `_baseline`."""
        return self.baseline.merge(self.arm, left_index=True, right_index=True, suffixes=("_baseline", ""))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The samples that were scored on both sides."""
        scored = (self.both["status_baseline"] == SCORED) & (self.both["status"] == SCORED)
        return self.both[scored].astype(
            {"right": bool, "right_baseline": bool, "value": float, "value_baseline": float}
        )

    @property
    def errors(self) -> int:
        return self._either(ERROR)

    @property
    def missing(self) -> int:
        return self._either(MISSING)

    def _either(self, status: Status) -> int:
        return int(((self.both["status"] == status) | (self.both["status_baseline"] == status)).sum())

    @cached_property
    def graded(self) -> bool:
        return is_graded(self.pairs)

    @cached_property
    def free(self) -> bool:
        return is_free(self.pairs)

    @property
    def measure(self) -> Measure:
        """What the verdict is based on."""
        return "similarity" if self.graded else "right"

    @property
    def measured(self) -> str:
        """The column of `measure`."""
        return "value" if self.graded else "right"

    @cached_property
    def differences(self) -> list[float]:
        """Arm minus baseline for each pair: −1, 0 or 1 for right answers, within ±1 for similarities."""
        column = self.measured
        return list(self.pairs[column].astype(float) - self.pairs[f"{column}_baseline"].astype(float))

    @cached_property
    def document_ids(self) -> list[str]:
        return list(self.pairs["document_id"])

    @property
    def difference(self) -> float:
        return fmean(self.differences)

    def interval(self, *, confidence: float = 0.95, scale: float = 1.0) -> tuple[float, float]:
        """Confidence interval of the difference. With `scale`, the interval that `scale` times as many documents would give at
        the same rates."""
        if not self.graded:
            return paired_interval(self.differences, self.document_ids, confidence, scale=scale)
        return bootstrap_mean_difference(
            *(self.differences, self.document_ids, self.seed, confidence),
            worst=WORST,
            scale=scale,
            resamples=RESAMPLES if scale == 1.0 else FORECAST_RESAMPLES,
        )[1:]

    def worst(self, number: int) -> list[str]:
        """Ids of the pairs with the largest losses; among equal losses, those that diverge first."""
        worse = self.pairs[self.pairs["value"] < self.pairs["value_baseline"]]
        loss = (worse["value"] - worse["value_baseline"]).rename("loss")
        order = worse.assign(loss=loss).sort_values(["loss", "first_divergence"], kind="stable")
        return [str(sample_id) for sample_id in order.index[:number]]

    def p_value(self) -> float:
        """P-value of the two-sided paired test of no difference between arm and baseline."""
        return paired_test(self.differences, self.document_ids, self.seed)

    def least_baseline(self) -> float:
        """Lower 95% limit of the baseline's accuracy or similarity, with documents rather than questions as sampling units."""
        values = self.pairs[f"{self.measured}_baseline"].astype(float).tolist()
        if self.graded:
            return bootstrap_mean_difference(values, self.document_ids, self.seed)[1]
        effective = len(values) / design_effect(values, self.document_ids)
        return tango(0.0, sum(values) * effective / len(values), effective)[0]
