"""Differences between outputs, and what goes beyond the control's."""

import numpy as np
import pytest

from tests.analysis.scores import cells_of, pair, score


def diverging(arm, firsts, answer_tokens=100, **more):
    """Scores of an arm whose outputs leave the baseline's at these tokens; None for never."""
    return [
        score(
            arm,
            i,
            first_divergence=first,
            token_diff=0.0 if first is None else 0.5,
            answer_tokens=answer_tokens,
            **more,
        )
        for i, first in enumerate(firsts)
    ]


def test_outputs_that_never_differ_are_censored():
    """10 of 20 diverge at token 4, the others end equal after 100 tokens: half are equal to any number of tokens known."""
    cell = cells_of(diverging("auto", [None] * 20) + diverging("fp8", [4] * 10 + [None] * 10))["fp8"]
    assert cell.divergence.never == 10
    assert cell.divergence.median == 4
    assert cell.divergence.still_equal == {"1": 1.0, "4": 1.0, "16": 0.5, "64": 0.5}
    assert cell.identical == 10


def test_survival_is_the_product_of_the_steps():
    """Kaplan and Meier by hand: of three, one ends equal after 2 tokens, one differs at 3, one at 10."""
    scores = diverging("auto", [None] * 3) + diverging("fp8", [None, 3, 10])
    scores[3]["answer_tokens"] = 2
    divergence = cells_of(scores)["fp8"].divergence
    assert divergence.still_equal["4"] == pytest.approx(1 / 2)
    assert divergence.still_equal["16"] == 0.0
    assert divergence.median == 3


def test_more_than_half_that_never_differ_have_no_median():
    cell = cells_of(diverging("auto", [None] * 9) + diverging("fp8", [4] * 4 + [None] * 5))["fp8"]
    assert cell.divergence.median is None


def test_an_arm_that_differs_as_the_control_does_shows_no_excess():
    rng = np.random.default_rng(0)

    def noisy(arm):
        return [score(arm, i, bool(right)) for i, right in enumerate(rng.random(400) > 0.05)]

    excess = cells_of(noisy("auto") + noisy("control") + noisy("fp8"))["fp8"].excess
    for name in ("flips_interval", "token_diff_interval", "interval"):
        assert getattr(excess, name)[0] < 0 < getattr(excess, name)[1]
    assert excess.p > 0.05


def test_an_arm_that_differs_more_shows_it():
    scores = [score("auto", i) for i in range(200)] + [score("control", i, i >= 4) for i in range(200)]
    excess = cells_of(scores + [score("fp8", i, i < 160) for i in range(200)])["fp8"].excess
    assert excess.n == 200
    assert excess.flips == pytest.approx(36 / 200)
    assert excess.difference == pytest.approx(-36 / 200)
    assert excess.token_diff == pytest.approx(0.4 * 36 / 200)
    assert (excess.earlier, excess.later) == (40, 4)
    assert excess.token_diff_interval[0] > 0
    assert excess.p < 0.001


def test_never_diverging_is_later_than_any_divergence():
    scores = diverging("auto", [None] * 3) + diverging("control", [5, None, 7])
    excess = cells_of(scores + diverging("fp8", [None, 900, 7], answer_tokens=1000))["fp8"].excess
    assert (excess.earlier, excess.later) == (1, 1)


def test_only_samples_that_all_three_answered_are_compared():
    scores = pair(lambda i: i > 10, n=40) + [
        score("control", i, status="scored" if i > 5 else "error") for i in range(40)
    ]
    assert cells_of(scores)["fp8"].excess.n == 34


def test_without_a_control_there_is_no_excess():
    assert cells_of(pair(lambda _: True))["fp8"].excess is None


def test_outputs_without_tokens_are_compared_by_their_scores_alone():
    scores = [record | {"token_diff": None, "first_divergence": None} for record in pair(lambda i: i > 10)]
    cell = cells_of(scores)["fp8"]
    assert (cell.token_diff, cell.divergence, cell.identical) == (None, None, None)
    assert cell.lost == 11


def test_all_of_the_excess_is_over_the_samples_that_all_three_answered():
    scores = [score("auto", i, status="error" if i < 10 else "scored") for i in range(60)]
    scores += [score("control", i) for i in range(60)]
    scores += [score("fp8", i, i >= 10) for i in range(60)]
    excess = cells_of(scores)["fp8"].excess
    assert (excess.n, excess.difference, excess.flips) == (50, 0.0, 0.0)
