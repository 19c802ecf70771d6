"""Verdicts of cells, from scores that are made by hand."""

import pytest

from tests.analysis.scores import ARMS, arm, cells_of, find, pair, score


def test_losses_and_gains_are_counted_over_pairs():
    cells = cells_of(pair(lambda i: i >= 12, auto_right=lambda i: i != 50))
    cell = cells["fp8"]
    assert (cell.n, cell.right_baseline, cell.right, cell.lost, cell.gained) == (200, 199, 188, 12, 1)
    assert cell.difference == pytest.approx(-11 / 200)
    assert cell.interval[0] < cell.difference < cell.interval[1]
    assert cell.token_diff == pytest.approx(12 * 0.4 / 200)
    assert cell.identical == 188
    assert cell.verdict == "degraded"
    assert cell.because == "12 near values"


def test_no_flip_in_many_documents_passes_and_in_few_decides_nothing():
    assert cells_of(pair(lambda _: True, n=400))["fp8"].verdict == "pass"
    few = cells_of(pair(lambda _: True, n=20))["fp8"]
    assert few.verdict == "inconclusive"
    assert "documents would decide" in few.because


def test_below_eight_documents_nothing_is_decided():
    cell = cells_of(pair(lambda _: False, n=7))["fp8"]
    assert cell.verdict == "inconclusive"
    assert "below 8 documents nothing is decided" in cell.because


def test_errors_and_missing_samples_leave_the_pair_and_are_never_wrong_answers():
    scores = [score("auto", i) for i in range(100)]
    scores += [score("fp8", i, status={0: "error", 1: "missing"}.get(i, "scored")) for i in range(100)]
    scores[2] = score("auto", 2, status="error")
    cell = cells_of(scores)["fp8"]
    assert (cell.n, cell.lost, cell.errors, cell.missing) == (97, 0, 2, 1)


def test_many_errors_make_a_cell_invalid():
    scores = [score("auto", i) for i in range(100)]
    scores += [score("fp8", i, status="error" if i < 6 else "scored") for i in range(100)]
    cell = cells_of(scores)["fp8"]
    assert (cell.verdict, cell.because) == ("invalid", "6 of 100 requests failed")


def test_a_cell_without_pairs_is_invalid():
    scores = [score("auto", i) for i in range(9)] + [score("fp8", i, status="missing") for i in range(9)]
    cell = cells_of(scores)["fp8"]
    assert (cell.n, cell.missing, cell.verdict) == (0, 9, "invalid")
    assert cell.difference is None
    assert cell.interval is None


def test_a_run_in_which_nothing_was_answered_has_invalid_cells():
    found = find([score(arm, i, status="missing") for arm in ARMS for i in range(4)])
    assert (found.baselines[0].n, found.baselines[0].missing) == (0, 4)
    assert [cell.verdict for cell in found.cells] == [None, "invalid"]


@pytest.mark.parametrize(
    ("name", "effective", "because"),
    [
        ("fp8", "bfloat16", "both arms ran with a bfloat16 cache"),
        ("fp8", "unknown", "not known"),
        ("auto", "fp8_e5m2", "already quantized"),
    ],
)
def test_arms_that_cannot_be_compared_get_no_verdict(name, effective, because):
    arms = ARMS | {name: arm(effective)}
    cell = cells_of(pair(lambda _: True), arms)["fp8"]
    assert cell.verdict == "invalid"
    assert because in cell.because


def test_a_garbage_baseline_is_invalid():
    scores = [score("auto", i, flags=["repetition"] if i < 30 else []) for i in range(100)]
    cell = cells_of(scores + [score("fp8", i) for i in range(100)])["fp8"]
    assert (cell.verdict, cell.because) == (
        "invalid",
        "30 of the baseline's 100 answers are empty, repetitive or unfinished reasoning",
    )


@pytest.mark.parametrize("every", [100, 9])
def test_a_baseline_no_better_than_a_guess_among_the_records_is_weak(every):
    cell = cells_of(pair(lambda i: i % every == 0, auto_right=lambda i: i % every == 0, n=2000))["fp8"]
    assert cell.verdict == "weak baseline"


@pytest.mark.parametrize(("right", "verdict"), [(8, "inconclusive"), (1, "weak baseline")])
def test_on_few_documents_a_baseline_is_weak_only_where_it_was_seen_to_be(right, verdict):
    cell = cells_of(pair(lambda i: i < right, auto_right=lambda i: i < right, n=8, questions=4))["fp8"]
    assert (cell.documents, cell.verdict) == (2, verdict)


@pytest.mark.parametrize(("cut", "verdict"), [(11, "invalid"), (10, "degraded")])
def test_a_budget_that_cuts_more_than_a_twentieth_is_too_small(cut, verdict):
    scores = [score("auto", i, i >= cut, truncated=i < cut) for i in range(200)]
    scores += [score("fp8", i, i >= 60) for i in range(200)]
    cell = cells_of(scores)["fp8"]
    assert cell.verdict == verdict
    if verdict == "invalid":
        assert cell.because.startswith("answer budget too small: it cuts off 11 of the baseline's 200 answers")


def test_an_answer_that_is_cut_behind_what_was_asked_for_is_none_too_short():
    cell = cells_of(pair(lambda i: i >= 20, truncated=True))["fp8"]
    assert cell.verdict == "degraded"


def test_a_changed_backend_is_named_and_the_verdict_stands():
    arms = ARMS | {"auto": arm("bfloat16", "FLASH_ATTN"), "fp8": arm("fp8_e4m3", "FLASHINFER")}
    cell = cells_of(pair(lambda i: i >= 20), arms)["fp8"]
    assert (cell.verdict, cell.confounds) == ("degraded", ("attention backend FLASH_ATTN → FLASHINFER",))


def test_a_backend_that_was_not_reported_is_no_difference():
    arms = ARMS | {"auto": arm("bfloat16", "FLASH_ATTN")}
    assert cells_of(pair(lambda i: i >= 20), arms)["fp8"].confounds == ()


def test_outputs_without_an_engine_are_judged_though_no_cache_was_read():
    arms = {"auto": arm(None), "fp8": arm(None)}
    assert cells_of(pair(lambda i: i >= 20), arms)["fp8"].verdict == "degraded"


def test_a_loss_inside_the_margin_is_said_to_be():
    scores = pair(lambda i: i >= 10, n=4000)
    cell = cells_of(scores)["fp8"]
    assert (cell.verdict, cell.because) == ("degraded", "10 near values, within margin")
    assert cells_of(scores, margin=0.001)["fp8"].because == "10 near values"


def test_the_margin_decides_what_passes():
    scores = pair(lambda i: i not in (7, 90), n=400)
    assert cells_of(scores, margin=0.05)["fp8"].verdict == "pass"
    assert cells_of(scores, margin=0.005)["fp8"].verdict == "inconclusive"


def test_pairs_without_an_answer_cannot_hide_a_loss_from_a_pass():
    """Of 400 pairs without a loss 1% may fail without hiding 2 points, and 5% may not."""
    scores = pair(lambda _: True, n=400)
    assert cells_of(scores)["fp8"].verdict == "pass"
    for index in range(396, 400):
        scores[400 + index] = score("fp8", index, status="error")
    cell = cells_of(scores)["fp8"]
    assert cell.verdict == "pass"
    for index in range(380, 396):
        scores[400 + index] = score("fp8", index, status="error")
    cell = cells_of(scores)["fp8"]
    assert cell.verdict == "inconclusive"
    assert cell.because == "5.0% of the pairs lack an answer, which may hide a loss above the margin"


def test_holm_counts_every_judged_cell_of_the_run():
    """Eight losses without a gain: p 0.008 alone, 0.047 among six cells, 0.055 among seven."""
    lossy = pair(lambda i: i >= 8, n=400)
    for others, verdict in ((5, "degraded"), (6, "inconclusive")):
        harmless = [
            record | {"length": 16384 + k, "sample_id": f"{k}-{record['sample_id']}"}
            for k in range(others)
            for record in pair(lambda _: True, n=40)
        ]
        assert find(lossy + harmless).cells[0].verdict == verdict


def test_the_control_is_measured_and_not_judged():
    scores = pair(lambda _: True) + [score("control", i, i > 5) for i in range(200)]
    cell = cells_of(scores)["control"]
    assert (cell.lost, cell.verdict) == (6, None)


def test_copies_are_judged_by_similarity():
    scores = [score("auto", i, value=1.0, copy=True) for i in range(60)]
    scores += [score("fp8", i, right=i % 2 == 0, value=0.9 if i % 2 else 1.0, copy=True) for i in range(60)]
    cell = cells_of(scores)["fp8"]
    assert cell.measure == "similarity"
    assert cell.score == pytest.approx(0.95)
    assert cell.difference == pytest.approx(-0.05)
    assert (cell.lost, cell.verdict, cell.because) == (30, "degraded", "90 words replaced, 30 words dropped")


def test_a_baseline_answer_that_is_garbage_in_two_ways_counts_once():
    """Reasoning that goes round in a loop is unfinished too: 15 of 100 such answers are no more than 20%."""
    scores = pair(lambda _: True, n=100)
    for looping in scores[:15]:
        looping["flags"] = ["repetition", "unfinished_reasoning"]
    assert cells_of(scores)["fp8"].verdict != "invalid"
    for looping in scores[:21]:
        looping["flags"] = ["repetition", "unfinished_reasoning"]
    assert cells_of(scores)["fp8"].because.startswith("21 of the baseline's 100 answers are empty")
