"""Cells and verdicts from scores that are made by hand."""

import pytest

from kveval.degradation import counted, find_degradation

ARMS = {
    "auto": {"kv_dtype_effective": "bfloat16"},
    "control": {"kv_dtype_effective": "bfloat16"},
    "fp8": {"kv_dtype_effective": "fp8_e4m3"},
}


def score(arm, index, right=True, *, status="scored", questions=1, value=None, copy=False, **more):
    record = {
        "sample_id": f"s{index}",
        "arm": arm,
        "task": "copy" if copy else "evidence",
        "length": 8192,
        "document_id": f"d{index // questions}",
        "kind": "name",
        "depth": 0.5,
        "answer_type": "copy" if copy else "number",
        "guess": 0.0 if copy else 0.1,
        "status": status,
    }
    if status != "scored":
        return record
    return record | {
        "answer_tokens": 5,
        "truncated": False,
        "value": float(right) if value is None else value,
        "right": right,
        "reason": "right" if right else "near value",
        "flags": [],
        "token_diff": 0.0 if right else 0.4,
        "first_divergence": None if right else 2,
        "substituted": 0 if right else 3,
        "dropped": 0 if right else 1,
        "inserted": 0,
        "spliced": 0,
        **more,
    }


def judge(scores, arms=ARMS, **options):
    baselines, cells = find_degradation(
        scores, {a: arms[a] for a in dict.fromkeys(s["arm"] for s in scores)}, **options
    )
    return baselines, {cell["arm"]: cell for cell in cells}


def pair(fp8_right, n=200, auto_right=lambda _: True, **options):
    """Baseline and fp8 over n documents of one question, right where the functions say so."""
    return [score("auto", i, auto_right(i), **options) for i in range(n)] + [
        score("fp8", i, fp8_right(i), **options) for i in range(n)
    ]


def test_losses_and_gains_are_counted_over_pairs():
    _, cells = judge(pair(lambda i: i >= 12, auto_right=lambda i: i != 50))
    cell = cells["fp8"]
    assert (cell["n"], cell["right_baseline"], cell["right"], cell["lost"], cell["gained"]) == (200, 199, 188, 12, 1)
    assert cell["difference"] == pytest.approx(-11 / 200)
    assert cell["interval"][0] < cell["difference"] < cell["interval"][1]
    assert cell["token_diff"] == pytest.approx(12 * 0.4 / 200)
    assert cell["identical"] == 188
    assert cell["verdict"] == "degraded"
    assert cell["because"] == "12 near value"


def test_no_flip_in_many_documents_passes_and_in_few_decides_nothing():
    assert judge(pair(lambda _: True, n=400))[1]["fp8"]["verdict"] == "pass"
    few = judge(pair(lambda _: True, n=20))[1]["fp8"]
    assert few["verdict"] == "inconclusive"
    assert "documents would decide" in few["because"]


def test_below_eight_documents_nothing_is_decided():
    cell = judge(pair(lambda _: False, n=7))[1]["fp8"]
    assert cell["verdict"] == "inconclusive"
    assert "below 8 documents nothing is decided" in cell["because"]


def test_errors_and_missing_samples_leave_the_pair_and_are_never_wrong_answers():
    scores = [score("auto", i) for i in range(100)]
    scores += [score("fp8", i, status={0: "error", 1: "missing"}.get(i, "scored")) for i in range(100)]
    scores[2] = score("auto", 2, status="error")
    cell = judge(scores)[1]["fp8"]
    assert (cell["n"], cell["lost"], cell["errors"], cell["missing"]) == (97, 0, 2, 1)


def test_many_errors_make_a_cell_invalid():
    scores = [score("auto", i) for i in range(100)]
    scores += [score("fp8", i, status="error" if i < 6 else "scored") for i in range(100)]
    cell = judge(scores)[1]["fp8"]
    assert (cell["verdict"], cell["because"]) == ("invalid", "6 of 100 requests failed")


def test_a_cell_without_pairs_is_invalid():
    scores = [score("auto", i) for i in range(9)] + [score("fp8", i, status="missing") for i in range(9)]
    cell = judge(scores)[1]["fp8"]
    assert (cell["n"], cell["missing"], cell["verdict"]) == (0, 9, "invalid")
    assert cell["difference"] is None
    assert cell["interval"] is None


def test_a_run_in_which_nothing_was_answered_has_invalid_cells():
    baselines, cells = judge([score(arm, i, status="missing") for arm in ARMS for i in range(4)])
    assert (baselines[0]["n"], baselines[0]["missing"]) == (0, 4)
    assert cells["fp8"]["verdict"] == "invalid"


@pytest.mark.parametrize(
    ("arm", "effective", "because"),
    [
        ("fp8", "bfloat16", "both arms ran with a bfloat16 cache"),
        ("fp8", "unknown", "not known"),
        ("auto", "fp8_e5m2", "already quantized"),
    ],
)
def test_arms_that_cannot_be_compared_get_no_verdict(arm, effective, because):
    arms = ARMS | {arm: {"kv_dtype_effective": effective}}
    cell = judge(pair(lambda _: True), arms)[1]["fp8"]
    assert cell["verdict"] == "invalid"
    assert because in cell["because"]


def test_a_garbage_baseline_is_invalid():
    scores = [score("auto", i, flags=["repetition"] if i < 30 else []) for i in range(100)]
    cell = judge(scores + [score("fp8", i) for i in range(100)])[1]["fp8"]
    assert (cell["verdict"], cell["because"]) == (
        "invalid",
        "the baseline answers 30 of 100 with nothing, with repetition or with unfinished reasoning",
    )


@pytest.mark.parametrize("every", [100, 9])
def test_a_baseline_no_better_than_a_guess_among_the_records_is_weak(every):
    cell = judge(pair(lambda i: i % every == 0, auto_right=lambda i: i % every == 0, n=2000))[1]["fp8"]
    assert cell["verdict"] == "weak baseline"


def test_a_baseline_that_is_cut_at_its_budget_is_invalid():
    scores = pair(lambda _: False, auto_right=lambda _: False, n=40, truncated=True)
    cell = judge(scores)[1]["fp8"]
    assert (cell["verdict"], cell["because"]) == ("invalid", "the baseline is cut at the answer budget in 40 of 40")


def test_the_control_is_measured_and_not_judged():
    scores = pair(lambda _: True) + [score("control", i, i > 5) for i in range(200)]
    cell = judge(scores)[1]["control"]
    assert (cell["lost"], cell["verdict"]) == (6, None)


def test_copies_are_judged_by_similarity():
    scores = [score("auto", i, value=1.0, copy=True) for i in range(60)]
    scores += [score("fp8", i, right=i % 2 == 0, value=0.9 if i % 2 else 1.0, copy=True) for i in range(60)]
    cell = judge(scores)[1]["fp8"]
    assert cell["measure"] == "similarity"
    assert cell["score"] == pytest.approx(0.95)
    assert cell["difference"] == pytest.approx(-0.05)
    assert (cell["lost"], cell["verdict"], cell["because"]) == (30, "degraded", "90 words replaced, 30 words dropped")


def test_faults_are_counted_on_each_arm():
    baselines, cells = judge(pair(lambda i: i > 3, auto_right=lambda i: i > 1))
    assert baselines[0]["faults"] == {"near value": 2}
    assert cells["fp8"]["faults"] == {"near value": 4}
    assert cells["fp8"]["lost_to"] == {"near value": 2}


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"near value": 2, "other": 1}, "2 near value, 1 other"),
        ({"words dropped": 1, "splices": 1}, "1 word dropped, 1 splice"),
        ({}, ""),
    ],
)
def test_counts_in_words(counts, text):
    assert counted(counts) == text
