"""What goes wrong, counted."""

import pytest

from kveval.wording.format import fault_counts
from tests.analysis.scores import cells_of, counted, find, pair, score


def test_faults_are_rates_on_both_sides_of_the_pairs():
    found = find(pair(lambda i: i > 3, auto_right=lambda i: i > 1))
    (cell,) = found.cells
    assert counted(cell.faults_baseline) == {"near value": {"count": 2, "of": 200, "unit": "answers"}}
    assert counted(cell.faults) == {"near value": {"count": 4, "of": 200, "unit": "answers"}}
    assert cell.lost_to == {"near value": 2}
    assert found.baselines[0].faults == cell.faults_baseline


def test_copies_are_counted_in_words_and_splices_in_passages():
    scores = [score("auto", i, copy=True) for i in range(10)]
    scores += [score("fp8", i, i > 0, value=float(i > 0), copy=True, spliced=int(i == 0)) for i in range(10)]
    assert counted(cells_of(scores)["fp8"].faults) == {
        "words replaced": {"count": 3, "of": 500, "unit": "words"},
        "words dropped": {"count": 1, "of": 500, "unit": "words"},
        "splices": {"count": 1, "of": 10, "unit": "passages"},
    }


def test_what_the_baseline_did_wrong_too_was_not_lost():
    scores = [score("auto", 0, False, value=0.9, copy=True, substituted=2, dropped=1)]
    scores += [score("fp8", 0, False, value=0.8, copy=True, substituted=7, dropped=1)]
    assert cells_of(scores)["fp8"].lost_to == {"words replaced": 5}


def test_flags_count_whether_the_answer_is_right_or_not_and_are_no_reason_of_a_loss():
    scores = pair(lambda i: i != 3, n=40)
    scores[41]["flags"], scores[43]["flags"] = ["truncated"], ["repetition", "truncated"]
    cell = cells_of(scores)["fp8"]
    assert list(cell.faults) == ["near value", "cut at the answer budget", "repetition"]
    assert cell.faults["cut at the answer budget"].count == 2
    assert cell.lost_to == {"near value": 1}


def test_only_pairs_are_counted():
    scores = pair(lambda i: i > 3, n=40)
    scores[0] = score("auto", 0, status="error")
    assert cells_of(scores)["fp8"].faults["near value"].as_json() == {"count": 3, "of": 39, "unit": "answers"}


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"near value": 2, "other": 1}, "2 near values, 1 other"),
        ({"words dropped": 1, "splices": 1}, "1 word dropped, 1 splice"),
        ({}, ""),
    ],
)
def test_counts_in_words(counts, text):
    assert fault_counts(counts) == text
