"""The decode limit set by memory bandwidth, and how TPOT grows with the context.

Each decode step reads all weights and the KV of all active sequences once, so it takes at least (weights + KV) ÷ bandwidth.
With 16 GB of weights, 4 GB of KV and 2 TB/s, that is 10 ms; with an fp8 cache the KV is 2 GB, and the step takes 9 ms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

import numpy as np

from kveval.store.bench_results_schema import Estimate
from kveval.throughput.server_variance import Spread


def decode_limit(weight_bytes: float, kv_bytes: float, bandwidth: float) -> float:
    """Minimum time of one decode step, in seconds. `kv_bytes` are those of all active sequences."""
    return (weight_bytes + kv_bytes) / bandwidth


Curve = Sequence[tuple[float, float]]
"""One round's contexts in tokens, each with the median TPOT in seconds."""
INTERCEPT, SLOPE = 0, 1


@dataclass(frozen=True)
class Line:
    """TPOT = intercept + slope × context, in seconds and seconds a token: the mean over the servers of one arm."""

    servers: tuple[tuple[float, float], ...]
    """Intercept and slope of each server, as means over its rounds."""
    misfit: float
    """The largest relative deviation of the line from the mean TPOT of a context."""

    def mean(self, which: int) -> float:
        return fmean(server[which] for server in self.servers)


def fit_line(servers: Sequence[Sequence[Curve]]) -> Line | None:
    """Fit a line to the curves of each server. None if there are fewer than two contexts, or if a server has no round."""
    fitted = [[line for curve in curves if (line := _line(curve))] for curves in servers]
    if not fitted or not all(fitted):
        return None
    means = tuple((fmean(line[0] for line in lines), fmean(line[1] for line in lines)) for lines in fitted)
    intercept, slope = (fmean(server[which] for server in means) for which in (INTERCEPT, SLOPE))
    points: dict[float, list[float]] = {}
    for context, time in chain.from_iterable(chain.from_iterable(servers)):
        points.setdefault(context, []).append(time)
    off = [abs((intercept + slope * context) / fmean(times) - 1) for context, times in points.items()]
    return Line(means, max(off))


def _line(curve: Curve) -> tuple[float, float] | None:
    contexts, times = [point[0] for point in curve], [point[1] for point in curve]
    if len(set(contexts)) < 2:
        return None
    slope, intercept = np.polyfit(contexts, times, 1)
    return float(intercept), float(slope)


def estimate(line: Line, which: int, spread: Spread | None) -> Estimate:
    """Intercept or slope with its interval; `spread` is the spread of lines between servers, pooled over arms."""
    return _around(line.mean(which), spread.margin(which, 1 / len(line.servers)) if spread else None)


def slope_gain(line: Line, baseline: Line, spread: Spread | None) -> Estimate:
    """The baseline's slope minus the arm's, in seconds a token."""
    gain = baseline.mean(SLOPE) - line.mean(SLOPE)
    return _around(gain, spread.margin(SLOPE, _share(line, baseline)) if spread else None)


def break_even(line: Line, baseline: Line, spread: Spread | None) -> Estimate | None:
    """The context above which the arm's TPOT is lower, with Fieller's interval.

    None if the arm's TPOT does not grow more slowly: a longer context does not make it faster then. A value below zero means
    that the arm is faster at every context.
    """
    cost = line.mean(INTERCEPT) - baseline.mean(INTERCEPT)
    gain = baseline.mean(SLOPE) - line.mean(SLOPE)
    if gain <= 0:
        return None
    if spread is None:
        return Estimate(value=cost / gain, interval=None)
    covariance = spread.covariance * _share(line, baseline)
    # The cost is arm − baseline and the gain baseline − arm, so their covariance is that of intercept and slope, negated.
    limits = fieller(
        cost,
        gain,
        float(covariance[INTERCEPT, INTERCEPT]),
        float(covariance[SLOPE, SLOPE]),
        -float(covariance[INTERCEPT, SLOPE]),
        spread.reach,
    )
    return Estimate(value=cost / gain, interval=limits)


def fieller(
    above: float, below: float, above_variance: float, below_variance: float, covariance: float, reach: float
) -> tuple[float, float] | None:
    """Interval for the ratio of two means (Fieller 1954); `reach` is in standard errors. None if it is not bounded."""
    # The interval contains the x for which above − x·below does not differ from zero: where a parabola is not positive.
    a = below**2 - reach**2 * below_variance
    b = above * below - reach**2 * covariance
    c = above**2 - reach**2 * above_variance
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    return (b - math.sqrt(root)) / a, (b + math.sqrt(root)) / a


def _share(line: Line, baseline: Line) -> float:
    """Variance of the difference between two arms, as a multiple of one server's variance."""
    return 1 / len(line.servers) + 1 / len(baseline.servers)


def _around(value: float, margin: float | None) -> Estimate:
    return Estimate(value=value, interval=None if margin is None else (value - margin, value + margin))
