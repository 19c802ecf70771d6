"""Files to start from, and the list of what there is."""

import pytest
from typer.testing import CliRunner

from kveval.cli import app as cli
from kveval.cli.new_task import start_task
from kveval.errors import TaskError
from kveval.prompts.samples import build_samples
from kveval.tasks import builtin_tasks, load_task


def test_what_is_started_passes_its_check_and_can_be_run(tmp_path, monkeypatch, tokenizer):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli.app, ["tasks", "new", "fees"]).exit_code == 0
    checked = CliRunner().invoke(cli.app, ["check", "fees.yaml", "fees.jsonl"])
    assert checked.exit_code == 0
    assert "note" not in checked.output
    samples = build_samples(load_task("fees.yaml"), 1024, tokenizer, samples=200, seed=0)
    assert [len(sample.prompt_token_ids) + 64 for sample in samples] == [1024, 1024]


@pytest.mark.parametrize("name", ["../evil", "", "a b", "-x", "合同", "x" * 65, "a\n"])
def test_a_name_is_no_path(tmp_path, name):
    with pytest.raises(TaskError, match="is not a valid task name"):
        start_task(name, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("there", ["fees.yaml", "fees.jsonl"])
def test_nothing_is_overwritten(tmp_path, there):
    (tmp_path / there).write_text("mine")
    with pytest.raises(TaskError, match="already exists"):
        start_task("fees", tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_tasks_are_listed_with_what_they_are():
    lines = CliRunner().invoke(cli.app, ["tasks"]).output.splitlines()
    assert [line.split()[0] for line in lines] == list(builtin_tasks())
    assert any("Find one measured value" in line for line in lines)
