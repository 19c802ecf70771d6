"""Whether a loss grows with the length."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

from kveval.analysis.comparison import Comparison
from kveval.stats import MIN_DOCUMENTS
from kveval.store.report_schema import Trend

RESAMPLES = 9999


def trend(task: str, arm: str, by_length: Mapping[int, Comparison], seed: int) -> Trend | None:
    """Change of the difference with each doubling of the length, and the p-value of the test of no trend, by document.

    The test permutes the lengths of the documents (Pitman 1937). None with fewer than two lengths of at least eight documents
    each.
    """
    means: list[float] = []
    doublings: list[float] = []
    lengths = []
    for length, cell in by_length.items():
        by_document = cell.pairs.assign(difference=cell.differences).groupby("document_id")["difference"].mean()
        if len(by_document) >= MIN_DOCUMENTS:
            lengths.append(length)
            means += by_document.tolist()
            doublings += [float(np.log2(length))] * len(by_document)
    if len(lengths) < 2:
        return None
    spread = np.asarray(doublings) - np.mean(doublings)

    def slope(differences: NDArray[np.float64], axis: int = -1) -> Any:
        return np.sum(differences * spread, axis=axis) / np.sum(spread**2)

    test = permutation_test(
        (np.asarray(means),),
        slope,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=1000,
        rng=np.random.default_rng(seed),
    )
    return Trend(task=task, arm=arm, lengths=tuple(lengths), per_doubling=float(test.statistic), p=float(test.pvalue))
