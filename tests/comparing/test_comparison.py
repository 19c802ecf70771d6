"""Two folders of lm-evaluation-harness → cells, verdicts and what has to be known beside them."""

import io
import math
import random
import re
import shutil
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from kveval.comparing import compare
from kveval.errors import UsageError
from kveval.report.console import print_comparison
from kveval.report.markdown import comparison
from tests.comparing.results import REAL, line, lines, write

AUTO, FP8 = "kv_cache_dtype=auto", "kv_cache_dtype=fp8"


def pair(folder, before, after, **options):
    """Two folders with the task `sums`, and their comparison."""
    auto = write(folder / "a", before if isinstance(before, dict) else {"sums": before}, model_args=AUTO)
    fp8 = write(folder / "b", after if isinstance(after, dict) else {"sums": after}, model_args=FP8)
    return compare(str(auto), str(fp8), **options)


def only(report):
    (cell,) = report.cells
    return cell


def said(report, part):
    return any(part in remark for remark in report.remarks)


def test_the_paired_test_sees_what_the_unpaired_does_not(tmp_path):
    """200 samples, 159 right before; 22 are lost and 7 gained."""
    n, right, lost, gained = 200, 159, 22, 7
    report = pair(tmp_path, lines(n, lambda i: i < right), lines(n, lambda i: lost <= i < right + gained))
    before, after = (share * (1 - share) / (n - 1) for share in (right / n, (right - lost + gained) / n))
    z = (lost - gained) / n / math.sqrt(before + after)  # lm-eval's comparison of two means by their standard errors
    assert 2 * NormalDist().cdf(-z) == pytest.approx(0.080, abs=0.001)
    cell = only(report)
    assert (cell.n, cell.lost, cell.gained, cell.verdict) == (n, lost, gained, "degraded")
    assert cell.p == pytest.approx(0.008, abs=0.0005)
    assert report.conclusions[0].startswith("fp8: degraded on sums exact_match: right 79.5% → 72.0%")


def test_real_results_are_compared(tmp_path):
    other = tmp_path / "fp8"
    shutil.copytree(REAL, other)
    report = compare(str(REAL), str(other))
    assert [cell.task for cell in report.cells] == [
        "overlap f1_like",
        "pick acc_norm",
        "sums exact_match (flexible-extract)",
        "sums exact_match (strict-match)",
    ]
    assert [cell.measure for cell in report.cells] == ["similarity", "right", "right", "right"]
    assert report.cells[1].guess == 0.25
    assert said(report, "roll is left out")
    assert said(report, "word_perplexity, bits_per_byte (made of several figures")
    assert said(report, "--metric picks others (acc, acc_mutual_info)")
    assert said(report, "responses of auto and fp8 are the same")
    assert said(report, "Both requested the same cache")


def test_enough_samples_without_a_flip_pass(tmp_path):
    assert only(pair(tmp_path, lines(400), lines(400))).verdict == "pass"


def test_an_inconclusive_cell_says_how_many_samples_would_decide(tmp_path):
    cell = only(pair(tmp_path, lines(60), lines(60, lambda i: i > 1)))
    assert cell.verdict == "inconclusive"
    assert "documents would decide" in cell.because


def test_guessing_among_choices_is_a_weak_baseline(tmp_path):
    before = [line(i, choices=4, acc=float(i % 4 == 0)) for i in range(200)]
    cell = only(pair(tmp_path, before, before))
    assert (cell.guess, cell.verdict) == (0.25, "weak baseline")


def test_holm_is_over_all_tasks(tmp_path):
    before = {task: lines(200) for task in ("one", "two", "three")}
    after = before | {"one": lines(200, lambda i: i >= 7)}
    report = pair(tmp_path, before, after)
    cell = next(cell for cell in report.cells if cell.task.startswith("one"))
    assert cell.p_adjusted == pytest.approx(3 * cell.p)


def test_the_control_is_shown_beside_and_not_judged(tmp_path):
    control = write(tmp_path / "c", {"sums": lines(99, lambda i: i > 1)}, model_args=AUTO)
    report = pair(tmp_path, lines(100), lines(100), control=str(control))
    by_arm = {cell.arm: cell for cell in report.cells}
    assert (by_arm["control"].lost, by_arm["control"].verdict, by_arm["control"].n) == (2, None, 99)
    assert said(report, "1 sample of auto and fp8 not in control")
    assert not said(report, "Noise was not measured")


def test_samples_are_matched_by_what_they_are_and_never_by_position(tmp_path):
    questions = [f"question {i}" for i in range(50)]
    before = [line(i, question=text, exact_match=float(i > 9)) for i, text in enumerate(questions)]
    after = [line(49 - i, question=text, exact_match=float(i > 9)) for i, text in enumerate(questions)]
    cell = only(pair(tmp_path, before, after))
    assert (cell.n, cell.lost, cell.gained) == (50, 0, 0)


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_lines_changes_nothing(tmp_path_factory, seed):
    rng = random.Random(seed)
    before, after = lines(30, lambda i: i % 7), lines(30, lambda i: i % 5)
    before[3]["doc"] = before[4]["doc"] = {"the": "same"}
    for sample in (before[3], before[4], after[3], after[4]):
        sample["doc_hash"], sample["prompt_hash"] = "same", "same"
    folder = tmp_path_factory.mktemp("order")
    report = pair(folder, before, after)
    rng.shuffle(before)
    rng.shuffle(after)
    assert pair(folder, before, after) == report


def test_what_one_side_lacks_is_left_out_of_both_and_named(tmp_path):
    before = [*lines(40), line(90, exact_match=1.0), line(91, exact_match=1.0, shots=1)]
    after = [*lines(40), line(80, exact_match=0.0), line(81, exact_match=0.0), line(91, exact_match=1.0)]
    report = pair(tmp_path, {"sums": before, "here": lines(9)}, {"sums": after, "there": lines(9)})
    assert only(report).n == 40
    sums = {"task": "sums", "matched": 40, "only_baseline": 1, "only_arm": 2, "other_prompt": 1}
    assert sums in [each.as_json() for each in report.left_out]
    assert said(
        report,
        "sums: samples left out of both sides: 1 only in auto, 2 only in fp8, 1 with another prompt; compared: 40.",
    )
    assert said(report, "here: samples left out of both sides: 9 only in auto; compared: 0.")
    assert said(report, "there: samples left out of both sides: 9 only in fp8")


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ({"picks": lines(9)}, r"no task in common \(sums there, picks here\)"),
        ({"sums": lines(9, name="strict")}, "no filter in common in sums"),
        ({"sums": lines(9, shots=5)}, "no prompt in common.*examples of sums 0 → 5"),
        ({"sums": [line(i, question=f"other {i}", exact_match=1.0) for i in range(9)]}, "no document in common"),
    ],
)
def test_where_nothing_matches_the_likely_reason_is_named(tmp_path, after, reason):
    auto = write(tmp_path / "a", {"sums": lines(9)})
    fp8 = write(tmp_path / "b", after, **{"n-shot": {"sums": 5}})
    with pytest.raises(UsageError, match=reason):
        compare(str(auto), str(fp8))


def test_what_differs_beside_the_cache_is_named(tmp_path):
    auto = write(tmp_path / "a", {"sums": lines(9)}, model_args=AUTO + ",max_model_len=8192")
    fp8 = write(tmp_path / "b", {"sums": lines(9)}, model_args=FP8 + ",max_model_len=4096")
    report = compare(str(auto), str(fp8))
    assert said(report, "More than the cache differs between auto and fp8: max_model_len 8192 → 4096.")
    assert said(report, "Requested as kv_cache_dtype: auto by auto, fp8 by fp8")
    assert said(compare(str(fp8), str(auto)), "are the two folders in the right order?")


def test_samples_without_a_number_leave_both_sides_and_are_counted(tmp_path):
    after = lines(100)
    after[0]["exact_match"] = float("nan")
    after[1]["exact_match"] = None
    after[2].pop("exact_match")
    report = pair(tmp_path, lines(100), after)
    cell = only(report)
    assert (cell.n, cell.errors, cell.lost) == (97, 3, 0)
    assert said(report, "fp8: 3 samples of sums exact_match without a number")
    many = [sample | {"exact_match": float("nan")} if i < 9 else sample for i, sample in enumerate(lines(100))]
    assert only(pair(tmp_path / "many", lines(100), many)).verdict == "invalid"


def test_ruler_has_its_lengths_as_metrics(tmp_path):
    def ruler(length, score, start):
        lengths = {"4096": -1.0, "8192": -1.0, "16384": -1.0}
        return [line(start + i, **lengths | {length: score(i)}) for i in range(30)]

    before = ruler("4096", lambda _: 1.0, 0) + ruler("8192", lambda _: 1.0, 100)
    after = ruler("4096", lambda _: 1.0, 0) + ruler("8192", lambda i: float(i > 9), 100)
    short, long = pair(tmp_path, {"niah_single_1": before}, {"niah_single_1": after}).cells
    assert [(cell.task, cell.length, cell.n) for cell in (short, long)] == [
        ("niah_single_1", 4096, 30),
        ("niah_single_1", 8192, 30),
    ]
    assert (short.lost, long.lost, long.verdict) == (0, 10, "degraded")


def test_values_between_right_and_wrong_are_compared_by_mean(tmp_path):
    before = [line(i, f1=0.9 if i % 2 else 1.0) for i in range(60)]
    after = [line(i, f1=0.7 if i % 2 else 1.0) for i in range(60)]
    cell = only(pair(tmp_path, before, after))
    assert (cell.measure, cell.verdict, cell.because) == ("similarity", "degraded", "30 below full marks")
    assert cell.difference == pytest.approx(-0.1)


def test_where_less_is_better_it_is_turned_round(tmp_path):
    auto = write(tmp_path / "a", {"sums": [line(i, wer=0.1) for i in range(20)]}, better={"sums": {"wer": False}})
    fp8 = write(tmp_path / "b", {"sums": [line(i, wer=0.3) for i in range(20)]})
    cell = only(compare(str(auto), str(fp8)))
    assert (cell.task, cell.verdict) == ("sums 1 − wer", "degraded")
    assert cell.score_baseline == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-12.5, "values from -12.5 to -12.5"),
        ([-3.2, 17], "made of several figures"),
        ("yes", "text"),
        ("", "text"),
        (float("nan"), "no number in any sample"),
    ],
)
def test_a_metric_that_cannot_be_compared_is_refused_by_name(tmp_path, value, reason):
    samples = [line(i, odd=value) for i in range(9)]
    with pytest.raises(UsageError, match=f"Nothing can be compared.*odd .*{reason}"):
        pair(tmp_path, samples, samples)
    with pytest.raises(UsageError, match=f"--metric odd of sums cannot be compared: .*{reason}"):
        pair(tmp_path, samples, samples, metrics=["odd"])


def test_metrics_can_be_picked_with_or_without_a_filter(tmp_path):
    def samples(right):
        return [line(i, name=name, acc=right, exact_match=right) for name in ("loose", "strict") for i in range(9)]

    def tasks(*metrics):
        return [cell.task for cell in pair(tmp_path, samples(1.0), samples(0.0), metrics=metrics).cells]

    assert tasks() == ["sums exact_match (loose)", "sums exact_match (strict)"]
    assert tasks("acc") == ["sums acc (loose)", "sums acc (strict)"]
    assert tasks("acc,strict", "exact_match,loose") == ["sums acc (strict)", "sums exact_match (loose)"]
    with pytest.raises(
        UsageError, match=r"--metric f1 is not a metric of any common task: choose from acc, exact_match"
    ):
        tasks("f1")


def test_booleans_are_right_and_wrong(tmp_path):
    cell = only(pair(tmp_path, [line(i, acc=True) for i in range(9)], [line(i, acc=i > 0) for i in range(9)]))
    assert (cell.lost, cell.measure) == (1, "right")


def test_a_baseline_of_empty_answers_is_invalid(tmp_path):
    empty = [sample | {"resps": [[""]]} for sample in lines(40)]
    cell = only(pair(tmp_path, empty, lines(40)))
    assert (cell.verdict, "answers are empty" in cell.because) == ("invalid", True)


def test_answers_that_the_filter_did_not_find_are_told_apart(tmp_path):
    after = lines(60, lambda i: i > 9)
    for sample in after[:4]:
        sample["filtered_resps"] = ["[invalid]"]
    cell = only(pair(tmp_path, lines(60), after))
    assert cell.because == "6 wrong, 4 no answer found"


def test_sampling_is_pointed_out(tmp_path):
    drawn = lines(9)
    for sample in drawn:
        sample["arguments"]["gen_args_0"]["arg_1"] = {"temperature": 0.8}
    assert said(pair(tmp_path, drawn, drawn), "sampled at a temperature above 0")


def test_the_same_results_twice_are_refused(tmp_path):
    auto = str(write(tmp_path, {"sums": lines(9)}))
    with pytest.raises(UsageError, match="is given twice"):
        compare(auto, auto + "/")


@pytest.mark.parametrize("show", ["console", "markdown"])
def test_what_there_is_not_stands_in_no_column(tmp_path, show):
    report = pair(tmp_path, lines(60), lines(60, lambda i: i > 11))
    out = io.StringIO()
    print_comparison(Console(file=out, width=140), report, None)
    text = out.getvalue() if show == "console" else comparison(report)
    for part in (
        "sums exact_match",
        "100.0%",
        "80.0%",
        "degraded: 12 wrong",
        "are unknown",
        "Noise was not measured",
    ):
        assert part in text
    assert "token diff (control)" not in text
    assert not re.search(r"\| length \||task +length", text)
