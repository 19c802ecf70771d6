"""Results that are there already, compared as a run's arms are: of lm-evaluation-harness, or of two runs of kveval.

lm_eval.py   what lm-evaluation-harness wrote
metrics.py   which of its metrics are compared
harness.py   two or three of its folders → evidence
runs.py      two or three arms of runs → evidence
evidence.py  the samples that the sides have in common, scored on each
report.py    evidence → cells → the report as data
"""

from kveval.comparing.comparison_report import compare, write_comparison

__all__ = ["compare", "write_comparison"]
