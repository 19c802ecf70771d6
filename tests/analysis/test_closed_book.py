"""Questions that are answered without their documents."""

import pytest

from kveval.analysis import closed_book
from tests.analysis.scores import score, typed


@pytest.mark.parametrize(("right", "answerable"), [(0, False), (4, False), (6, True)])
def test_more_right_answers_than_guessing_reaches_are_flagged(right, answerable):
    (record,) = closed_book(typed([score("auto", i, i < right) for i in range(20)]))
    assert (record.task, record.n, record.right, record.guess) == ("evidence", 20, right, 0.1)
    assert record.answerable is answerable


def test_half_a_copied_passage_counts_as_known():
    (record,) = closed_book(typed([score("auto", i, False, value=0.5, copy=True) for i in range(3)]))
    assert (record.right, record.answerable) == (3, True)


def test_questions_without_an_answer_are_not_counted():
    assert closed_book(typed([score("auto", 0, status="error")])) == ()
