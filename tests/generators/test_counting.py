"""Documents written side by side: each goes on with the counts of its own texts."""

import pytest

from kveval.generators.counting import Counting, alone, side_by_side


def writing(*texts: str) -> Counting[list[tuple[str, int]]]:
    counted = []
    for text in texts:
        tokens = yield text
        counted.append((text, tokens))
    return counted


def test_each_gets_the_counts_of_its_own_texts() -> None:
    asked: list[list[str]] = []

    def count(texts: object) -> list[int]:
        asked.append(list(texts))  # type: ignore[call-overload]
        return list(map(len, asked[-1]))

    done = side_by_side([writing("a", "bb", "ccc"), writing(), writing("dddd")], count)
    assert done == [[("a", 1), ("bb", 2), ("ccc", 3)], [], [("dddd", 4)]]
    assert asked == [["a", "dddd"], ["bb"], ["ccc"]]


def test_nothing_to_write() -> None:
    assert side_by_side([], len) == []  # type: ignore[arg-type]


def test_one_alone() -> None:
    assert alone(writing("a", "bb"), len) == [("a", 1), ("bb", 2)]


def test_an_error_of_one_is_raised() -> None:
    def failing() -> Counting[None]:
        yield "a"
        raise ValueError("no passage")

    with pytest.raises(ValueError, match="no passage"):
        side_by_side([writing("a", "b"), failing()], lambda texts: [0 for _ in texts])
