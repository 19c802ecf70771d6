"""Scoring of outputs: pure functions that raise for no output.

score_outputs.py  every stored output of a run → one score
extraction.py     the answer in an output, without reasoning, markup and run-on
numbers.py        number_match: numbers by value
text.py           text_match: texts with word boundaries
copying.py        copy_fidelity: a repeated passage, word by word
similarity.py     text_similarity: two free answers
tokens.py         token_diff: two lists of token ids
score.py          what number_match and text_match return
characters.py     Unicode: folding, scripts without spaces
notation.py       units, magnitudes and currency signs beside numbers
dates.py          dates, whose digits are not numbers
markup.py         Markdown, LaTeX and HTML around answers
"""

from kveval.scoring.copying import CopyScore, copy_fidelity
from kveval.scoring.numbers import Number, find_numbers, number_match, parse_number
from kveval.scoring.score import Score
from kveval.scoring.similarity import text_similarity
from kveval.scoring.text import text_match
from kveval.scoring.tokens import TokenDiff, token_diff

METRICS = {"number_match": 1, "text_match": 1, "copy_fidelity": 1, "text_similarity": 1, "token_diff": 1}
"""Version of each metric, incremented with any change that affects scores."""

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
