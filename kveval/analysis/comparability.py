"""Why two arms cannot be compared, and how they differ other than in the cache."""

from collections.abc import Iterator
from typing import Protocol

from kveval.kv_cache.dtypes import UNKNOWN, is_quantized


class EngineSide(Protocol):
    """What an arm's engine reported; None if it did not."""

    @property
    def attention_backend(self) -> str | None: ...
    @property
    def model_dtype(self) -> str | None: ...


def incomparable(baseline: str, arm: str) -> Iterator[str]:
    """Yield why two arms cannot be compared, given the effective KV dtypes of the baseline and of the arm."""
    if UNKNOWN in (baseline, arm):
        yield "the effective format of a cache is not known"
    if is_quantized(baseline):
        yield f"the baseline's cache is already quantized ({baseline})"
    if arm == baseline:
        yield f"both arms ran with a {arm} cache"


def confounds(baseline: EngineSide, arm: EngineSide) -> Iterator[str]:
    """Yield the differences between two arms other than the cache. A fact that an engine did not report is not a difference."""
    for name, was, now in (
        ("attention backend", baseline.attention_backend, arm.attention_backend),
        ("model dtype", baseline.model_dtype, arm.model_dtype),
    ):
        if was and now and was != now:
            yield f"{name} {was} → {now}"
