"""Paired tests, intervals, power and verdicts for the comparison of an arm with the baseline.

    proportions.py  counts of independent pairs: tests, intervals, power
    documents.py    pairs that share documents: design effect, interval, test, bootstrap
    decisions.py    verdict of one cell from its test and interval, and the documents needed to decide it

A difference is always arm minus baseline, as a share (0.02 is 2 percentage points); negative values are losses. Per
sample it is −1 (lost), 0 or +1 (gained) for right and wrong answers, or the difference of two scores. All random numbers
come from a seed that the caller passes. `benchmarks/verdict_rates.py` simulates the error rates of the verdicts.
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
