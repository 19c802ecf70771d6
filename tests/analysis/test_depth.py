"""Right answers by depth."""

import pytest

from tests.analysis.scores import cells_of, score


def test_losses_and_gains_stand_apart_in_each_fifth():
    depths = [0.0, 0.19, 0.2, 0.5, 0.99, 1.0]
    auto = [score("auto", i, i != 1, depth=depth) for i, depth in enumerate(depths)]
    fp8 = [score("fp8", i, i not in (0, 5), depth=depth) for i, depth in enumerate(depths)]
    parts = cells_of(auto + fp8)["fp8"].depths
    assert [(part.start, part.end, part.n) for part in parts] == [
        (0.0, 0.2, 2),
        (0.2, 0.4, 1),
        (0.4, 0.6, 1),
        (0.8, 1.0, 2),
    ]
    assert [(part.lost, part.gained) for part in parts] == [(1, 1), (0, 0), (0, 0), (1, 0)]
    assert (parts[0].right_baseline, parts[0].right) == (1, 1)


def test_questions_without_a_depth_are_in_no_part():
    scores = [score(arm, i, depth=None if i else 0.5) for arm in ("auto", "fp8") for i in range(3)]
    assert [part.n for part in cells_of(scores)["fp8"].depths] == [1]


def test_copies_have_their_mean_similarity():
    scores = [score("auto", i, copy=True, value=1.0) for i in range(2)]
    scores += [score("fp8", i, copy=True, value=0.5 * i) for i in range(2)]
    (part,) = cells_of(scores)["fp8"].depths
    assert (part.score_baseline, part.score) == (1.0, pytest.approx(0.25))
