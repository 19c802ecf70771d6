"""The decode limit of the memory's bandwidth, and how TPOT grows with the context.

Each decode step reads all weights and the KV of all active sequences once: (weights + KV) ÷ bandwidth is the least time that it
can take. Weights of 16 GB and 4 GB of KV on 2 TB/s are 10 ms; with an fp8 cache the KV is 2 GB and the step 9 ms.
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
    """Seconds that one decode step takes at least. `kv_bytes` are those of all active sequences."""
    return (weight_bytes + kv_bytes) / bandwidth


Curve = Sequence[tuple[float, float]]
"""Of one round: contexts in tokens, each with the median TPOT there in seconds."""
INTERCEPT, SLOPE = 0, 1


@dataclass(frozen=True)
class Line:
    """TPOT = intercept + slope × context, in seconds and seconds a token: the mean over the servers of one arm."""

    servers: tuple[tuple[float, float], ...]
    """Intercept and slope of each, the means over its rounds."""
    misfit: float
    """The largest share by which the TPOT of a context, over all rounds, is off the line."""

    def mean(self, which: int) -> float:
        return fmean(server[which] for server in self.servers)


def fit_line(servers: Sequence[Sequence[Curve]]) -> Line | None:
    """A line through the curves of each server. None with fewer than two contexts, or where a server has no round."""
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
    """Intercept or slope; `spread` is that of the lines of all arms between servers."""
    return _around(line.mean(which), spread.margin(which, 1 / len(line.servers)) if spread else None)


def slope_gain(line: Line, baseline: Line, spread: Spread | None) -> Estimate:
    """By how much less the arm's TPOT grows than the baseline's, in seconds a token."""
    gain = baseline.mean(SLOPE) - line.mean(SLOPE)
    return _around(gain, spread.margin(SLOPE, _share(line, baseline)) if spread else None)


def break_even(line: Line, baseline: Line, spread: Spread | None) -> Estimate | None:
    """The context from which on the arm's tokens come faster, with Fieller's interval.

    None where the arm's TPOT does not grow more slowly: no context makes up for what it costs then. May be below zero, where
    the arm is faster from the first token on.
    """
    cost = line.mean(INTERCEPT) - baseline.mean(INTERCEPT)
    gain = baseline.mean(SLOPE) - line.mean(SLOPE)
    if gain <= 0:
        return None
    if spread is None:
        return Estimate(value=cost / gain, interval=None)
    covariance = spread.covariance * _share(line, baseline)
    # The gain is the baseline's slope less the arm's: it varies with the cost as the slope does, the other way round.
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
    """Interval for the ratio of two means (Fieller 1954), of so many standard errors; None where it is not bounded."""
    # The ratios x for which above − x·below is within its own interval: a parabola at or below zero.
    a = below**2 - reach**2 * below_variance
    b = above * below - reach**2 * covariance
    c = above**2 - reach**2 * above_variance
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    return (b - math.sqrt(root)) / a, (b + math.sqrt(root)) / a


def _share(line: Line, baseline: Line) -> float:
    """Of one server's variance, what the difference of two arms has."""
    return 1 / len(line.servers) + 1 / len(baseline.servers)


def _around(value: float, margin: float | None) -> Estimate:
    return Estimate(value=value, interval=None if margin is None else (value - margin, value + margin))
