"""Difference of two outputs in token ids."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True, slots=True)
class TokenDiff:
    """Difference of two outputs, token by token."""

    rate: float
    """Levenshtein distance of the token ids ÷ length of the longer output: 0.0 for equal outputs, at most 1.0."""
    first_divergence: int | None
    """Index of the first token that differs; the shorter length if one output is a prefix of the other; None if equal."""


def token_diff(a: Sequence[int], b: Sequence[int]) -> TokenDiff:
    """Compare two outputs by their token ids. Two empty outputs are equal. Symmetric in `a` and `b`."""
    if a == b:  # true of most pairs, and far faster than the search below
        return TokenDiff(0.0, None)
    shorter = min(len(a), len(b))
    first = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), shorter)
    if first == len(a) == len(b):
        return TokenDiff(0.0, None)
    return TokenDiff(Levenshtein.normalized_distance(a, b), first)
