"""From scores to cells to verdicts: what each arm loses against the baseline, by task and length.

results.py        a stored run, scored and judged: everything that its report shows
cells.py          baselines, cells and trends of a run
comparison.py     the pairs of one cell, and its difference, interval and test
verdicts.py       pass, degraded, inconclusive, weak baseline or invalid
comparability.py  why two arms cannot be compared, and how they differ other than in the cache
wrong_answers.py  how often each kind of wrong answer occurs
noise.py          differences in tokens and verdicts in excess of the control's
depth.py          right answers by the position of the evidence in the document
metadata.py       right answers by metadata of the rows
trends.py         whether a loss grows with the length
closed_book.py    questions that are answered without their documents
"""

from kveval.analysis.cells import Degradation, find_degradation
from kveval.analysis.closed_book import closed_book
from kveval.analysis.verdicts import DEFAULT_MARGIN, MAX_ERROR_SHARE

__all__ = ["DEFAULT_MARGIN", "MAX_ERROR_SHARE", "Degradation", "closed_book", "find_degradation"]
