"""How alike two texts are, where neither is known to be right."""

from rapidfuzz.distance import Levenshtein

from kveval.scoring.copying import words


def text_similarity(a: str, b: str) -> float:
    """1 − Levenshtein distance of the words ÷ words of the longer text: 1.0 the same words, 0.0 none in common.

    Words are those of `copy_fidelity`: with their punctuation, single characters in scripts without spaces. Symmetric.
    """
    return 1.0 if a == b else float(Levenshtein.normalized_similarity(words(a), words(b)))
