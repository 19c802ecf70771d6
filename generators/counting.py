"""Texts whose tokens have to be counted while they are written.

What is written so is a generator: it yields a text, is sent the number of its tokens, goes on with that, and returns what it
has written. Many documents can be written side by side in this way, and what all of them ask is counted at once: tokenizers
do that in a fraction of the time.
"""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

T = TypeVar("T")
Counting = Generator[str, int, T]
Count = Callable[[Sequence[str]], list[int]]
"""The number of tokens of each text, encoded on its own."""


def side_by_side(writings: Sequence[Counting[T]], count: Count) -> list[T]:
    """What each of the writings returns."""
    done: dict[int, T] = {}
    counted: dict[int, int | None] = dict.fromkeys(range(len(writings)))
    while counted:
        asked = {}
        for number, tokens in counted.items():
            try:
                asked[number] = next(writings[number]) if tokens is None else writings[number].send(tokens)
            except StopIteration as stop:
                done[number] = stop.value
        counted = dict(zip(asked, count(list(asked.values())), strict=True)) if asked else {}
    return [done[number] for number in range(len(writings))]


def alone(writing: Counting[T], count: Callable[[str], int]) -> T:
    """What one writing returns, with the tokens of one text counted at a time."""
    return side_by_side([writing], lambda texts: list(map(count, texts)))[0]
