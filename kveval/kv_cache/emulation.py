"""Measures the loss due to a cache format alone: greedy answers in transformers with keys and values rounded to the format.

An engine's quantized cache can lose answers to rounding and to faults in its kernels. This module isolates rounding: every key
and value is rounded to the format (scale 1.0, round to nearest even, clipped at the largest number) and back before attention
reads it. It is meant for short answers of small models and does not replace an engine.
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
    """Includes the end-of-sequence token if the answer ended with one."""
    margins: tuple[float, ...]
    """For each token, its log-probability minus that of the second most likely token, in nats."""
    ended: bool
    """Whether the answer ended with an end-of-sequence token rather than at `max_tokens`."""


def rounded(states: torch.Tensor, kv_dtype: str) -> torch.Tensor:
    """`states` rounded to the format and back, with the same shape and dtype."""
    number = getattr(torch, emulated_dtypes()[kv_dtype])
    largest = torch.finfo(number).max
    return states.float().clamp(-largest, largest).to(number).to(states.dtype)


def rounding_layer(kv_dtype: str) -> type[DynamicLayer]:
    """A cache layer for transformers that rounds keys and values to the format."""

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
    """Greedy answers to prompts of token ids, in order, with the cache in `kv_dtype` (None: the model's dtype).

    `max_tokens` is one limit for all prompts or one limit per prompt. A prefix shared with the previous prompt is not computed
    again. `drafts` contains a likely answer for each prompt; tokens that match the draft are verified in one pass instead of
    being generated one by one. `beyond` limits the tokens of an answer after it departs from its draft or the draft ends.
    `chunk` is the number of prompt tokens processed per pass, which bounds the memory of attention.
    """
    cache: Any = None
    cached: list[int] = []
    limits = [max_tokens] * len(prompts) if isinstance(max_tokens, int) else max_tokens
    for prompt, draft, limit in zip(prompts, drafts or [()] * len(prompts), limits, strict=True):
        shared = _common(
            cached, prompt[:-1]
        )  # the last token is always computed: its logits give the first answer token
        if cache is None or shared == 0:
            cache, shared = Cache(layer_class_to_replicate=rounding_layer(kv_dtype) if kv_dtype else DynamicLayer), 0
        else:
            _keep(cache, shared)
        for start in range(shared, len(prompt) - 1, chunk):
            _read(model, cache, prompt[start : min(start + chunk, len(prompt) - 1)])
        yield _answer(model, cache, prompt[-1], draft[: limit - 1], limit, beyond)
        cached = list(prompt)


def _answer(
    model: Any, cache: Any, last: int, draft: Sequence[int], max_tokens: int, beyond: int | None
) -> ReferenceAnswer:
    """The greedy answer to a prompt that ends with token `last`; its other tokens are in the cache."""
    ids: list[int] = []
    margins: list[float] = []
    given = [last, *draft]
    prompt_length = cache.get_seq_length()
    while True:
        for read, logits in enumerate(_read(model, cache, given, logits=len(given))):
            best = torch.topk(torch.log_softmax(logits.float(), dim=-1), 2)
            ids.append(int(best.indices[0]))
            margins.append(float(best.values[0] - best.values[1]))
            ended = ids[-1] in _ends(model)
            if ended or len(ids) == max_tokens:
                return ReferenceAnswer(tuple(ids), tuple(margins), ended)
            if given[read + 1 :][:1] != ids[-1:]:  # the draft ends here, or the answer departs from it
                break
        if beyond is not None and len(given) > 1:
            max_tokens = min(max_tokens, len(ids) - 1 + beyond)
        _keep(cache, prompt_length + len(ids))
        given = ids[-1:]


def _read(model: Any, cache: Any, ids: Sequence[int], *, logits: int = 1) -> Any:
    """Add tokens to the cache, and return the logits that follow each of the last `logits` of them."""
    with torch.inference_mode():
        tokens = torch.tensor([list(ids)], device=model.device)
        return model(tokens, past_key_values=cache, use_cache=True, logits_to_keep=logits).logits[0]


def _keep(cache: Any, tokens: int) -> None:
    """Truncate a cache to its first `tokens` tokens."""
    for layer in cache.layers:
        layer.keys, layer.values = layer.keys[:, :, :tokens], layer.values[:, :, :tokens]


def _ends(model: Any) -> set[int]:
    end = model.generation_config.eos_token_id
    if end is None:
        end = model.config.eos_token_id
    return set() if end is None else {end} if isinstance(end, int) else set(end)


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """Length of the common prefix."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
