"""Detects figures that are not the engine's: a client as the bottleneck, chunks in bursts, unexpected prefix-cache hits."""

from collections.abc import Sequence
from itertools import pairwise

from kveval.store.bench_records import Reply, Round
from kveval.throughput.measures import Flow

MAX_LATENESS_S, MAX_RATE_ERROR, MAX_CLIENT_CPU = 0.010, 0.02, 0.90
PREFIX_TOLERANCE = 0.05
"""Share of all prompt tokens by which prefix-cache hits may differ from those that the scenario implies."""
AT_ONCE_S, MAX_BURSTS = 1e-4, 0.20


def client_bound(flow: Flow, cpu: float | None) -> str | None:
    """Why the client was the bottleneck of a round; None if it was not. `cpu` is the client's share of a core."""
    if flow.lateness_p50 is not None and flow.lateness_p50 > MAX_LATENESS_S:
        return f"requests were sent late by a median of {1000 * flow.lateness_p50:.0f} ms"
    if flow.rate is not None and abs(flow.rate - 1) > MAX_RATE_ERROR:
        return f"requests were sent at {100 * flow.rate:.1f}% of the requested rate"
    if cpu is not None and cpu > MAX_CLIENT_CPU:
        return f"the client used {100 * cpu:.0f}% of a core"
    return None


def bursts(replies: Sequence[Reply]) -> float | None:
    """Share of chunks that arrived together with the one before, closer than any decode step: something between the engine and
    the client, such as a proxy, buffered them. None if no gap between chunks was measured."""
    gaps = [after - before for reply in replies if reply.error is None for before, after in pairwise(reply.chunks)]
    return sum(gap < AT_ONCE_S for gap in gaps) / len(gaps) if gaps else None


def prefix_fault(each: Round, queries: float | None, hits: float | None, block_size: int | None) -> str | None:
    """What is wrong with a round's prefix-cache hits; None if they are as the scenario implies, or if the engine does not count
    them. `queries` and `hits` are in tokens."""
    if queries is None or hits is None or not queries:
        return None
    block = block_size or 1
    expected = sum(request.shared_tokens // block * block for request in each.requests)
    if abs(hits - expected) <= PREFIX_TOLERANCE * queries:
        return None
    return f"{100 * hits / queries:.0f}% of prompt tokens came from it, but {100 * expected / queries:.0f}% should have"
