"""Writing of texts that need token counts on the way.

A writing is a Python generator: it yields a text, receives the number of its tokens, continues, and returns its result.
Many writings can run together, and the texts that they yield are counted in one batch, which takes tokenizers a fraction of
the time.
"""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

T = TypeVar("T")
Counting = Generator[str, int, T]
Count = Callable[[Sequence[str]], list[int]]
"""Returns the number of tokens of each text, encoded separately."""


def write_together(writings: Sequence[Counting[T]], count: Count) -> list[T]:
    """Run several writings together and return their results in order."""
    results: dict[int, T] = {}
    counted: dict[int, int | None] = dict.fromkeys(range(len(writings)))
    while counted:
        texts = {}
        for number, tokens in counted.items():
            try:
                texts[number] = next(writings[number]) if tokens is None else writings[number].send(tokens)
            except StopIteration as stop:
                results[number] = stop.value
        counted = dict(zip(texts, count(list(texts.values())), strict=True)) if texts else {}
    return [results[number] for number in range(len(writings))]


def write_one(writing: Counting[T], count: Callable[[str], int]) -> T:
    """Run one writing, counting the tokens of one text at a time, and return its result."""
    return write_together([writing], lambda texts: list(map(count, texts)))[0]
