"""Scorers: pure functions from an answer, and what it should have been, to a frozen score. No output makes them raise."""

from kveval.scoring.copying import CopyScore, copy_fidelity
from kveval.scoring.numbers import Number, find_numbers, number_match, parse_number
from kveval.scoring.score import Score
from kveval.scoring.similarity import text_similarity
from kveval.scoring.text import text_match
from kveval.scoring.tokens import TokenDiff, token_diff

METRICS = {"number_match": 1, "text_match": 1, "copy_fidelity": 1, "text_similarity": 1, "token_diff": 1}
"""Version of each metric; it rises with any change of what the metric says of an output."""

__all__ = [
    "METRICS",
    "CopyScore",
    "Number",
    "Score",
    "TokenDiff",
    "copy_fidelity",
    "find_numbers",
    "number_match",
    "parse_number",
    "text_match",
    "text_similarity",
    "token_diff",
]
