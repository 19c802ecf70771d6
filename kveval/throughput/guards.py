"""When a figure is not the engine's: the client was the bottleneck, chunks came in bursts, prefix hits were not as meant."""

from collections.abc import Sequence
from itertools import pairwise

from kveval.store.bench_records import Reply, Round
from kveval.throughput.measures import Flow

MAX_LATENESS_S, MAX_RATE_ERROR, MAX_CLIENT_CPU = 0.010, 0.02, 0.90
PREFIX_TOLERANCE = 0.05
"""Share of all prompt tokens by which hits of the prefix cache may differ from those that the scenario means."""
AT_ONCE_S, MAX_BURSTS = 1e-4, 0.20


def client_bound(flow: Flow, cpu: float | None) -> str | None:
    """Why a round measured the client, or None where it did not. `cpu` is the client's share of a core."""
    if flow.lateness_p50 is not None and flow.lateness_p50 > MAX_LATENESS_S:
        return f"requests were sent {1000 * flow.lateness_p50:.0f} ms late in the median"
    if flow.rate is not None and abs(flow.rate - 1) > MAX_RATE_ERROR:
        return f"{100 * flow.rate:.1f}% of the asked rate was sent"
    if cpu is not None and cpu > MAX_CLIENT_CPU:
        return f"the client took {100 * cpu:.0f}% of a core"
    return None


def bursts(replies: Sequence[Reply]) -> float | None:
    """The share of chunks that came at once with the one before, though no decode step is as short: what stands between engine
    and client held them back. None where nothing came back whole."""
    gaps = [after - before for reply in replies if reply.error is None for before, after in pairwise(reply.chunks)]
    return sum(gap < AT_ONCE_S for gap in gaps) / len(gaps) if gaps else None


def prefix_fault(each: Round, queries: float | None, hits: float | None, block_size: int | None) -> str | None:
    """What is wrong with a round's hits of the prefix cache, in tokens; None where they are as the scenario means, or where the
    engine does not count them."""
    if queries is None or hits is None or not queries:
        return None
    block = block_size or 1
    meant = sum(request.shared_tokens // block * block for request in each.requests)
    if abs(hits - meant) <= PREFIX_TOLERANCE * queries:
        return None
    return f"{100 * hits / queries:.0f}% of prompt tokens came from the prefix cache, where {100 * meant / queries:.0f}% should"
