"""The KV cache of one GPU, as a plan and a throughput pass record it."""

from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter

from kveval.kv_cache.layout import KVLayout
from kveval.store.record import Array, Count, Positive, Record

_LAYOUT = TypeAdapter(KVLayout)


def _layout(value: Any) -> Any:
    return _LAYOUT.validate_python(value) if isinstance(value, dict) else value


Bytes = Annotated[tuple[Count, Count], BeforeValidator(tuple)]
"""Minimum and maximum; they differ if the format stores its own scales."""


class SequenceSize(Record):
    """The size of one sequence of a length in one format."""

    length: Positive
    bytes: Bytes
    sequences: Count | None = None
    """Minimum number of sequences that fit into the pool at once; None if not known."""


class CacheSize(Record):
    """The size of one GPU's cache with one KV dtype."""

    kv_dtype: str
    stored: str = ""
    """The format behind the name."""
    token_bytes: Bytes
    """Bytes of a token at the beginning of a sequence."""
    last_token_bytes: Bytes = (0, 0)
    """Bytes of a token at the end of the longest sequence: fewer if layers have a sliding window."""
    pool_tokens: Count | None = None
    """Minimum number of tokens that fit into the pool, as vLLM counts them: in sequences of the longest length."""
    lengths: Array[SequenceSize]


class Memory(Record):
    """The KV cache of one GPU in each format. What is not known is None and listed in `not_known`."""

    tensor_parallel: Positive
    layout: Annotated[KVLayout | None, BeforeValidator(_layout)] = None
    caches: Array[CacheSize]
    pool_bytes: Count | None = None
    weight_bytes: Count | None = None
    """Bytes of the weights on one GPU, if the pool is the memory that they leave."""
    gpu_memory_utilization: float | None = None
    max_num_seqs: Count | None = None
    not_known: Array[str] = ()
