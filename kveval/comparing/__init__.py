"""Compares existing results, of lm-evaluation-harness or of two runs of kveval, in the way that a run's arms are compared.

comparison_report.py  evidence → cells → the report
evidence.py           the samples that the sides have in common, scored on each
runs.py               two or three arms of runs → evidence
harness.py            two or three folders of lm-eval → evidence
harness_metrics.py    which metrics of lm-eval are compared
lm_eval.py            what lm-evaluation-harness writes, read back
"""

from kveval.comparing.comparison_report import compare

__all__ = ["compare"]
