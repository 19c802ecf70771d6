"""Paired tests, intervals and power: how sure one may be that an arm is no worse than the baseline.

    proportions.py  counts of independent pairs: tests, intervals, power
    documents.py    pairs that share documents: design effect, interval, test, bootstrap
    decisions.py    one cell's test and interval → degraded, pass or inconclusive, and what would decide

A difference is always arm minus baseline, in shares (0.02 is 2 points); below zero is a loss. Per sample it is −1
(lost), 0 or +1 (gained) for right and wrong answers, or the difference of two scores. All randomness comes from a seed
that the caller gives. `benchmarks/verdict_rates.py` simulates what the verdicts claim.
"""

from kveval.stats.decisions import MIN_DOCUMENTS, Verdict, classify, documents_to_decide, documents_to_pass
from kveval.stats.documents import RESAMPLES, bootstrap_mean_difference, design_effect, paired_interval, paired_test
from kveval.stats.proportions import detectable_loss, holm, mcnemar_exact, mcnemar_power, tango, wilson

__all__ = [
    "MIN_DOCUMENTS",
    "RESAMPLES",
    "Verdict",
    "bootstrap_mean_difference",
    "classify",
    "design_effect",
    "detectable_loss",
    "documents_to_decide",
    "documents_to_pass",
    "holm",
    "mcnemar_exact",
    "mcnemar_power",
    "paired_interval",
    "paired_test",
    "tango",
    "wilson",
]
