"""Answers that nobody knows to be right: compared, and not judged."""

import pytest

from kveval.wording.sentences import conclusion
from tests.analysis.scores import ARMS, cells_of, find, score


def free(arm, similarity, *, n=64, **more):
    return [
        score(arm, i, similarity(i) == 1.0, value=similarity(i), answer_type="free", metric="text_similarity", **more)
        for i in range(n)
    ]


@pytest.fixture
def scores():
    return [
        *free("auto", lambda _: 1.0, token_diff=0.0),
        *free("control", lambda i: 0.9 if i < 2 else 1.0, token_diff=0.01),
        *free("fp8", lambda i: 0.5 if i < 16 else 1.0, token_diff=0.05),
    ]


def test_there_is_no_verdict_and_the_control_stands_beside(scores):
    cells = cells_of(scores, ARMS | {"control": ARMS["auto"]})
    cell = cells["fp8"]
    assert (cell.verdict, cell.measure, cell.p_adjusted) == (None, "similarity", None)
    assert cell.because == "not judged: no answer is known to be right"
    assert cell.score == pytest.approx(1 - 16 * 0.5 / 64)
    assert cell.lost == 16
    assert cell.excess.difference == pytest.approx(-16 * 0.5 / 64 + 2 * 0.1 / 64)
    said = conclusion("fp8", list(cells.values()))
    assert said == "fp8: not judged on evidence at 8k: 5.0% of tokens differ (control 1.0%)."


def test_cells_without_a_verdict_do_not_weigh_on_those_with_one(scores):
    judged = [score(arm, i, arm == "auto" or i >= 8, length=4096) for arm in ("auto", "fp8") for i in range(64)]
    alone = next(cell for cell in find(judged).cells if cell.arm == "fp8")
    beside = next(cell for cell in find(judged + scores).cells if cell.arm == "fp8" and cell.length == 4096)
    assert beside.p_adjusted == alone.p_adjusted


def test_two_arms_with_one_cache_are_invalid_all_the_same(scores):
    cell = cells_of(scores, ARMS | {"fp8": ARMS["auto"], "control": ARMS["auto"]})["fp8"]
    assert cell.verdict == "invalid"


def test_prompts_that_are_not_padded_have_up_to_a_length():
    scores = [score(arm, i, padded=False) for arm in ("auto", "fp8") for i in range(64)]
    cells = list(cells_of(scores).values())
    assert conclusion("fp8", cells).endswith("on evidence at ≤ 8k.")
