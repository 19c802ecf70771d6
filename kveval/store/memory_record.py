"""The KV cache of one GPU, as a plan and a throughput pass record it."""

from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter

from kveval.kv_cache.layout import KVLayout
from kveval.store.record import Array, Count, Positive, Record

_LAYOUT = TypeAdapter(KVLayout)


def _layout(value: Any) -> Any:
    return _LAYOUT.validate_python(value) if isinstance(value, dict) else value


Bytes = Annotated[tuple[Count, Count], BeforeValidator(tuple)]
"""Least and most: they differ where the format has scales of its own."""


class SequenceSize(Record):
    """One sequence of a length in one format."""

    length: Positive
    bytes: Bytes
    sequences: Count | None = None
    """That fit into the pool at a time, at least; None where that is not known."""


class CacheSize(Record):
    """What one KV dtype makes of the cache of one GPU."""

    kv_dtype: str
    stored: str = ""
    """The format behind the name."""
    token_bytes: Bytes
    """Of a token at the beginning of a sequence."""
    last_token_bytes: Bytes = (0, 0)
    """Of a token at the end of the longest sequence: less where layers have a window."""
    pool_tokens: Count | None = None
    """That fit, at least, as vLLM counts them: in sequences of the longest length."""
    lengths: Array[SequenceSize]


class Memory(Record):
    """The KV cache of one GPU in each format; what is not known is None, and named in `not_known`."""

    tensor_parallel: Positive
    layout: Annotated[KVLayout | None, BeforeValidator(_layout)] = None
    caches: Array[CacheSize]
    pool_bytes: Count | None = None
    weight_bytes: Count | None = None
    """Of one GPU, where the pool is what the weights leave."""
    gpu_memory_utilization: float | None = None
    max_num_seqs: Count | None = None
    not_known: Array[str] = ()
