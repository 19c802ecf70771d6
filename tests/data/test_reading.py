"""Valid and faulty JSONL and CSV files."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kveval.data import Reading, read_data
from kveval.data.csv import read_csv
from kveval.data.jsonl import read_jsonl
from kveval.errors import TaskError
from kveval.scoring.characters import visible

ROW = {"id": "a", "document": "The ledger says x is 5.", "question": "x?", "answer": "5"}


@pytest.fixture
def write_file(tmp_path):
    """Return a function that writes a data file of rows (dicts), texts or bytes, and returns its path."""

    def write(*rows, name="own.jsonl"):
        lines = [row if isinstance(row, str | bytes) else json.dumps(row) for row in rows]
        path = tmp_path / name
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
        return path

    return write


def fault_of(path, **options):
    with pytest.raises(TaskError) as raised:
        read_data(path, Reading(**options))
    return str(raised.value)


@pytest.mark.parametrize(
    ("line", "message_part"),
    [
        ("[1, 2]", "line 2: a list, not an object"),
        ('"text"', "line 2: not a JSON object"),
        ("[" * 100_000, "line 2: nested too deeply"),
        ('{"id": ' + "9" * 5000 + "}", "line 2: not JSON"),
        ('{"id": "b"} {"id": "c"}', "line 2: not JSON (column 13: Extra data"),
        ('{"id": "b", "answer": Infinity}', "line 2: Infinity is not a JSON value"),
        ('{"id": "b", "document": {"x": 1, "x": 2}}', "line 2: duplicate key 'x'"),
        (json.dumps(ROW | {"id": True}), "line 2: id must be text or a whole number"),
        (json.dumps(ROW | {"id": 1.5}), "line 2: id must be text or a whole number"),
        (json.dumps(ROW | {"id": "  "}), "line 2: id is empty"),
        (json.dumps(ROW | {"id": None}), "line 2: id is missing"),
        (json.dumps(ROW | {"id": "b", "document": ["d"]}), "line 2: document must be text, but is a list"),
        (json.dumps(ROW | {"id": "b", "document": "\ud800"}), "line 2: document contains half of a surrogate pair"),
        (json.dumps(ROW | {"id": "b", "question": "\u3000"}), "line 2: question is empty"),
        (json.dumps(ROW | {"id": "b", "answer": False}), "line 2: answer must be text, but is true or false"),
        (json.dumps(ROW | {"id": "b", "answer": []}), "line 2: answer is missing"),
        (json.dumps(ROW | {"id": "b", "answer": ["5", 5]}), "line 2: answer must be text or a list of texts"),
        (json.dumps(ROW | {"id": "b", "answer": ["5", " "]}), "line 2: answer is empty"),
        (
            json.dumps(ROW | {"id": "b", "distractors": ["6", "5.0"]}),
            "line 2: distractors contain '5.0', which is an accepted answer",
        ),
        (json.dumps(ROW | {"id": "b", "distractors": 6}), "line 2: distractors must be text, but is a number"),
        (
            json.dumps(ROW | {"id": "b", "distractors": ["six"]}),
            "line 2: distractors contain 'six', which is not a single number",
        ),
        (json.dumps(ROW | {"id": "b", "document": "\u200b"}), "line 2: document is empty"),
        (json.dumps(ROW | {"id": "b\u001b[31m"}), "line 2: id must be printable"),
        (json.dumps(ROW | {"id": "b" * 300}), "line 2: id must be printable, of up to 200 characters"),
        (json.dumps(ROW | {"id": "a-without-document"}), "line 2: id must be printable"),
        (json.dumps(ROW | {"id": "\uff41"}), "lines 1 and 2: duplicate id 'a'"),
    ],
)
def test_each_fault_has_its_line_and_what_to_do(write_file, line, message_part):
    assert message_part in fault_of(write_file(ROW, line))


def test_every_fault_of_a_file_is_named_at_once(write_file):
    message = fault_of(write_file("{", ROW, ROW | {"id": "b", "answer": 1, "question": ""}, ROW, ""))
    for message_part in (
        "own.jsonl has 4 faults",
        "line 1: not JSON",
        "line 3: answer must be text",
        "line 3: question is empty",
    ):
        assert message_part in message
    assert "lines 2 and 4: duplicate id 'a'" in message


def test_many_faults_are_counted(write_file):
    message = fault_of(write_file(*["{"] * 200))
    assert "200 faults" in message
    assert "and 150 more" in message


def test_utf_16_is_named(write_file):
    assert "UTF-16: save it as UTF-8" in fault_of(write_file(json.dumps(ROW).encode("utf-16")))
    assert "UTF-16" in fault_of(write_file("id,document\n".encode("utf-16"), name="own.csv"))


@pytest.mark.parametrize(
    "answer", ["**bold**", "`code`", "\\boxed{x}", "<think>x</think>", "Final answer: blue", "\u00ad x \ufeff~~y~~"]
)
def test_an_answer_that_is_not_recognised_when_it_is_given_back_is_a_fault(write_file, answer):
    assert "would be scored as wrong if repeated exactly" in fault_of(write_file(ROW | {"answer": answer}))


def test_copies_have_one_passage_and_no_distractors(write_file):
    message = fault_of(write_file(ROW | {"answer": ["x is 5", "5"], "distractors": ["6"]}), answer_type="copy")
    assert "a copy has one passage" in message
    assert "but the answer is a copy" in message


def test_a_field_that_all_rows_lack_is_reported_once(write_file):
    rows = [{"ID": str(n), "document": "x is 5", "question": "x?", "answer": "5"} for n in range(20)]
    message = fault_of(write_file(*rows))
    assert "own.jsonl: no row has the field 'id' (fields found: ID, document, question, answer): rename" in message
    assert "line" not in message
    assert "no row has the field 'wrong'" in fault_of(write_file(ROW), fields={"distractors": "wrong"})
    table = "ID,document,question,answer\n" + "a,x is 5,x?,5\n" * 9
    assert "no row has the field 'id'" in fault_of(write_file(table, name="own.csv"))


def test_only_regular_files_are_read(tmp_path):
    endless = tmp_path / "endless.jsonl"
    endless.symlink_to("/dev/zero")
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (endless, pipe):
        assert "not a regular file" in fault_of(path)
    assert "null byte" in fault_of(tmp_path / "a\0.jsonl")


def test_a_file_of_another_kind_or_none_at_all(write_file, tmp_path):
    assert "ends in .jsonl, .csv, .parquet" in fault_of(write_file(ROW, name="own.xlsx"))
    assert "cannot be read" in fault_of(tmp_path / "absent.jsonl")
    assert "cannot be read" in fault_of(tmp_path.with_suffix(".csv"))


@pytest.mark.parametrize(
    ("answers", "answer_type"),
    [
        (["5", "1,000.50"], "number"),
        (["5", "five"], "text"),
        ([["5", "5.0"], "-3%"], "number"),
        (["2024-05-01"], "text"),
        (["007"], "number"),
        (["$5", "20%"], "number"),
        (["5 km"], "text"),
        (["Route 5"], "text"),
    ],
)
def test_answers_that_are_all_numbers_are_judged_as_numbers(write_file, answers, answer_type):
    data = read_data(write_file(*(ROW | {"id": str(n), "answer": answer} for n, answer in enumerate(answers))))
    assert data.answer_type == answer_type


def test_answers_keep_every_character(write_file):
    assert read_data(write_file(ROW | {"answer": ["1.10", "007 "]})).rows[0].answer == ("1.10", "007 ")


def test_an_answer_must_fit_its_type(write_file):
    path = write_file(ROW | {"answer": "5 or 6"})
    assert "'5 or 6' contains several numbers: write the number alone" in fault_of(path, answer_type="number")
    assert "'five' contains no number" in fault_of(write_file(ROW | {"answer": "five"}), answer_type="number")
    assert "does not occur in document word for word" in fault_of(path, answer_type="copy")
    assert read_data(write_file(ROW | {"answer": "x is 5"}), Reading(answer_type="copy")).answer_type == "copy"


def test_fields_by_other_names(write_file):
    path = write_file({"nr": 1, "text": "x is 5", "q": "x?", "gold": "5", "note": "n"})
    data = read_data(path, Reading(fields={"id": "nr", "document": "text", "question": "q", "answer": "gold"}))
    assert (data.rows[0].id, data.rows[0].document) == ("1", "x is 5")
    assert data.warnings == ("not used: note",)


def test_equal_questions_with_different_answers_are_noted(write_file):
    warnings = read_data(
        write_file(ROW, ROW | {"id": "b", "answer": "6"}, ROW | {"id": "c", "question": "y?"})
    ).warnings
    assert "lines 1 and 2 ask the same question of the same document but have different answers" in warnings


def test_values_that_are_not_in_the_document_are_noted(write_file):
    path = write_file(
        ROW | {"answer": ["Five", "X is\n5"]}, ROW | {"id": "b", "answer": "Oslo", "distractors": ["X IS", "Rome"]}
    )
    assert read_data(path).warnings[-2:] == (
        "line 2: the document does not contain the answer as written",
        "line 2: the document does not contain a distractor as written",
    )


CSV = 'id,document,question,answer\na,"one\n""two"", three",x?,1.10\n\nb,d,?,007\n'


def test_csv_as_spreadsheets_write_it(write_file):
    for text in (CSV, CSV.replace("\n", "\r\n"), "\ufeff" + CSV, CSV.removesuffix("\n")):
        rows = read_data(write_file(text, name="own.csv")).rows
        assert [row.document.replace("\r", "") for row in rows] == ['one\n"two", three', "d"]
        assert [row.answer for row in rows] == [("1.10",), ("007",)]


@pytest.mark.parametrize(
    ("text", "message_part"),
    [
        ("id;document;question;answer\na;d;?;1\n", "line 1: the columns are separated by semicolons"),
        ("id\tdocument\tquestion\tanswer\n", "line 1: the columns are separated by tabs"),
        ("id,document,question,answer\na,d,?\n", "line 2: 3 cells, but the header has 4"),
        ("id,document,question,answer\na,b, c,?,1\n", "line 2: 5 cells"),
        ('id,document,question,answer\na,"d,?,1\nb,d,?,1\n', "line 2: not CSV (unexpected end of data)"),
        ('id,document,question,answer\na,"d"x,?,1\n', "line 2: not CSV"),
        ("id,id,document,question,answer\na,b,d,?,1\n", "line 1: the header contains 'id' twice"),
        ("id,,document,question,answer,\na,b,d,?,1,\n", "line 1: a column has no name"),
        ('id,document,question,answer\na,"d\n\n",?,1\nb,d,?,\n', "line 5: answer is empty"),
        ("id,document,question\na,d,?\n", "line 2: answer is missing"),
        ("", "no rows"),
        ("id,document,question,answer\n", "no rows"),
        (b"id,document,question,answer\na,caf\xe9,?,1\n", "line 2: not UTF-8 (byte 0xe9)"),
    ],
)
def test_faults_of_a_csv_file(write_file, text, message_part):
    assert message_part in fault_of(write_file(text, name="own.csv"))


def test_a_long_cell_is_read_whole(write_file):
    document = "word " * 200_000
    assert (
        read_data(write_file(f"id,document,question,answer\na,{document},?,1\n", name="own.csv")).rows[0].document
        == document
    )


@given(st.binary(max_size=300))
def test_no_bytes_make_the_readers_raise(content):
    list(read_jsonl(content))
    list(read_csv(content))


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: visible(text).strip())


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_what_was_written_is_what_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("data") / "own.jsonl"
    records = [{"id": str(n), "document": d, "question": q, "answer": "yes"} for n, (d, q) in enumerate(rows)]
    path.write_text(
        "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8", newline=""
    )
    assert [(row.document, row.question) for row in read_data(path).rows] == rows
