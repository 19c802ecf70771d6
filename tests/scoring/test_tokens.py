"""Token differences: known values, and properties of a distance."""

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kveval.scoring import TokenDiff, token_diff

ids = st.lists(st.integers(0, 200_000), max_size=40)


@pytest.mark.parametrize(
    ("a", "b", "rate", "first"),
    [
        ([], [], 0.0, None),
        ([1, 2, 3], [1, 2, 3], 0.0, None),
        ([1, 2, 3], [1, 2, 4], 1 / 3, 2),
        ([1, 2, 3], [1, 2], 1 / 3, 2),
        ([1, 2], [1, 2, 3, 4], 0.5, 2),
        ([], [5, 6], 1.0, 0),
        ([1, 2, 3, 4], [2, 3, 4, 5], 0.5, 0),  # one in, one out: not four replaced
        ([1, 2], [3, 4], 1.0, 0),
    ],
)
def test_known(a: list[int], b: list[int], rate: float, first: int | None) -> None:
    assert token_diff(a, b) == TokenDiff(pytest.approx(rate), first)  # type: ignore[arg-type]


def test_any_sequence_type() -> None:
    assert token_diff((1, 2, 3), range(1, 4)) == TokenDiff(0.0, None)


@given(ids, ids)
def test_symmetric_and_bounded(a: list[int], b: list[int]) -> None:
    diff = token_diff(a, b)
    assert diff == token_diff(b, a)
    assert 0.0 <= diff.rate <= 1.0
    assert (diff.rate == 0.0) == (diff.first_divergence is None) == (a == b)


@given(ids, ids, ids)
def test_first_divergence_is_where_the_common_start_ends(start: list[int], a: list[int], b: list[int]) -> None:
    first = token_diff([*start, *a], [*start, *b]).first_divergence
    if first is not None:
        assert [*start, *a][:first] == [*start, *b][:first]
        assert [*start, *a][first : first + 1] != [*start, *b][first : first + 1]
    else:
        assert a == b


@given(ids, st.integers(0, 39), st.integers(0, 200_000))
def test_one_replaced_token(a: list[int], place: int, new: int) -> None:
    if place < len(a) and a[place] != new:
        b = [*a[:place], new, *a[place + 1 :]]
        assert token_diff(a, b) == TokenDiff(pytest.approx(1 / len(a)), place)  # type: ignore[arg-type]


def test_speed() -> None:
    rng = random.Random(0)
    pairs = [[rng.randrange(128_000) for _ in range(1000)] for _ in range(200)]
    started = time.process_time()
    for a, b in pairwise(pairs):
        token_diff(a, b)
    assert time.process_time() - started < 1.0  # 0.02 s here
