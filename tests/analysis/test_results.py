"""Reports of whole runs that are made without an engine."""

import json

from kveval.analysis.results import build_report
from kveval.report.markdown import markdown
from tests.stored_runs import careful


def cell(report, task, length, arm="fp8"):
    return next(c for c in report.cells if (c.task, c.length, c.arm) == (task, length, arm))


def test_what_was_lost_is_found_where_it_was_lost(run):
    report = build_report(run())
    assert cell(report, "evidence", 4096).lost == cell(report, "copy", 4096).lost == 0
    assert cell(report, "evidence", 5120).lost == cell(report, "copy", 5120).lost == 8
    assert cell(report, "copy", 5120).lost_to == {"words dropped": 8}
    assert cell(report, "evidence", 5120, "control").lost == 0
    assert cell(report, "evidence", 5120).excess.difference == -1.0
    assert not report.incomplete


def test_the_worst_pairs_have_both_outputs(run):
    pairs = build_report(run()).worst_pairs
    assert [(pair.task, pair.length) for pair in pairs] == [("evidence", 5120)] * 5 + [("copy", 5120)] * 5
    assert all(pair.gold[0] in pair.output_baseline for pair in pairs)
    assert all(pair.output != pair.output_baseline for pair in pairs)


def test_questions_without_their_documents_are_asked_of_the_baseline_aclosed_book(run):
    directory = run()
    report = build_report(directory)
    closed_book = [record for record in directory.read_samples() if not record.with_document]
    assert len(closed_book) == 16
    assert {task.task: (task.n, task.right) for task in report.without_document} == {
        "evidence": (8, 0),
        "copy": (8, 0),
    }
    assert (report.arms["auto"].samples, report.arms["fp8"].samples) == (48, 32)
    assert all(record.prompt_tokens < 400 for record in closed_book)
    assert not any("without the document" in remark for remark in report.remarks)


def test_what_is_answered_without_the_document_is_flagged(run):
    report = build_report(run(lambda _, sample: sample.gold[0]))
    assert any(
        remark.startswith("evidence: 8 of 8 questions are answered correctly without the document")
        for remark in report.remarks
    )


def test_a_control_that_differs_is_no_control(run):
    report = build_report(run(lambda arm, sample: "nothing" if arm == "control" else sample.gold[0], samples=60))
    remarks = [remark for remark in report.remarks if remark.startswith("The control differs from auto on")]
    assert len(remarks) == 4
    assert remarks[0].startswith("The control differs from auto on evidence at 4k (−100.0 pt")


def test_failed_requests_leave_their_pairs(run):
    report = build_report(
        run(lambda arm, sample: None if arm == "fp8" and sample.id.endswith("-0") else careful(arm, sample))
    )
    assert (cell(report, "evidence", 4096).n, cell(report, "evidence", 4096).errors) == (6, 2)
    assert report.arms["fp8"].error_kinds == {"HTTP 500: out of luck": 8}
    assert report.incomplete


def test_every_part_of_the_report_is_written(run):
    directory = run()
    text = markdown(build_report(directory))
    for title in (
        "By task and length",
        "Engines",
        "What goes wrong",
        "By depth",
        "Tokens against auto",
        "Beyond the control",
        "Closed-book",
        "Worst pairs",
    ):
        assert f"\n## {title}\n" in text
    assert "number_match v1" in text
    assert "copy_fidelity v1" in text
    assert json.loads(directory.report_json.read_text()) == json.loads(json.dumps(build_report(directory).as_json()))


def test_what_was_not_tested_follows_from_what_was_run(run):
    report = build_report(run(lambda *_: "one", engine_args=("--tensor-parallel-size=2",)))
    assert report.not_tested == (
        "lengths above 5k, long generation (no answer is longer than 1 token), tensor-parallel sizes other than 2, other "
        "engine arguments, models or machines"
    )


def test_rows_that_a_length_does_not_hold_are_counted_and_on_no_arm(run, tmp_path):
    rows = [
        {"id": str(n), "document": f"Fee {n}: {1000 + n} euros. " + "word " * (5000 if n < 2 else 5), "question": f"Fee {n}?",
         "answer": str(1000 + n)}
        for n in range(10)
    ]  # fmt: skip
    (tmp_path / "fees.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = {"tasks": (str(tmp_path / "fees.jsonl"), "evidence"), "lengths": (4096, 8192), "samples": 9}
    report = build_report(run(**given))
    assert [each.as_json() for each in report.left_out] == [{"task": "fees", "length": 4096, "rows": 2, "of": 9}]
    assert "fees at 4k: 2 of 9 rows left out on every arm, since their documents are longer." in report.remarks
    assert [cell(report, "fees", length).n for length in given["lengths"]] == [7, 9]
    assert "1 row of fees beyond --samples 9" in report.not_tested
    assert "7 to 9 questions on up to " in markdown(report)
