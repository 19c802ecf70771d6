"""Similarity of two texts, neither of which is known to be right."""

from rapidfuzz.distance import Levenshtein

from kveval.scoring.copying import words


def text_similarity(a: str, b: str) -> float:
    """Return 1 − Levenshtein distance ÷ length of the longer text, both in words: 1.0 for equal texts. Symmetric.

    Words are split as in `copy_fidelity`: with their punctuation, and into single characters in scripts without spaces.
    """
    return 1.0 if a == b else float(Levenshtein.normalized_similarity(words(a), words(b)))
