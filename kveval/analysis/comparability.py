"""What makes two arms incomparable, and what differs between them beside the cache."""

from collections.abc import Iterator, Mapping
from typing import Any

from kveval.kv_cache.dtypes import UNKNOWN, is_quantized


def incomparable(baseline: str, arm: str) -> Iterator[str]:
    """Why two arms cannot be compared, by the effective KV dtypes of the baseline and of the arm."""
    if UNKNOWN in (baseline, arm):
        yield "what the cache really holds is not known"
    if is_quantized(baseline):
        yield f"the baseline's cache is already quantized ({baseline})"
    if arm == baseline:
        yield f"both arms ran with a {arm} cache"


def confounds(baseline: Mapping[str, Any], arm: Mapping[str, Any]) -> Iterator[str]:
    """What differs between two arms beside the cache, by the facts of their engines."""
    for fact, name in (("attention_backend", "attention backend"), ("model_dtype", "model dtype")):
        was, now = baseline.get(fact), arm.get(fact)
        if was and now and was != now:  # a fact that an engine did not report is no difference
            yield f"{name} {was} → {now}"
