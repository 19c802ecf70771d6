"""Writings that run together each receive the counts of their own texts."""

import pytest

from kveval.generators.counting import Counting, write_one, write_together


def writing(*texts: str) -> Counting[list[tuple[str, int]]]:
    counted = []
    for text in texts:
        tokens = yield text
        counted.append((text, tokens))
    return counted


def test_each_gets_the_counts_of_its_own_texts() -> None:
    batches: list[list[str]] = []

    def count(texts: object) -> list[int]:
        batches.append(list(texts))  # type: ignore[call-overload]
        return list(map(len, batches[-1]))

    done = write_together([writing("a", "bb", "ccc"), writing(), writing("dddd")], count)
    assert done == [[("a", 1), ("bb", 2), ("ccc", 3)], [], [("dddd", 4)]]
    assert batches == [["a", "dddd"], ["bb"], ["ccc"]]


def test_nothing_to_write() -> None:
    assert write_together([], len) == []  # type: ignore[arg-type]


def test_one_alone() -> None:
    assert write_one(writing("a", "bb"), len) == [("a", 1), ("bb", 2)]


def test_an_error_of_one_is_raised() -> None:
    def failing() -> Counting[None]:
        yield "a"
        raise ValueError("no passage")

    with pytest.raises(ValueError, match="no passage"):
        write_together([writing("a", "b"), failing()], lambda texts: [0 for _ in texts])
