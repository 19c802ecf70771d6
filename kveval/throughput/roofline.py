"""The decode limit of the memory's bandwidth, and how ITL grows with the context.

Each decode step reads all weights and the KV of all active sequences once: (weights + KV) ÷ bandwidth is the least time that it
can take. Weights of 16 GB and 4 GB of KV on 2 TB/s are 10 ms; with an fp8 cache the KV is 2 GB and the step 9 ms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

import numpy as np
from scipy.stats import t as student

from kveval.throughput.ratios import CONFIDENCE, t_interval

TERA = 1e12
# Bytes a second, from the vendor's data sheets, by what nvidia-smi calls a GPU; the first name that is part of it counts.
BANDWIDTHS = {
    "H200": 4.8 * TERA,
    "H100 NVL": 3.9 * TERA,
    "H100 PCIe": 2.0 * TERA,
    "H100": 3.35 * TERA,
    "H20": 4.0 * TERA,
    "A100-SXM4-80GB": 2.039 * TERA,
    "A100 80GB PCIe": 1.935 * TERA,
    "A100": 1.555 * TERA,
    "L40S": 0.864 * TERA,
    "L40": 0.864 * TERA,
    "L4": 0.3 * TERA,
    "A10": 0.6 * TERA,
}


def bandwidth_of(gpu: str) -> float | None:
    """Bytes a second of a GPU's memory, by its name; None for one that is not listed."""
    return next((bandwidth for name, bandwidth in BANDWIDTHS.items() if name in gpu), None)


def decode_limit(weight_bytes: float, kv_bytes: float, bandwidth: float) -> float:
    """Seconds that one decode step takes at least. `kv_bytes` are those of all active sequences."""
    return (weight_bytes + kv_bytes) / bandwidth


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where the data bound it on no side, or not on both."""

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Line:
    """ITL = intercept + slope × context, in seconds and seconds a token."""

    intercept: Estimate
    slope: Estimate
    rounds: int


Curve = Sequence[tuple[float, float]]
"""Of one round: contexts in tokens, each with the median TPOT there in seconds."""


def fit_line(curves: Sequence[Curve]) -> Line | None:
    """A line for each round, and their mean with Student's interval. None with fewer than two contexts or rounds."""
    lines = _lines(curves)
    if len(lines) < 2:
        return None
    intercepts, slopes = ([line[which] for line in lines] for which in (0, 1))
    return Line(
        Estimate(fmean(intercepts), t_interval(intercepts)), Estimate(fmean(slopes), t_interval(slopes)), len(lines)
    )


def slope_gain(arm: Sequence[Curve], baseline: Sequence[Curve]) -> Estimate | None:
    """By how much less the arm's ITL grows than the baseline's, in seconds a token, over paired rounds."""
    gains = [theirs[1] - ours[1] for ours, theirs in zip(_lines(arm), _lines(baseline), strict=True)]
    return Estimate(fmean(gains), t_interval(gains)) if len(gains) > 1 else None


def break_even(arm: Sequence[Curve], baseline: Sequence[Curve]) -> Estimate | None:
    """The context from which on the arm decodes faster, with Fieller's interval over paired rounds.

    None where the arm's ITL does not grow more slowly: no context makes up for what it costs then. May be below zero, where the
    arm is faster from the first token on.
    """
    lines = [(b[0] - a[0], a[1] - b[1]) for a, b in zip(_lines(baseline), _lines(arm), strict=True)]
    if len(lines) < 2:
        return None
    cost, gain = [line[0] for line in lines], [line[1] for line in lines]
    if fmean(gain) <= 0:
        return None
    return Estimate(fmean(cost) / fmean(gain), fieller(cost, gain))


def fieller(above: Sequence[float], below: Sequence[float]) -> tuple[float, float] | None:
    """Interval for the ratio of two paired means (Fieller 1954); None where it is not bounded."""
    n = len(above)
    reach = float(student.ppf((1 + CONFIDENCE) / 2, n - 1)) ** 2 / n
    mean_above, mean_below = fmean(above), fmean(below)
    covariance = float(np.cov(above, below)[0, 1])
    # The ratios x for which mean(above) − x·mean(below) is within its own interval: a parabola at or below zero.
    a = mean_below**2 - reach * variance(below)
    b = mean_above * mean_below - reach * covariance
    c = mean_above**2 - reach * variance(above)
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    return (b - math.sqrt(root)) / a, (b + math.sqrt(root)) / a


def _lines(curves: Sequence[Curve]) -> list[tuple[float, float]]:
    """Intercept and slope of each curve of two contexts or more."""
    found = []
    for curve in curves:
        contexts, times = [point[0] for point in curve], [point[1] for point in curve]
        if len(set(contexts)) > 1:
            slope, intercept = np.polyfit(contexts, times, 1)
            found.append((float(intercept), float(slope)))
    return found
