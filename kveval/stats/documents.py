"""Inference for samples that share documents. Questions on one document may be lost clustered, so documents are the unit.

Documents whose questions all fail are rare, and a run may contain none. Neither a design effect nor a bootstrap accounts
for documents that were not drawn; with either, far too many damaged cells would pass. The lower limits here, on which
`pass` depends, therefore allow for one further document with the worst possible outcome.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, permutation_test

from kveval.stats.proportions import mcnemar_exact, tango, wilson

RESAMPLES = 9999
"""Resamples of permutation tests and bootstraps. With up to 13 documents that differ, all permutations are enumerated."""

Floats = NDArray[np.float64]


def design_effect(
    differences: Sequence[float], document_ids: Sequence[str], *, unseen: float = 0.0, scale: float = 1.0
) -> float:
    """Return the design effect (Kish 1965), at least 1: variance of the mean difference by documents ÷ variance of the
    mean of as many independent samples.

    It is 1 if each document has one question, and near 1 if questions flip independently. It is the number of questions
    per document if they flip clustered, and also if none flips, since the data then show no independence.

    `unseen` adds that many documents on which every question flips to both variances, since the effect estimated from
    few flips is too low. `scale` gives the effect at so many times the documents with the same rates.
    """
    values, sums, sizes = _by_document(differences, document_ids)
    n, documents = len(values), len(sums)
    size = float(np.sum(sizes**2)) / n  # questions on the document of an average sample
    if documents == 1:
        return size
    mean = values.mean()
    clustered = scale * np.sum((sums - mean * sizes) ** 2) * documents / (documents - 1) + unseen * size**2
    independent = scale * np.sum((values - mean) ** 2) * n / (n - 1) + unseen * size
    return max(1.0, float(clustered / independent)) if independent > 0 else size


def paired_interval(
    differences: Sequence[float], document_ids: Sequence[str], confidence: float = 0.95, *, scale: float = 1.0
) -> tuple[float, float]:
    """Return the confidence interval of the difference: Tango's, with lost, gained and n divided by the design effect.

    The design effect of the lower limit allows for one unseen document; that of the upper limit does not. `scale` gives
    the interval at so many times the documents with the same rates. Raises ValueError for differences of scores.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not _are_flips(values):
        raise ValueError("differences must be -1, 0 or 1; use bootstrap_mean_difference for differences of scores")
    lost, gained = float(np.sum(values < 0)), float(np.sum(values > 0))

    def limits(unseen: float) -> tuple[float, float]:
        per_sample = scale / design_effect(differences, document_ids, unseen=unseen, scale=scale)
        return tango(lost * per_sample, gained * per_sample, len(values) * per_sample, confidence)

    return limits(unseen=1.0)[0], limits(unseen=0.0)[1]


def paired_test(
    differences: Sequence[float], document_ids: Sequence[str], seed: int = 0, *, resamples: int = RESAMPLES
) -> float:
    """Return the two-sided p-value of the paired test for no difference between arm and baseline.

    Exact McNemar test for right and wrong answers with one question per document. Otherwise a permutation test that flips
    the signs of the documents' sums (Fisher 1935): without an effect, both signs are equally likely.
    """
    values, sums, sizes = _by_document(differences, document_ids)
    if _are_flips(values) and sizes.max() == 1:
        return mcnemar_exact(int(np.sum(values < 0)), int(np.sum(values > 0)))
    sums = sums[sums != 0]  # a zero has no sign to flip, and with fewer documents all permutations can be enumerated
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
    """Return the mean difference of scores in 0..1 and its interval: (mean, low, high).

    The interval is a BCa bootstrap over documents (Efron 1987). If all documents have the same mean, its width would be
    zero. Instead the interval then allows a share `wilson(0, documents)[1]` of all documents to differ by as much as
    possible.

    Verdicts need `worst`, the lowest possible difference: −1, or minus the baseline's mean. The lower limit is then that
    of a Bayesian bootstrap (Rubin 1981) with one further document of that value. This is the bound of Gaffke (2005) for
    the mean of a bounded variable; for values of 0 and 1 it equals that of Clopper and Pearson.

    `scale` gives approximately the interval at so many times the documents with the same differences.
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
    """Return the differences, shape (n,), and their sum and number per document, each of shape (documents,)."""
    if len(differences) != len(document_ids) or len(differences) == 0:
        raise ValueError(
            f"{len(differences)} differences and {len(document_ids)} document ids: give one id per difference, and at least one"
        )
    values = np.asarray(differences, dtype=np.float64)
    _, document = np.unique(np.asarray(document_ids), return_inverse=True)
    sums: Floats = np.bincount(document, weights=values).astype(np.float64)
    return values, sums, np.bincount(document).astype(np.float64)


def _are_flips(values: Floats) -> bool:
    return bool(np.isin(values, (-1.0, 0.0, 1.0)).all())


def _ratio(sums: Floats, sizes: Floats, axis: int = -1) -> Any:
    return np.sum(sums, axis=axis) / np.sum(sizes, axis=axis)
