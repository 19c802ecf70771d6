"""Paired log-ratios: how much slower or faster one arm is than another on the same requests, with confidence intervals.

A log-ratio is ln(arm ÷ baseline); below zero, the arm's value is smaller. The same request and the same round of two arms are
paired, and so are periods in the order of ABBA (the first of each arm, the second of each arm).
"""

import math
from collections.abc import Sequence
from itertools import chain
from statistics import fmean

import numpy as np
from scipy.stats import ttest_1samp

from kveval.store.bench_results_schema import Ratio
from kveval.throughput.server_variance import CONFIDENCE, Servers, spread_of


def log_ratios(arm: Sequence[float | None], baseline: Sequence[float | None]) -> list[float]:
    """Log-ratios of one round's requests, in the same order on both sides; those that failed on either (None) are left out."""
    return [math.log(a / b) for a, b in zip(arm, baseline, strict=True) if a and b]


def paired(rounds: Sequence[Sequence[float]], servers: tuple[Servers, Servers] | None = None) -> Ratio | None:
    """Mean over rounds of the mean log-ratio of their requests. None with fewer than two rounds.

    The interval is the union of up to three Student's t intervals around that mean, which account for variance between rounds
    (from the rounds' means), between requests (from all requests), and between servers of one arm (from `servers`, the mean
    logarithm on each server of both arms).
    """
    means = [fmean(each) for each in rounds if each]
    requests = list(chain.from_iterable(rounds))
    if len(means) < 2:
        return None
    mean = fmean(means)
    limits = [t_interval(means)]
    if len(requests) > len(means):
        limits.append(t_interval(requests, around=mean))
    if servers and (spread := spread_of(servers)):
        margin = spread.margin(0, sum(1 / len(side) for side in servers))
        limits.append((mean - margin, mean + margin))
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    return Ratio(log=mean, interval=(low, high), rounds=len(means), requests=len(requests))


def t_interval(values: Sequence[float], *, around: float | None = None) -> tuple[float, float]:
    """Student's t interval for the mean of two values or more, shifted to be centred on `around`, another estimate of it."""
    if np.ptp(values) <= 1e-9 * np.max(np.abs(values)):  # scipy would warn about values without variance
        low = high = float(values[0])
    else:
        found = ttest_1samp(values, 0.0).confidence_interval(CONFIDENCE)
        low, high = float(found.low), float(found.high)
    shift = 0.0 if around is None else around - fmean(values)
    return low + shift, high + shift
