import json

import pytest

from kveval.scoring.score_outputs import read_run, score_run
from kveval.scoring.score_outputs import score_sample as score_records
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import OutputRecord, SampleRecord

NUMBER = {
    "id": "e-0",
    "task": "evidence",
    "length": 8192,
    "document_id": "d",
    "kind": "name",
    "depth": 0.5,
    "answer_type": "number",
    "guess": 0.1,
    "prompt_hash": "h",
    "prompt_tokens": 8128,
    "max_answer_tokens": 64,
    "question": "What was the drift of Oslan?",
    "gold": ["0.73"],
    "distractors": ["0.83", "0.37", "4.1"],
}
COPY = NUMBER | {
    "id": "c-0",
    "task": "copy",
    "answer_type": "copy",
    "gold": ["The cat sat on 14 mats, said Ann."],
    "distractors": [],
}


def output(text, ids=(1, 2, 3), finish="stop", sample_id="e-0", error=None, prompt_hash="h"):
    return {
        "sample_id": sample_id,
        "prompt_hash": prompt_hash,
        "error": error,
        "text": text,
        "token_ids": list(ids),
        "finish_reason": finish,
        "total_s": 0.2,
    }


def score_sample(sample, document, arm, record, baseline):
    """A score, from the fields of a sample and of outputs."""
    outputs = [one and OutputRecord.model_validate(one) for one in (record, baseline)]
    return score_records(SampleRecord.model_validate(sample), document, arm, *outputs)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The drift was 0.73.", "right"),
        ("0.83", "near value"),
        ("4.1", "other record"),
        ("I cannot tell.", "no number"),
        ("56", "other"),
        ("Either 0.73 or 0.83.", "hedged"),
    ],
)
def test_wrong_numbers_say_which_kind(text, reason):
    score = score_sample(NUMBER, "", "fp8", output(text), None)
    assert (score.reason, score.right, score.status) == (reason, reason == "right", "scored")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("14 March 1987", "right"),
        ("It was March 14, 1987.", "right"),
        ("24 March 1987", "other"),
        ("15 March 1987", "other record"),
        ("not stated", "not stated"),
        ("未提及", "not stated"),
        ("It is not clear.", "other"),
        ("14 March 1987 or 15 March 1987", "hedged"),
        ("", "no answer"),
    ],
)
def test_texts_are_compared_as_texts(text, reason):
    sample = NUMBER | {
        "answer_type": "text",
        "gold": ["14 March 1987", "March 14, 1987"],
        "distractors": ["15 March 1987"],
    }
    score = score_sample(sample, "", "fp8", output(text), None)
    assert (score.reason, score.right) == (reason, reason == "right")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Not stated.", "right"),
        ("0.83", "invented"),
        ("56", "invented"),
        ("not stated, but perhaps 0.83", "invented"),
        ("The report does not say.", "other"),
        ("The report does not say it of group 17.", "other"),
        ("报告没有写第１７组。", "other"),
        ("Group 17: 56", "invented"),
        ("", "no answer"),
    ],
)
def test_a_value_that_the_document_does_not_hold_is_invented(text, reason):
    sample = NUMBER | {"answer_type": "text", "kind": "absent", "depth": None, "gold": ["not stated"]}
    sample["question"] = "What was the drift of group 17?"
    score = score_sample(sample, "", "fp8", output(text), None)
    assert (score.reason, score.right) == (reason, reason == "right")


def test_token_differences_are_taken_against_the_baseline():
    score = score_sample(NUMBER, "", "fp8", output("x", (1, 2, 4, 5)), output("x", (1, 2, 3, 5)))
    assert (score.token_diff, score.first_divergence) == (0.25, 2)
    assert score_sample(NUMBER, "", "fp8", output("x"), output("x")).first_divergence is None


@pytest.mark.parametrize(("record", "status"), [(None, "missing"), (output("", (), error="HTTP 500"), "error")])
def test_what_was_not_answered_is_not_scored(record, status):
    score = score_sample(NUMBER, "", "fp8", record, None)
    assert score.status == status
    assert score.value is None
    assert "value" not in score.as_json()


def test_flags_say_truncated_and_empty():
    assert score_sample(NUMBER, "", "auto", output("0.7", finish="length"), None).flags == ("truncated",)
    assert score_sample(NUMBER, "", "auto", output("", ()), None).flags == ("empty",)


def test_copies_are_compared_word_by_word():
    exact = score_sample(COPY, "", "auto", output(COPY["gold"][0]), None)
    assert (exact.value, exact.right, exact.reason) == (1.0, True, "right")
    wrong = score_sample(COPY, "", "auto", output("The cat sat on 15 mats, said Ann."), None)
    assert (wrong.value, wrong.right, wrong.reason, wrong.substituted) == (
        1 - 1 / 8,
        False,
        "not word for word",
        1,
    )


def test_a_run_is_scored_from_its_directory(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.samples.write_text(json.dumps(NUMBER) + "\n")
    directory.documents.write_text(json.dumps({"id": "d", "text": "The drift of Oslan was 0.73."}) + "\n")
    for arm, texts in {"auto": ["0.73"], "fp8": ["0.83", "0.73"]}.items():
        directory.arm(arm).mkdir(parents=True)
        directory.outputs(arm).write_text("".join(json.dumps(output(text)) + "\n" for text in texts))
    scores = score_run(read_run(directory, ["auto", "fp8"]))
    assert [(score.arm, score.right) for score in scores] == [("auto", True), ("fp8", True)]


def test_an_answer_is_never_replaced_by_a_later_error_nor_read_for_another_prompt(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.arm("auto").mkdir(parents=True)
    records = [output("0.73"), output("", error="HTTP 500"), output("9", prompt_hash="other")]
    directory.outputs("auto").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert directory.read_outputs("auto")["e-0", "h"].text == "0.73"
