"""Parquet, folders of texts, datasets, and the options of a task file for reading records."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Dataset

from kveval.data import Hub, Reading, read_data
from kveval.errors import TaskError
from kveval.tasks import load_task

ROW = {"id": "a", "document": "x is 5", "question": "x?", "answer": "5"}


def fault_of(data, **options):
    with pytest.raises(TaskError) as raised:
        read_data(data, Reading(**options))
    return str(raised.value)


@pytest.fixture
def parquet(tmp_path):
    def write(*rows, name="own.parquet"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Dataset.from_list(list(rows)).to_parquet(str(path))
        return path

    return write


def test_a_parquet_file_gives_the_rows_of_a_jsonl_file(parquet, tmp_path):
    rows = [ROW, ROW | {"id": "b", "question": "y?", "answer": "1.10"}]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_data(parquet(*rows)).rows == read_data(tmp_path / "own.jsonl").rows


def test_parquet_rows_go_through_the_same_checks(parquet):
    message = fault_of(parquet(ROW | {"answer": 5.0}, ROW | {"answer": 6.0}))
    assert "row 1: answer must be text, but is a number" in message
    assert "rows 1 and 2: duplicate id 'a'" in message
    assert "row 1: answer is missing" in fault_of(parquet(ROW | {"answer": None}))


def test_a_parquet_file_that_has_changed_is_read_anew(parquet):
    assert read_data(parquet(ROW)).rows[0].answer == ("5",)
    assert read_data(parquet(ROW | {"answer": "6"})).rows[0].answer == ("6",)


def test_unused_columns_cannot_make_a_table_unreadable(tmp_path):
    columns = {name: [value] for name, value in ROW.items()}
    columns["seen"] = pa.array([10**18], pa.timestamp("us"))
    columns["pairs"] = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table(columns), tmp_path / "own.parquet")
    data = read_data(tmp_path / "own.parquet")
    assert data.rows[0].answer == ("5",)
    assert data.warnings == ("not used: pairs, seen",)


@pytest.mark.parametrize(
    ("column", "message_part"),
    [
        (pa.array([b"5"]), "row 1: answer must be text, but is a value of type bytes: write it as text"),
        (pa.array([5]), "row 1: answer must be text, but is a number: write it as text"),
        (pa.array([10**18], pa.timestamp("us")), "own.parquet cannot be read: "),
    ],
)
def test_values_of_a_table_that_are_not_text(tmp_path, column, message_part):
    table = pa.table({name: [value] for name, value in ROW.items() if name != "answer"} | {"answer": column})
    pq.write_table(table, tmp_path / "own.parquet")
    message = fault_of(tmp_path / "own.parquet")
    assert message_part in message
    assert "\n" not in message
    assert not message.endswith("..")


def test_a_table_without_rows_and_one_with_a_column_twice(tmp_path):
    pq.write_table(pa.table({name: pa.array([], pa.string()) for name in ROW}), tmp_path / "own.parquet")
    assert "no rows" in fault_of(tmp_path / "own.parquet")
    pq.write_table(pa.table([pa.array(["a"]), pa.array(["b"])], names=["id", "id"]), tmp_path / "own.parquet")
    assert "The column 'id' appears twice" in fault_of(tmp_path / "own.parquet")


def test_an_invalid_parquet_file_gives_one_sentence(tmp_path):
    (tmp_path / "own.parquet").write_bytes(b"id,document\n")
    assert "own.parquet cannot be read: " in fault_of(tmp_path / "own.parquet")
    assert "absent.parquet cannot be read: No such file" in fault_of(tmp_path / "absent.parquet")


def test_a_dataset_by_its_id_is_read_by_split(parquet, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    parquet(ROW, name="set/data/test-00000-of-00001.parquet")
    data = read_data(Hub(dataset=str(tmp_path / "set"), split="test"))
    assert [(row.id, row.answer) for row in data.rows] == [("a", ("5",))]


def test_a_dataset_that_is_gone_is_not_answered_from_a_cache(parquet, tmp_path):
    parquet(ROW, name="set/data/test-00000-of-00001.parquet")
    task = tmp_path / "own.yaml"
    task.write_text(
        "name: own\nversion: 1\ndata: {dataset: ./set, split: test}\nanswer_type: number\nanswer_tokens: 8\n"
        'prompt: "{document} {question}"\n'
    )
    assert [row.id for row in load_task(task).rows] == ["a"]
    shutil.rmtree(tmp_path / "set")
    with pytest.raises(TaskError, match=r"dataset \./set is no id and no folder"):
        load_task(task)


def test_an_unknown_split_gives_one_sentence(parquet, tmp_path):
    parquet(ROW, name="set/data/test-00000-of-00001.parquet")
    message = fault_of(Hub(dataset=str(tmp_path / "set"), split="dev"))
    assert "set cannot be read: " in message
    assert "dev" in message


@pytest.fixture
def folder(tmp_path):
    texts = tmp_path / "texts"
    (texts / "old").mkdir(parents=True)
    (texts / "one.txt").write_text("x is 5")
    (texts / "old" / "two.md").write_text("\ufeffx is 6", encoding="utf-8")
    return texts


def test_a_folder_of_texts_gives_a_row_each(folder):
    data = read_data(folder, Reading(answer_type="free", question="What is x?"))
    assert [(row.id, row.document, row.question) for row in data.rows] == [
        ("old/two", "x is 6", "What is x?"),
        ("one", "x is 5", "What is x?"),
    ]


def test_faults_of_texts_are_named_by_their_files(folder):
    (folder / "one.md").write_text("x is 7")
    (folder / "empty.txt").write_text("")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / ".checkpoints").mkdir()
    (folder / ".checkpoints" / "one.md").write_text("x is 8")
    message = fault_of(folder, answer_type="free", question="?")
    assert "empty.txt: document is empty" in message
    assert "one.md and one.txt: duplicate id 'one'" in message
    assert ".DS_Store" not in message


def test_missing_fields_of_a_folder_are_named(folder):
    message = fault_of(folder, answer_type="text")
    assert "a folder of texts has no question: give question in the task file" in message
    assert "a folder of texts has no answer: give answer_type: free" in message


def test_other_files_in_a_folder_are_named(folder):
    (folder / "scan.pdf").write_bytes(b"%PDF")
    (folder / "three.txt").write_bytes(b"caf\xe9")
    message = fault_of(folder, answer_type="free", question="?")
    assert "it contains scan.pdf, but texts must end in .txt or .md" in message
    assert "three.txt is not UTF-8 (byte 0xe9 at position 4)" in message


def test_documents_may_be_files_that_the_data_name(folder, tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW | {"document": "old/two.md", "answer": "6"}))
    assert read_data(path, Reading(documents=folder)).rows[0].document == "x is 6"


@pytest.mark.parametrize(
    ("name", "message_part"),
    [
        ("../own.jsonl", "is outside"),
        ("/etc/hostname", "is outside"),
        ("old/../../own.jsonl", "is outside"),
        ("a\0b", "is outside"),
        ("three.txt", "three.txt cannot be read: No such file"),
        ("old", "not a regular file"),
    ],
)
def test_document_files_must_be_in_their_folder(folder, tmp_path, name, message_part):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW | {"document": name}))
    assert message_part in fault_of(path, documents=folder)


def test_a_link_out_of_the_folder_is_rejected(folder, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW | {"document": "link.txt"}))
    assert "is outside" in fault_of(path, documents=folder)


def test_a_cell_may_hold_several_answers(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("id,document,question,answer,distractors\na,x is 5 or 6,x?,5 | 5.0,7|8\n")
    (row,) = read_data(path, Reading(separator="|")).rows
    assert (row.answer, row.distractors) == (("5", "5.0"), ("7", "8"))
    path.write_text("id,document,question,answer\na,x is 5,x?,5||6\n")
    assert "line 2: answer has no text before, between or after '|'" in fault_of(path, separator="|")


def test_metadata_become_labels(tmp_path):
    path = tmp_path / "own.jsonl"
    rows = [ROW | {"year": 2024, "signed": True}, ROW | {"id": "b", "question": "y?", "year": " late\n2024 "}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = read_data(path, Reading(metadata=("year", "signed")))
    assert [row.metadata for row in data.rows] == [
        (("year", "2024"), ("signed", "true")),
        (("year", "late 2024"), ("signed", "not given")),
    ]
    assert not any("not used" in warning for warning in data.warnings)


def test_faults_of_metadata(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW | {"year": 1.5}))
    assert "line 1: year must be text or a whole number to break results down by" in fault_of(path, metadata=("year",))
    assert "no row has the field 'party'" in fault_of(path, metadata=("party",))
    path.write_text("".join(json.dumps(ROW | {"id": str(n), "nr": n}) + "\n" for n in range(31)))
    assert "'nr' has 31 values: break results down by a field of up to 30" in fault_of(path, metadata=("nr",))


def test_free_rows_need_no_answer_and_note_unused_ones(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(ROW))
    data = read_data(path, Reading(answer_type="free"))
    assert data.rows[0].answer == ()
    assert data.warnings == ("not used: answer",)
    path.write_text(json.dumps({"id": "a", "question": "x?"}))
    assert read_data(path, Reading(answer_type="free", has_documents=False)).rows[0].document == ""
