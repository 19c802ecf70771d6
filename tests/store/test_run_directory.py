import pytest

from kveval.errors import RunDirectoryError
from kveval.store.json_files import Appender, JsonFile, read_lines, read_object, write_object
from kveval.store.record import Record
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import DocumentRecord
from tests.store.manifests import manifest


class Line(Record):
    a: int | None = None
    text: str = ""


class Whole(JsonFile):
    a: int


def append(path, *records):
    appender = Appender(path)
    for record in records:
        appender.append(Line(**record))
    appender.close()


def read(path, *, growing=False):
    return [line.as_json() for line in read_lines(path, Line, growing=growing)]


def test_a_torn_last_line_is_dropped_and_written_again(tmp_path):
    path = tmp_path / "outputs.jsonl"
    append(path, {"a": 1}, {"a": 2})
    with path.open("ab") as file:
        file.write(b'{"a": 3')
    assert read(path, growing=True) == [{"a": 1}, {"a": 2}]
    with pytest.raises(RunDirectoryError, match="line 3 is damaged: its end is missing"):
        read(path)
    append(path, {"a": 3})
    assert read(path) == [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize("line", [b'{"a": \n', b"\xff\xfe\n", b"[1]\n", b"\n"])
def test_damage_elsewhere_names_file_and_line(tmp_path, line):
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line + b'{"a": 2}\n')
    with pytest.raises(RunDirectoryError, match=r"outputs.jsonl line 2 is damaged: it is not a JSON object"):
        read(path)


def test_a_record_without_its_form_is_damage_and_so_is_a_missing_file(tmp_path):
    (tmp_path / "o.jsonl").write_text('{"id": 1, "text": "a"}\n')
    with pytest.raises(RunDirectoryError, match="line 1 is damaged: id: Input should be a valid string"):
        read_lines(tmp_path / "o.jsonl", DocumentRecord)
    with pytest.raises(RunDirectoryError, match="is missing"):
        read(tmp_path / "none.jsonl")
    assert read(tmp_path / "none.jsonl", growing=True) == []


def test_any_text_survives_a_round_trip(tmp_path):
    text = "half a pair \ud83d, a line\u2028separator, 北京 and a \0"
    append(tmp_path / "o.jsonl", {"text": text})
    assert read(tmp_path / "o.jsonl") == [{"text": text}]


def test_every_record_is_on_disk_before_the_next(tmp_path):
    appender = Appender(tmp_path / "o.jsonl")
    appender.append(Line(a=1))
    assert read(tmp_path / "o.jsonl") == [{"a": 1}]
    appender.close()


def test_a_directory_belongs_to_one_run(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.claim(manifest())
    directory.claim(manifest(created="later"))
    assert directory.read_manifest().created == "now"
    with pytest.raises(RunDirectoryError, match=r"another run \(differs in: seed 0 there, 1 here\)"):
        directory.claim(manifest(seed=1))


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RunDirectoryError, match="not empty"):
        RunDirectory(tmp_path).claim(manifest())


def test_two_runs_cannot_share_a_directory(tmp_path):
    with (
        RunDirectory(tmp_path).locked(),
        pytest.raises(RunDirectoryError, match="in use"),
        RunDirectory(tmp_path).locked(),
    ):
        pass


def test_json_of_another_schema_is_refused(tmp_path):
    write_object(tmp_path / "x.json", Whole(schema_version=99, a=1))
    with pytest.raises(RunDirectoryError, match="schema 99"):
        read_object(tmp_path / "x.json", Whole)


def test_a_field_that_was_never_set_is_not_written():
    assert Line(a=None).as_json() == {"a": None}
    assert Line(text="x").as_json() == {"text": "x"}
