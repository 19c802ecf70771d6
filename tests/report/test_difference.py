"""Two texts side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kveval.report.difference import side_by_side


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("It was 0.73.", "It was 0.83.", ("It was [[0.73.]]", "It was [[0.83.]]")),
        ("the red box", "the box", ("the [[red]] box", "the [[]] box")),
        ("same\n words", "same words", ("same [[⏎]] words", "same [[]] words")),
        ("same  words", "same words", ("same words", "same words")),
        ("", "x", ("[[]]", "[[x]]")),
        ("数值是零点七三。", "数值是零点八三。", ("数值是零点 [[七]] 三。", "数值是零点 [[八]] 三。")),
        # Two equal words do not set differences apart, three do.
        ("a x b c y d", "a X b c Y d", ("a [[x b c y]] d", "a [[X b c Y]] d")),
        ("a x b c e y d", "a X b c e Y d", ("a [[x]] b c e [[y]] d", "a [[X]] b c e [[Y]] d")),
    ],
)
def test_what_differs_is_marked(a, b, shown):
    assert side_by_side(a, b) == shown


def test_long_equal_stretches_are_left_out():
    same = " ".join(f"w{i}" for i in range(100))
    a, b = side_by_side(f"{same} x {same} y {same}", f"{same} X {same} Y {same}")
    assert a == "… w94 w95 w96 w97 w98 w99 [[x]] w0 w1 w2 w3 w4 w5 … w94 w95 w96 w97 w98 w99 [[y]] w0 w1 w2 w3 w4 w5 …"
    assert b == a.replace("x]", "X]").replace("y]", "Y]")


def test_long_differences_and_many_are_cut_and_counted():
    a, _ = side_by_side("x " * 100, "y")
    assert a.endswith("… (60 more words)]]")
    many = side_by_side(" ".join(f"s t u {i}" for i in range(20)), " ".join(f"s t u -{i}" for i in range(20)))
    assert all(side.endswith("… (8 more places)") for side in many)


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_raises_and_equal_words_show_no_difference(a, b):
    shown = side_by_side(a, b)
    assert ("[[" in "".join(shown)) or a.split() == b.split() or "[[" not in "".join(side_by_side(a, a))
    assert side_by_side(a, a)[0] == side_by_side(a, a)[1]
