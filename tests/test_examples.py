"""The example tasks on data of one's own: what a user copies must be sound."""

import re
from pathlib import Path

import pytest

from kveval.cli.check import check_file
from kveval.prompts.samples import build_samples
from kveval.scoring.text import same_text, text_match
from kveval.tasks import OwnTask, load_task

EXAMPLES = sorted((Path(__file__).parents[1] / "tasks" / "examples").glob("*.yaml"))
LENGTH = 2048


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def task(path):
    return load_task(path)


def test_there_are_examples_of_both_languages_and_of_copies():
    tasks = [load_task(path) for path in EXAMPLES]
    assert {task.language for task in tasks} == {"en", "zh"}
    assert {task.is_copying for task in tasks} == {True, False}


def test_an_example_is_a_task_without_notes(path, task):
    assert isinstance(task, OwnTask)
    assert task.name == path.stem
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert len(task.rows) >= 40
    assert len(task.by_document) >= 8, "fewer decide nothing"
    assert task.data.warnings == ()
    assert len(list(check_file(str(path)))) == 1


def test_answers_and_distractors_stand_in_their_documents(task):
    for row in task.rows:
        for text in (row.answer[0], *row.distractors):
            assert text in row.document, (row.id, text)
        assert len(set(row.distractors)) == len(row.distractors), row.id
        assert not any(same_text(wrong, right) for wrong in row.distractors for right in row.answer), row.id
        if task.is_copying:
            assert row.document.count(row.answer[0]) == 1, row.id


@pytest.mark.parametrize("name", ["contracts", "incidents"])
def test_what_is_right_counts_and_what_is_wrong_does_not(name):
    for row in load_task(EXAMPLES[0].parent / f"{name}.yaml").rows:
        for text in row.answer:
            assert text_match(text, row.answer, row.distractors, question=row.question).value == 1, (row.id, text)
        for text in row.distractors:
            assert text_match(text, row.answer, row.distractors, question=row.question).value == 0, (row.id, text)


def test_no_sentence_of_an_incident_log_answers_alone():
    for rows in load_task(EXAMPLES[0].parent / "incidents.yaml").by_document:
        values = {text for row in rows for text in (*row.answer, *row.distractors)}
        for row in rows:
            known = {*re.findall(r"[A-Za-z][A-Za-z0-9-]*-\d+", row.question), *(v for v in values if v in row.question)}
            assert known, row.id
            for sentence in re.split(r"[。；\n]", row.document):
                assert not (row.answer[0] in sentence and any(each in sentence for each in known)), (row.id, sentence)


def test_example_samples_have_their_length(task, tokenizer):
    samples = build_samples(task, LENGTH, tokenizer, samples=8, seed=0)
    assert [sample.id for sample in samples] == [f"{task.name}/{LENGTH}/{row.id}" for row in task.rows[:8]]
    for sample, row in zip(samples, task.rows, strict=False):
        assert len(sample.prompt_token_ids) + sample.max_answer_tokens == LENGTH
        assert row.document in sample.document
