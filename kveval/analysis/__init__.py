"""From scores to cells to verdicts: what each arm loses against the baseline, by task and length.

comparison.py  the pairs of one cell, and what its test and interval rest on
cells.py       everything that a report says of a cell, put together
faults.py      what goes wrong: how often each kind of wrong answer comes up
noise.py       how tokens and verdicts differ, beside the control's difference
depth.py       right answers by where in the document the evidence lies
metadata.py    right answers by what a task's author knows of its rows
trends.py      whether a loss grows with the length
verdicts.py    pass, degraded, inconclusive, weak baseline or invalid
"""

from kveval.analysis.cells import Degradation, find_degradation
from kveval.analysis.closed_book import without_document
from kveval.analysis.verdicts import DEFAULT_MARGIN, MAX_ERROR_SHARE, VERDICTS
from kveval.analysis.wrong_answers import counted

__all__ = [
    "DEFAULT_MARGIN",
    "MAX_ERROR_SHARE",
    "VERDICTS",
    "Degradation",
    "counted",
    "find_degradation",
    "without_document",
]
