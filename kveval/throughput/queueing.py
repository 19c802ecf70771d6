"""What becomes of the queue in an open loop: whether rounds lasted until as many requests were answered as sent."""

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
"""Share of their medians by which requests in flight and TTFT rise over the rounds at least where a queue grows."""
LEAST_RISE_ALONE = 0.5
"""The same where requests in flight alone rise: those of a steady Poisson process do so by 0.2 in one cell of ten."""
LEAST_SETTLED = 0.5
"""Share of requests that are sent, at least, once the server has filled up."""
MIN_REQUESTS = 8
"""That are sent then, in all rounds."""

Array = NDArray[np.float64]
Point = tuple[float, float, float]
"""When a request was sent, requests in flight then, and its TTFT."""
IN_FLIGHT, TTFT = 1, 2


def queue_state(rounds: Sequence[Sequence[Reply]]) -> str | None:
    """What the rounds of one cell saw; None where nothing came back.

    `saturated`: requests in flight and TTFT both rise with time (as GuideLLM tests it). `filling`: rounds ended too soon to say
    what the rate leads to: few requests were sent after the server had filled up, or requests in flight alone still rose, in
    every round, as with an engine that takes prompts in at once and decodes them ever more slowly. `steady`: neither.
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
    """Of requests that were sent once the server had filled up, which takes about one median end-to-end latency."""
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
    """Whether a line over all rounds, with a level of its own for each, rises by more than noise, and by `least` medians."""
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
    """Times and values, each without its round's mean."""
    columns = [np.array([(point[0], point[which]) for point in found]) for found in rounds]
    moved = np.concatenate([column - column.mean(axis=0) for column in columns])
    return moved[:, 0], moved[:, 1]


def _slope(times: Array, values: Array) -> float:
    """Zero where all was sent at once."""
    return float(times @ values / (times @ times)) if times.any() else 0.0
