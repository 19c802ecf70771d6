"""Compares existing results, of lm-evaluation-harness or of kveval runs, in the same way as the arms of one run.

comparison_report.py  evidence → cells → the report
evidence.py           the samples that the sides have in common, scored on each
runs.py               two or three arms of runs → evidence
harness.py            two or three folders of lm-eval → evidence
harness_metrics.py    which metrics of lm-eval are compared
lm_eval.py            what lm-evaluation-harness writes, read back
"""

from kveval.comparing.comparison_report import compare

__all__ = ["compare"]
