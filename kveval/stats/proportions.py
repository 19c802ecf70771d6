"""Inference for counts of independent pairs: exact test, intervals, power, and Holm's correction."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, binomtest


def mcnemar_exact(lost: int, gained: int) -> float:
    """Return the two-sided p-value of the exact binomial test for equally likely losses and gains (McNemar 1947)."""
    if lost < 0 or gained < 0:
        raise ValueError(f"counts cannot be negative: {lost} lost, {gained} gained")
    if lost + gained == 0:
        return 1.0
    return float(binomtest(lost, lost + gained).pvalue)


def wilson(right: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a single share (Wilson 1927), without continuity correction.

    `wilson(0, n)[1]` is the upper limit for the share of documents that fail if none of n does.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} right out of {n} is not a share; right must be between 0 and n")
    if n == 0:
        return 0.0, 1.0  # the limit of the interval as n goes to 0
    interval = binomtest(right, n).proportion_ci(confidence_level=confidence, method="wilson")
    return float(interval.low), float(interval.high)


def tango(lost: float, gained: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the score interval of the difference of two paired shares, (gained − lost) ÷ n (Tango 1998).

    Counts may be fractions, since samples that share documents are divided by their design effect. If no answer flips,
    the interval is ± z² ÷ (n + z²); a Wald interval would have zero width.
    """
    if n <= 0 or lost < 0 or gained < 0 or lost + gained > n * (1 + 1e-9):
        raise ValueError(
            f"{lost} lost and {gained} gained out of {n} are not counts of pairs: lost + gained must be between 0 and n"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return _tango_lower(lost, gained, n, z), -_tango_lower(gained, lost, n, z)


def _tango_lower(lost: float, gained: float, n: float, z: float) -> float:
    def excess(difference: float) -> float:
        return _tango_score(difference, lost, gained, n) - z

    # The score decreases from infinity at −1, where it cannot be evaluated, to 0 at the estimate.
    bottom, estimate = -1 + 1e-12, (gained - lost) / n
    return float(brentq(excess, bottom, estimate, xtol=1e-12)) if estimate > bottom else -1.0


def _tango_score(difference: float, lost: float, gained: float, n: float) -> float:
    """Return the score statistic of a hypothesized difference: distance of the estimate in standard errors under it."""
    # Maximum likelihood estimate of the share of losses under the hypothesis: equations 24 to 26 of the paper.
    linear = (2 * n + lost - gained) * difference - (lost + gained)
    root = math.sqrt(max(0.0, linear**2 + 8 * n * lost * difference * (1 - difference)))
    lost_share = (root - linear) / (4 * n)
    variance = n * (2 * lost_share + difference - difference**2)
    return (gained - lost - n * difference) / math.sqrt(variance) if variance > 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm-adjusted p-values, in the order given (Holm 1979).

    Rejecting those of at most α bounds the family-wise error rate by α. scipy only has `false_discovery_control`, which
    bounds the weaker false discovery rate.
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def mcnemar_power(n: int, lost_rate: float, gained_rate: float, alpha: float = 0.05) -> float:
    """Return the power of `mcnemar_exact` to find a loss at level alpha in n independent pairs, summed over the flips."""
    flip_rate = lost_rate + gained_rate
    if flip_rate == 0:
        return 0.0
    flips = np.arange(n + 1)
    too_few = binom.isf(alpha / 2, flips, 0.5)  # the most losses that are not significant, by number of flips
    found = binom.sf(too_few, flips, lost_rate / flip_rate)
    return float(np.sum(binom.pmf(flips, n, flip_rate) * found))


def detectable_loss(n: int, gained_rate: float = 0.01, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest loss, as a share, that n independent pairs detect with this power; None if there is none.

    With several questions per document, pass n divided by the design effect. With several cells, pass alpha divided by
    their number, the level of Holm's first step.
    """

    def surplus(loss: float) -> float:
        return mcnemar_power(n, gained_rate + loss, gained_rate, alpha) - power

    largest = 1 - 2 * gained_rate
    return float(brentq(surplus, 0.0, largest, xtol=1e-6)) if surplus(largest) > 0 else None
