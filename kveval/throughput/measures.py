"""Latencies and throughput, as vLLM's own benchmark defines them (`vllm/benchmarks/serve.py` and its request functions, 0.32).

TTFT is the time from sending a request to its first token, ITL each gap between consecutive chunks, end-to-end latency (E2E)
the time from sending to the last chunk, and TPOT (E2E − TTFT) ÷ (output tokens − 1). Throughput is tokens over the time from
the start of a round to the end of its last request. Failed requests are excluded from all of these and counted by kind.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np

from kveval.store.bench_records import Reply
from kveval.store.bench_results_schema import LatencySummaries, Summary

PERCENTILES = (50, 90, 95, 99)
UNSEEN = 0.025
"""A percentile is reported only if the probability that all n values are below it is at most this."""


@dataclass(frozen=True)
class Latency:
    """Latencies of one request that succeeded, in seconds."""

    ttft: float
    tpot: float | None
    """None for an answer of one token."""
    itl: tuple[float, ...]
    e2e: float


def latency(reply: Reply) -> Latency | None:
    """The latencies of a reply; None if the request failed."""
    if reply.error is not None:
        return None
    ttft, e2e = reply.chunks[0] - reply.sent, reply.chunks[-1] - reply.sent
    tokens = reply.output_tokens or 0
    tpot = (e2e - ttft) / (tokens - 1) if tokens > 1 else None
    return Latency(ttft, tpot, tuple(after - before for before, after in pairwise(reply.chunks)), e2e)


def needed(percentile: float) -> int:
    """How many values a percentile needs: 6 for the median, 36 for the 90th, 72 for the 95th, 368 for the 99th."""
    return math.ceil(math.log(UNSEEN) / math.log(percentile / 100))


def summary(values: Sequence[float]) -> Summary | None:
    """n, the mean, and the percentiles that n supports. None without values."""
    if not values:
        return None
    supported = [percentile for percentile in PERCENTILES if len(values) >= needed(percentile)]
    found: Sequence[float] = np.percentile(values, supported).tolist() if supported else []
    percentiles = {f"p{percentile}": value for percentile, value in zip(supported, found, strict=True)}
    left_out = {
        f"p{percentile}": f"needs {needed(percentile)} values, but there are {len(values)}"
        for percentile in PERCENTILES
        if percentile not in supported
    }
    return Summary(n=len(values), mean=fmean(values), left_out=left_out, **percentiles)


def summaries(replies: Sequence[Reply]) -> LatencySummaries:
    """The four latencies over all successful requests, in seconds. ITL pools the gaps of all of them."""
    found = [each for reply in replies if (each := latency(reply))]
    return LatencySummaries(
        ttft=summary([each.ttft for each in found]),
        tpot=summary([each.tpot for each in found if each.tpot is not None]),
        itl=summary([gap for each in found for gap in each.itl]),
        e2e=summary([each.e2e for each in found]),
    )


@dataclass(frozen=True)
class Flow:
    """Throughput, errors and timing of one round."""

    requests: int
    errors: dict[str, int]
    """Failed requests by kind."""
    output_tokens_per_s: float
    total_tokens_per_s: float
    """Prompt and output tokens of successful requests."""
    lateness_p50: float | None
    """Median number of seconds by which requests were sent after they were due; None in a closed loop."""
    lateness_p99: float | None
    rate: float | None
    """Rate at which requests were sent over the rate requested; None in a closed loop."""


def flow(replies: Sequence[Reply], duration: float, *, open_loop: bool) -> Flow:
    """The throughput, errors and timing of a round that took `duration` seconds."""
    succeeded = [reply for reply in replies if reply.error is None]
    output = sum(reply.output_tokens or 0 for reply in succeeded)
    total = output + sum(reply.prompt_tokens or 0 for reply in succeeded)
    late = [reply.sent - reply.due for reply in replies] if open_loop else []
    p50, p99 = map(float, np.percentile(late, (50, 99))) if late else (None, None)
    return Flow(
        requests=len(replies),
        errors=dict(Counter(reply.error for reply in replies if reply.error is not None)),
        output_tokens_per_s=output / duration,
        total_tokens_per_s=total / duration,
        lateness_p50=p50,
        lateness_p99=p99,
        rate=_rate(replies) if open_loop else None,
    )


def _rate(replies: Sequence[Reply]) -> float | None:
    due, sent = sorted(reply.due for reply in replies), sorted(reply.sent for reply in replies)
    return (due[-1] - due[0]) / (sent[-1] - sent[0]) if len(replies) > 1 and sent[-1] > sent[0] else None
