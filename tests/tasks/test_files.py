import json

import pytest
import yaml

from kveval.errors import TaskError
from kveval.tasks import BUILTIN, builtin_tasks, load_task, load_tasks


@pytest.fixture
def variant(tmp_path):
    """Return a function that writes a copy of the evidence task with changes, and returns its path."""

    def write(**changes):
        task = yaml.safe_load((BUILTIN / "evidence.yaml").read_text()) | changes
        path = tmp_path / "own.yaml"
        path.write_text(yaml.safe_dump(task))
        return path

    return write


@pytest.mark.parametrize("name", builtin_tasks())
def test_built_in_tasks_are_named_as_their_files(name):
    assert load_task(name).name == name


def test_a_task_file_by_path(variant):
    assert load_task(variant(name="own", answer_tokens=99)).answer_tokens == 99


def test_an_unknown_task_is_named_with_its_likely_spelling():
    with pytest.raises(
        TaskError, match=r"'evidense' is unknown: built in are copy, copy-zh, digest, .*Did you mean evidence\?"
    ):
        load_task("evidense")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"answer_tokens": 0}, "answer_tokens"),
        ({"answer_tokens": 9999}, "above documents.answer_reserve 544"),
        ({"prompt": "{question} {document}"}, "before"),
        ({"prompt": "{document}"}, "once each"),
        ({"name": "../evil"}, "name"),
        ({"colour": "red"}, "colour"),
        ({"language": "fr"}, "language"),
        ({"documents": {"colour": "red", "records": {}}}, "documents.colour"),
        ({"documents": {}}, "documents: one of records, passages and chains must be given"),
        ({"documents": {"chains": {}}}, "nothing to ask evidence about: give documents.records"),
        ({"documents": {"records": {"number": 3}}}, "documents.records: number must be 8 to 60, not 3"),
        ({"documents": {"records": {"values": ["colour"]}}}, "documents.records.values"),
        ({"documents": {"records": {"values": []}}}, "documents.records: values must name one kind or more"),
        ({"documents": {"records": {"absent": 2}}}, "documents.records: absent must be a share"),
        ({"documents": {"records": {"colour": "red"}}}, "documents.records.colour"),
        ({"documents": {"records": {}, "passages": {"tokens": [9, 8]}}}, "documents.passages: tokens must be"),
        ({"documents": {"records": {}, "chains": {"hops": [5]}}}, "documents.chains: hops must be 2 to 4"),
        ({"documents": {"records": {}, "questions": 11}}, "documents: questions must be 9 or less for these records"),
        ({"documents": {"records": {}, "answer_reserve": 8}}, "above documents.answer_reserve 8"),
        ({"ask": "copy"}, "answer_tokens is below documents.passages.tokens"),
    ],
)
def test_faults_are_named_with_file_and_field(variant, changes, fault):
    with pytest.raises(TaskError, match=f"own.yaml has faults: .*{fault}"):
        load_task(variant(**changes))


def test_all_faults_are_named_at_once(variant):
    with pytest.raises(TaskError, match=r"answer_tokens.*colour"):
        load_task(variant(answer_tokens=0, colour="red"))


@pytest.mark.parametrize(
    "content", [b"", b"- a\n- b\n", b"a: [1\n", b"\xff\xfe\xfa", b"!!python/object/apply:os.getcwd []\n"]
)
def test_an_invalid_task_file_is_an_error(tmp_path, content):
    (tmp_path / "own.yaml").write_bytes(content)
    with pytest.raises(TaskError, match=r"own\.yaml"):
        load_task(tmp_path / "own.yaml")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(TaskError, match="cannot be read"):
        load_task(tmp_path / "none.yaml")


def test_two_tasks_of_one_name_are_rejected():
    with pytest.raises(TaskError, match="twice"):
        load_tasks(("copy", "copy"))


def test_tasks_that_share_documents_have_equal_contents():
    for suffix in ("", "-zh"):
        evidence, copy = load_task(f"evidence{suffix}"), load_task(f"copy{suffix}")
        assert (evidence.documents, evidence.language, evidence.prompt) == (copy.documents, copy.language, copy.prompt)


def test_accuracy_of_guessing():
    assert [load_task(name).guess for name in ("evidence", "copy", "multihop")] == [0.1, 0.0, 0.1]


ROW = {"nr": "1", "document": "The fee is 5 euros.", "question": "What is the fee?", "answer": "5"}
OWN = {
    "name": "contracts",
    "version": 1,
    "data": "rows.jsonl",
    "fields": {"id": "nr"},
    "answer_type": "number",
    "answer_tokens": 32,
    "prompt": "{document}\n{question}",
}


@pytest.fixture
def own(tmp_path):
    """Return a function that writes a task file with changes and its data, and returns the task file's path."""

    def write(row=ROW, **changes):
        (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
        path = tmp_path / "contracts.yaml"
        path.write_text(yaml.safe_dump({key: value for key, value in (OWN | changes).items() if value is not None}))
        return path

    return write


def test_data_are_relative_to_the_task_file(own):
    task = load_task(own())
    assert (task.name, task.is_copying, task.guess) == ("contracts", False, 0.0)
    assert [(row.id, row.answer) for row in task.rows] == [("1", ("5",))]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"answer_type": "colour"}, "answer_type"),
        ({"pad": "sand"}, "pad: Input should be 'filler', 'rows' or 'none'"),
        ({"answer_type": None}, "answer_type: Field required"),
        ({"fields": {"colour": "nr"}}, "fields: 'colour' is no field of a row"),
        ({"data": "other.jsonl"}, "other.jsonl cannot be read"),
        ({"data": 5}, "data"),
        ({"data": {"file": "rows.jsonl"}}, "data: write data: NAME for a file or a folder, and data: {dataset: ID"),
        ({"version": True}, "version: Input should be a valid integer"),
        ({"data": "a\0.jsonl"}, "null byte"),
        ({"name": "evidence"}, "evidence is a built-in task"),
        ({"fields": {"id": "nr", "question": "document"}}, "each needs a name in the file, and one of its own"),
        ({"fields": {"id": ""}}, "each needs a name in the file, and one of its own"),
        ({"prompt": "{document}"}, "once each"),
        ({"documents": {"records": {}}}, "documents: Input should be a valid string"),
        ({"fields": {}}, "line 1: id is missing"),
        ({"row": ROW | {"answer": "five"}}, "'five' contains no number"),
    ],
)
def test_faults_of_a_task_file_with_data(own, changes, fault):
    with pytest.raises(TaskError, match=fault):
        load_task(own(**changes))


TURN = {"role": "user", "content": "{document} {question}"}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"messages": [TURN]}, "give prompt, or messages with several turns: one of them"),
        ({"prompt": None}, "give prompt, or messages"),
        ({"prompt": None, "messages": []}, "messages: they must be user and assistant in turns"),
        ({"prompt": None, "messages": [TURN | {"role": "tool"}]}, "messages.0.role"),
        ({"prompt": None, "messages": [TURN, TURN]}, "messages: they must be user and assistant in turns"),
        ({"prompt": None, "messages": [TURN, {"role": "assistant", "content": "a"}]}, "user and assistant in turns"),
        ({"prompt": None, "messages": [{"role": "user", "content": "{document}"}]}, "question} once each"),
        ({"prompt": "{question} {document}"}, "before {question}"),
        ({"prompt": "a"}, "must hold {question} once"),
        ({"stop": ["a", ""]}, "stop: an empty text"),
        ({"stop": "a"}, "stop: write it as a list, in brackets"),
        ({"reasoning_tags": [["<a>", "<a>"]]}, "reasoning_tags: each is a pair"),
        ({"separator": ""}, "separator: String should have at least 1 character"),
        ({"metadata": ["answer"]}, "'answer' is what a row is made of"),
        ({"metadata": ["party"]}, "no row has the field 'party'"),
        ({"data": {"dataset": "a/b"}}, "data.split: Field required"),
        ({"data": "absent"}, "absent is not a supported data source.*write a dataset's id as"),
        ({"documents": "texts"}, "documents: .*texts is not a folder"),
    ],
)
def test_faults_of_task_file_fields(own, changes, fault):
    with pytest.raises(TaskError, match=fault):
        load_task(own(**changes))


def test_a_built_in_task_on_rows_is_found_by_its_name_and_by_its_path():
    task = load_task("prose")
    assert (len(task.rows), task.is_free, task.has_documents, task.pad) == (72, True, False, "none")
    assert load_task(BUILTIN / "prose.yaml") == task
    assert {row.metadata[0][1] for row in task.rows} >= {"code", "translation", "summary", "chat"}


def test_faults_of_task_file_and_data_are_named_at_once(own):
    with pytest.raises(TaskError) as raised:
        load_task(own(row=ROW | {"document": "", "answer": "five"}, prompt="{document}", answer_tokens=0))
    for fault in ("once each", "answer_tokens", "rows.jsonl", "document is empty"):
        assert fault in str(raised.value)


def test_a_bare_data_file_is_a_task_of_its_name(tmp_path):
    for name, question, language in (("fees-2024", "Which fee?", "en"), ("合同", "费用是多少？", "zh")):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(ROW | {"id": "a", "question": question}) + "\n")
        if name.isascii():
            task = load_task(path)
            assert (task.name, task.language, task.data.answer_type) == (name, language, "number")
            path = path.rename(tmp_path / "fees_zh.jsonl")
            path.write_text(json.dumps(ROW | {"id": "a", "question": "费用是多少？"}) + "\n")
            assert load_task(path).language == "zh"
        else:
            with pytest.raises(TaskError, match="cannot name a task"):
                load_task(path)


@pytest.mark.parametrize(
    "text",
    [
        "x: 2024-13-45",
        "x: 0b_",
        '!!int "x"',
        '!!bool "x"',
        '!!timestamp "x"',
        "x: " + "9" * 5000,
        "a: 1\na: 2",
        "a: {b: 1, b: 2}",
    ],
)
def test_values_that_yaml_readers_stumble_over_are_errors(tmp_path, text):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(TaskError, match=r"own\.yaml"):
        load_task(tmp_path / "own.yaml")


def test_a_data_file_needs_a_name_that_no_other_task_has(tmp_path):
    (tmp_path / "other").mkdir()
    for path in (
        tmp_path / "fees.jsonl",
        tmp_path / "other" / "fees.jsonl",
        tmp_path / "copy.jsonl",
        tmp_path / "a\n.jsonl",
    ):
        path.write_text(json.dumps(ROW | {"id": "a"}) + "\n")
    with pytest.raises(TaskError, match=r"names fees twice \(.*fees.jsonl, .*other/fees.jsonl\)"):
        load_tasks((str(tmp_path / "fees.jsonl"), str(tmp_path / "other" / "fees.jsonl")))
    with pytest.raises(TaskError, match="has the name of a built-in task"):
        load_task(tmp_path / "copy.jsonl")
    with pytest.raises(TaskError, match="cannot name a task"):
        load_task(tmp_path / "a\n.jsonl")
