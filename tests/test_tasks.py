import pytest
import yaml

from kveval.errors import TaskError
from kveval.tasks import BUILTIN, builtin_tasks, load_task, load_tasks


@pytest.fixture
def variant(tmp_path):
    """Writes a copy of the evidence task with changes, and returns its path."""

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
    with pytest.raises(TaskError, match=r"'evidense' is unknown: built in are copy, evidence.*Did you mean evidence\?"):
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
        ({"documents": {"generator": "web"}}, "documents.generator"),
        ({"documents": {"generator": "report", "records": 3}}, "documents.records"),
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
def test_what_is_no_task_file_is_an_error(tmp_path, content):
    (tmp_path / "own.yaml").write_bytes(content)
    with pytest.raises(TaskError, match=r"own\.yaml"):
        load_task(tmp_path / "own.yaml")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(TaskError, match="cannot be read"):
        load_task(tmp_path / "none.yaml")


def test_two_tasks_of_one_name_are_refused():
    with pytest.raises(TaskError, match="twice"):
        load_tasks(("copy", "copy"))


def test_more_questions_than_the_records_have_twins_for_are_refused(variant):
    with pytest.raises(TaskError, match="above 6"):
        load_task(variant(documents={"generator": "report", "records": 8, "questions": 7}))
