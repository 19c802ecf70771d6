"""What a cache format loses by itself: greedy answers in transformers, with keys and values rounded to the format.

An engine's quantized cache loses what rounding loses, and whatever its kernels do wrong besides. This computes the first
alone: every key and value is rounded to the format (scale 1.0, round to nearest even, cut off at the largest number) and
back before attention reads it. A checking instrument for short answers of small models, not a second engine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer

from kveval.kv_cache.dtypes import emulated_dtypes


@dataclass(frozen=True)
class ReferenceAnswer:
    """One greedy answer."""

    token_ids: tuple[int, ...]
    """With the end-of-sequence token, where the answer ended by it."""
    margins: tuple[float, ...]
    """By token: its log-probability minus that of the next likely one, in nats."""
    ended: bool
    """Whether it ended by itself, and not by `max_tokens`."""


def rounded(states: torch.Tensor, kv_dtype: str) -> torch.Tensor:
    """`states` as they come back from a cache of this format: same shape and type."""
    number = getattr(torch, emulated_dtypes()[kv_dtype])
    largest = torch.finfo(number).max
    return states.float().clamp(-largest, largest).to(number).to(states.dtype)


def rounding_layer(kv_dtype: str) -> type[DynamicLayer]:
    """A layer of transformers' cache that keeps what a cache of this format would give back."""

    class RoundingLayer(DynamicLayer):  # type: ignore[misc]
        def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> Any:
            return super().update(rounded(key_states, kv_dtype), rounded(value_states, kv_dtype), *args, **kwargs)

    return RoundingLayer


def answer_all(
    model: Any,
    prompts: Sequence[Sequence[int]],
    max_tokens: int | Sequence[int],
    *,
    kv_dtype: str | None = None,
    drafts: Sequence[Sequence[int]] | None = None,
    beyond: int | None = None,
    chunk: int = 2048,
) -> Iterator[ReferenceAnswer]:
    """Greedy answers to prompts of token ids, in order, with the cache in `kv_dtype` (None: in the model's own type).

    `max_tokens` is one limit for all, or one for each. What a prompt begins with as the one before it did is read once.
    `drafts` are answers as they may well come out, one a prompt: as far as they do, they are read at once instead of token by
    token; `beyond` is how many tokens an answer may have from where it leaves its draft, or the draft ends. `chunk` is how many
    tokens are read at a time, which bounds the memory of attention.
    """
    cache: Any = None
    held: list[int] = []
    limits = [max_tokens] * len(prompts) if isinstance(max_tokens, int) else max_tokens
    for prompt, draft, limit in zip(prompts, drafts or [()] * len(prompts), limits, strict=True):
        shared = _common(held, prompt[:-1])  # the last token is always read: its logits are the first answer
        if cache is None or shared == 0:
            cache, shared = Cache(layer_class_to_replicate=rounding_layer(kv_dtype) if kv_dtype else DynamicLayer), 0
        else:
            _keep(cache, shared)
        for start in range(shared, len(prompt) - 1, chunk):
            _read(model, cache, prompt[start : min(start + chunk, len(prompt) - 1)])
        yield _answer(model, cache, prompt[-1], draft[: limit - 1], limit, beyond)
        held = list(prompt)


def _answer(
    model: Any, cache: Any, last: int, draft: Sequence[int], max_tokens: int, beyond: int | None
) -> ReferenceAnswer:
    """The greedy answer behind the `last` token of a prompt of which the cache holds all others."""
    ids: list[int] = []
    margins: list[float] = []
    given = [last, *draft]
    held = cache.get_seq_length()
    while True:
        for read, logits in enumerate(_read(model, cache, given, logits=len(given))):
            best = torch.topk(torch.log_softmax(logits.float(), dim=-1), 2)
            ids.append(int(best.indices[0]))
            margins.append(float(best.values[0] - best.values[1]))
            ended = ids[-1] in _ends(model)
            if ended or len(ids) == max_tokens:
                return ReferenceAnswer(tuple(ids), tuple(margins), ended)
            if given[read + 1 :][:1] != ids[-1:]:  # here the draft ends, or the answer leaves it
                break
        if beyond is not None and len(given) > 1:
            max_tokens = min(max_tokens, len(ids) - 1 + beyond)
        _keep(cache, held + len(ids))
        given = ids[-1:]


def _read(model: Any, cache: Any, ids: Sequence[int], *, logits: int = 1) -> Any:
    """The logits behind each of the last `logits` of some tokens, which are added to the cache."""
    with torch.inference_mode():
        tokens = torch.tensor([list(ids)], device=model.device)
        return model(tokens, past_key_values=cache, use_cache=True, logits_to_keep=logits).logits[0]


def _keep(cache: Any, tokens: int) -> None:
    """Cut a cache down to its first tokens."""
    for layer in cache.layers:
        layer.keys, layer.values = layer.keys[:, :, :tokens], layer.values[:, :, :tokens]


def _ends(model: Any) -> set[int]:
    end = model.generation_config.eos_token_id
    if end is None:
        end = model.config.eos_token_id
    return set() if end is None else {end} if isinstance(end, int) else set(end)


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens at the start are the same."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
