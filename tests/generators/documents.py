"""Shared code of the generator tests: languages, documents with plants in them, and runs in other processes."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import get_args

import pytest
from hypothesis import strategies as st

from kveval.generators import haystack
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.parts import Plant

SEEDS = st.integers(0, 2**64)
CODES: tuple[Code, ...] = get_args(Code)
BOTH = pytest.mark.parametrize("code", CODES)
SENTENCE_END = re.compile(r"(?<=\.) |(?<=。)")

TOKENIZERS: dict[Code, Callable[[str], int]] = {
    "en": lambda text: len(re.findall(r"\w+|[^\w\s]", text)),
    "zh": lambda text: len(re.findall(r"[A-Za-z]+|\d|\S", text)),
}
"""Approximate token counts of a common tokenizer."""


def document_of(code: Code, *plants: Plant, seed: int = 0) -> str:
    """Return the pieces of all plants in order, with prose between them, or around them if they are inline."""
    language = LANGUAGES[code]
    prose = haystack.sentences(random.Random(seed), language.haystack)

    def next_sentences(count: int) -> str:
        return language.between.join(islice(prose, count))

    paragraphs = [next_sentences(5)]
    for plant in plants:
        for piece in plant.pieces:
            paragraphs += (
                [language.between.join([next_sentences(1), piece, next_sentences(1)])]
                if plant.inline
                else [piece, next_sentences(5)]
            )
    return "\n\n".join(paragraphs)


def sentences_of(paragraph: str) -> list[str]:
    """Split a paragraph after full stops followed by a space, and after 。"""
    return [sentence for sentence in SENTENCE_END.split(paragraph) if sentence]


def fields_of(template: str) -> list[str]:
    """Return the names of all `{fields}` of a template, including repetitions."""
    return re.findall(r"\{(\w+)\}", template)


def elsewhere(function: Callable[[], object]) -> Iterator[str]:
    """Yield the `ascii` of what a function of a test module returns in other processes, with other hash seeds."""
    program = f"from {function.__module__} import {function.__name__} as written\nprint(ascii(written()))"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hash_seed in ("1", "2")
    ]
    for process in processes:
        written, _ = process.communicate()
        assert process.returncode == 0
        yield written.strip()
