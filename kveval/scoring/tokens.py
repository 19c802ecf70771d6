"""How far the token ids of two outputs differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True, slots=True)
class TokenDiff:
    """The difference between two outputs, token by token."""

    rate: float
    """Levenshtein distance of the token ids by the length of the longer output: 0.0 equal, 1.0 nothing in common."""
    first_divergence: int | None
    """Index of the first token that differs (where one output starts the other, its length); None when equal."""


def token_diff(a: Sequence[int], b: Sequence[int]) -> TokenDiff:
    """Compare two outputs by their token ids; two empty outputs are equal. Symmetric in `a` and `b`."""
    if a == b:  # most are, and lists find that out far quicker than the search below
        return TokenDiff(0.0, None)
    shorter = min(len(a), len(b))
    first = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), shorter)
    if first == len(a) == len(b):
        return TokenDiff(0.0, None)
    return TokenDiff(Levenshtein.normalized_distance(a, b), first)
