"""Samples that share documents: questions on one document may be lost together, so it is documents that are counted.

A document whose questions all fail is rare, and the documents of a run may well not hold one. Neither a design effect
nor a bootstrap knows of what was not drawn; both would call a cell harmless far too often. The lower limits here, on
which `pass` rests, therefore allow for one more document, the worst that is possible.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, permutation_test

from kveval.stats.proportions import mcnemar_exact, tango, wilson

RESAMPLES = 9999
"""Of permutation tests and bootstraps. Up to 13 documents with a difference are permuted in all ways instead."""

Floats = NDArray[np.float64]


def design_effect(
    differences: Sequence[float], document_ids: Sequence[str], *, unseen: float = 0.0, scale: float = 1.0
) -> float:
    """How many samples count as one: variance of the mean by documents ÷ by as many independent samples (Kish 1965).

    1 where each document has one question or where questions flip independently; the number of questions on a document
    where they flip together, and also where none flips: then nothing says that they are independent. Never below 1.

    `unseen` adds to both variances that many documents whose questions have all flipped: from few flips alone, the
    effect comes out too low. `scale` gives the effect that so many times the documents would show at the same rates.
    """
    values, sums, sizes = _by_document(differences, document_ids)
    n, documents = len(values), len(sums)
    size = float(np.sum(sizes**2)) / n  # of the document that the average sample belongs to
    if documents == 1:
        return size
    mean = values.mean()
    together = scale * np.sum((sums - mean * sizes) ** 2) * documents / (documents - 1) + unseen * size**2
    alone = scale * np.sum((values - mean) ** 2) * n / (n - 1) + unseen * size
    return max(1.0, float(together / alone)) if alone > 0 else size


def paired_interval(
    differences: Sequence[float], document_ids: Sequence[str], confidence: float = 0.95, *, scale: float = 1.0
) -> tuple[float, float]:
    """Interval for lost and gained answers: Tango's, with lost, gained and n divided by the design effect.

    The lower limit's design effect allows for one unseen document, the upper limit's does not. `scale` gives the
    interval that so many times the documents would give at the same rates.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not _are_flips(values):
        raise ValueError("these are differences of scores, not of right answers: use bootstrap_mean_difference")
    lost, gained = float(np.sum(values < 0)), float(np.sum(values > 0))

    def limits(unseen: float) -> tuple[float, float]:
        per_sample = scale / design_effect(differences, document_ids, unseen=unseen, scale=scale)
        return tango(lost * per_sample, gained * per_sample, len(values) * per_sample, confidence)

    return limits(unseen=1.0)[0], limits(unseen=0.0)[1]


def paired_test(
    differences: Sequence[float], document_ids: Sequence[str], seed: int = 0, *, resamples: int = RESAMPLES
) -> float:
    """Two-sided p value that the arm is no different from the baseline.

    Exact McNemar for right and wrong answers with one question a document. Otherwise the signs of the documents' sums
    are flipped (Fisher 1935): without an effect, each document might as well have come out the other way round.
    """
    values, sums, sizes = _by_document(differences, document_ids)
    if _are_flips(values) and sizes.max() == 1:
        return mcnemar_exact(int(np.sum(values < 0)), int(np.sum(values > 0)))
    sums = sums[sums != 0]  # a zero has no sign, and with fewer documents all ways can be enumerated
    if len(sums) < 2:
        return 1.0
    test = permutation_test(
        (sums,),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def bootstrap_mean_difference(
    differences: Sequence[float],
    document_ids: Sequence[str],
    seed: int = 0,
    confidence: float = 0.95,
    *,
    worst: float | None = None,
    scale: float = 1.0,
    resamples: int = RESAMPLES,
) -> tuple[float, float, float]:
    """Mean difference of scores in 0..1 with its interval (mean, low, high): BCa bootstrap over documents (Efron 1987).

    Where all documents agree, a bootstrap would claim to know the mean exactly. But a share `wilson(0, documents)[1]`
    of all documents may differ from those seen, by as much as a difference can; that is the interval then.

    A verdict needs `worst`, the least difference that is possible: −1, or minus the baseline's mean. The lower limit is
    then that of a Bayesian bootstrap (Rubin 1981) with one more document of that value: the bound of Gaffke (2005) for
    the mean of a bounded variable, which for values of 0 and 1 is Clopper and Pearson's.

    `scale` gives roughly the interval that so many times the documents would give at the same differences.
    """
    values, sums, sizes = _by_document(differences, document_ids)
    mean, document_means = float(values.mean()), sums / sizes
    if np.ptp(document_means) < 1e-12:
        share = wilson(0, max(1, round(scale * len(sums))), confidence)[1]
        low, high = mean - share * (1 + mean), mean + share * (1 - mean)
    else:
        resampled = bootstrap(
            (sums, sizes),
            _ratio,
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(seed),
        ).confidence_interval
        low, high = (mean + (float(limit) - mean) / math.sqrt(scale) for limit in (resampled.low, resampled.high))
    if worst is not None:
        rng = np.random.default_rng(seed)
        seen = rng.standard_gamma(scale, size=(resamples, len(sums)))
        unseen = rng.standard_gamma(1.0, size=resamples) * np.sum(sizes**2) / len(values)
        means = (seen @ sums + unseen * min(worst, document_means.min())) / (seen @ sizes + unseen)
        low = float(np.quantile(means, (1 - confidence) / 2))
    return mean, low, high


def _by_document(differences: Sequence[float], document_ids: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """The n differences as an array; their sum and their number per document as arrays of documents."""
    if len(differences) != len(document_ids) or len(differences) == 0:
        raise ValueError(f"{len(differences)} differences and {len(document_ids)} document ids do not make pairs")
    values = np.asarray(differences, dtype=np.float64)
    _, document = np.unique(np.asarray(document_ids), return_inverse=True)
    sums: Floats = np.bincount(document, weights=values).astype(np.float64)
    return values, sums, np.bincount(document).astype(np.float64)


def _are_flips(values: Floats) -> bool:
    return bool(np.isin(values, (-1.0, 0.0, 1.0)).all())


def _ratio(sums: Floats, sizes: Floats, axis: int = -1) -> Any:
    return np.sum(sums, axis=axis) / np.sum(sizes, axis=axis)
