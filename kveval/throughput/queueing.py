"""State of the queue in an open loop: whether rounds lasted until requests were answered as fast as they were sent."""

import math
from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from kveval.store.bench_records import Reply
from kveval.throughput.server_variance import CONFIDENCE

STEADY, FILLING, SATURATED = "steady", "filling", "saturated"
LEAST_RISE = 0.2
"""Minimum rise of requests in flight and TTFT over the rounds, as a share of their medians, for a queue that grows."""
LEAST_RISE_ALONE = 0.5
"""The same if only requests in flight rise: those of a steady Poisson process rise by 0.2 in one cell of ten."""
LEAST_SETTLED = 0.5
"""Minimum share of requests that are sent after the server has filled up."""
MIN_REQUESTS = 8
"""Minimum number of these requests, over all rounds."""

Array = NDArray[np.float64]
Point = tuple[float, float, float]
"""When a request was sent, the number of requests in flight then, and its TTFT."""
IN_FLIGHT, TTFT = 1, 2


def queue_state(rounds: Sequence[Sequence[Reply]]) -> str | None:
    """State of the queue in the rounds of one cell; None if no request succeeded.

    `saturated`: requests in flight and TTFT both rise with time (GuideLLM's test). `filling`: rounds ended too soon for a
    steady state: few requests were sent after the server had filled up, or only requests in flight still rose, in every round,
    as with an engine that admits prompts at once and decodes them ever more slowly. `steady`: neither.
    """
    whole = [[reply for reply in replies if reply.error is None] for replies in rounds]
    if not any(whole):
        return None
    settled = [_settled(replies) for replies in whole if replies]
    rising = [found for found in settled if len(found) > 1]
    if rising and _rises(rising, IN_FLIGHT, LEAST_RISE) and _rises(rising, TTFT, LEAST_RISE):
        return SATURATED
    number = sum(map(len, settled))
    if number < max(MIN_REQUESTS, LEAST_SETTLED * sum(map(len, whole))):
        return FILLING
    in_each = all(_slope(*_centred([found], IN_FLIGHT)) > 0 for found in rising)
    return FILLING if in_each and _rises(rising, IN_FLIGHT, LEAST_RISE_ALONE) else STEADY


def _settled(replies: Sequence[Reply]) -> list[Point]:
    """Points of the requests that were sent after the server had filled up, which takes about one median end-to-end latency."""
    filled = median(reply.chunks[-1] - reply.sent for reply in replies)
    return [
        (
            reply.sent,
            float(sum(other.sent <= reply.sent < other.end for other in replies)),
            reply.chunks[0] - reply.sent,
        )
        for reply in replies
        if reply.sent > filled
    ]


def _rises(rounds: Sequence[Sequence[Point]], which: int, least: float) -> bool:
    """Whether a line fitted to all rounds, with an intercept for each, rises significantly and by more than `least` medians."""
    times, values = _centred(rounds, which)
    slope, freedom = _slope(times, values), len(times) - len(rounds) - 1
    if slope <= 0 or freedom < 1:
        return False
    error = math.sqrt(float(np.sum((values - slope * times) ** 2)) / freedom / float(times @ times))
    sent = [point[0] for found in rounds for point in found]
    typical = median(point[which] for found in rounds for point in found)
    reach = float(student.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return slope > reach and slope * (max(sent) - min(sent)) > least * typical


def _centred(rounds: Sequence[Sequence[Point]], which: int) -> tuple[Array, Array]:
    """Times and values, centred on the means of their rounds."""
    columns = [np.array([(point[0], point[which]) for point in found]) for found in rounds]
    moved = np.concatenate([column - column.mean(axis=0) for column in columns])
    return moved[:, 0], moved[:, 1]


def _slope(times: Array, values: Array) -> float:
    """Least-squares slope of centred values; zero if all requests were sent at once."""
    return float(times @ values / (times @ times)) if times.any() else 0.0
