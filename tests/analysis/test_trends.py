"""Whether a loss grows with the length."""

import pytest

from tests.analysis.scores import find, score

LENGTHS = (8192, 16384, 32768)


def run(lost_at, n=40, questions=1):
    return [
        score(arm, i, arm == "auto" or i >= lost_at[length], length=length, questions=questions)
        for length in lost_at
        for arm in ("auto", "fp8")
        for i in range(n)
    ]


def test_a_loss_that_grows_is_found():
    (trend,) = find(run(dict(zip(LENGTHS, (0, 4, 8), strict=True)))).trends
    assert (trend.task, trend.arm, trend.lengths) == ("evidence", "fp8", LENGTHS)
    assert trend.per_doubling == pytest.approx(-0.1)
    assert trend.p < 0.01


def test_the_same_loss_at_every_length_is_no_trend():
    (trend,) = find(run(dict.fromkeys(LENGTHS, 4))).trends
    assert trend.per_doubling == pytest.approx(0.0)
    assert trend.p > 0.5


def test_documents_are_permuted_and_not_questions():
    """Two documents of ten questions lost whole at one length: 20 of 80 questions, and no more than two of eight documents."""
    (trend,) = find(run({8192: 0, 16384: 20}, n=80, questions=10)).trends
    assert trend.per_doubling == pytest.approx(-0.25)
    assert trend.p > 0.2


@pytest.mark.parametrize("scores", [run({8192: 3}), run({8192: 0, 16384: 7}, n=7)])
def test_one_length_or_few_documents_show_no_trend(scores):
    assert find(scores).trends == ()


def test_a_baseline_that_cannot_do_the_task_shows_no_trend():
    scores = [score(arm, i, False, length=length) for length in LENGTHS for arm in ("auto", "fp8") for i in range(40)]
    assert find(scores).trends == ()
