"""A run directory that cannot be what a run wrote is refused with a sentence, and nothing is reported of it."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from kveval.analysis.results import arm_facts, build_report
from kveval.errors import RunDirectoryError, UsageError
from kveval.report.markdown import markdown
from kveval.runner.replay import replay_script
from kveval.scoring.score_outputs import read_run, score_run
from kveval.store.run_directory import RunDirectory
from kveval.store.schema import read_manifest, read_samples

SAMPLE = Path(__file__).parents[1] / "runs" / "smollm2"
FILES = ("manifest.json", "samples.jsonl", "documents.jsonl", "arms/auto/outputs.jsonl", "arms/fp8/engine.json")
DAMAGE = (None, "x", -1, True, [], {}, ["a", 1], float("nan"), 10**30)


@pytest.fixture
def run(tmp_path):
    return RunDirectory(Path(shutil.copytree(SAMPLE, tmp_path / "run")))


def first(file):
    return json.loads(file.read_text(encoding="utf-8").splitlines()[0] if file.suffix == ".jsonl" else file.read_text())


def rewrite(file, change):
    """Change the first record of a file; by `change`, which gets it."""
    record = first(file)
    change(record)
    rest = file.read_text(encoding="utf-8").splitlines()[1:] if file.suffix == ".jsonl" else []
    file.write_text("\n".join([json.dumps(record), *rest]) + "\n", encoding="utf-8")


def places(record, before=()):
    for name, value in record.items():
        yield (*before, name)
        inner = value[0] if name == "engines" else value
        if isinstance(inner, dict):
            yield from places(inner, (*before, name, 0) if name == "engines" else (*before, name))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGE, ids=repr)
def test_a_value_of_another_type_is_no_matter_or_said(run, name, damage):
    file = run.path / name
    whole = file.read_text(encoding="utf-8")
    for place in places(first(file)):

        def change(record, place=place):
            for part in place[:-1]:
                record = record[part]
            record[place[-1]] = damage

        rewrite(file, change)
        with suppress(RunDirectoryError):
            read_manifest(run)
            score_run(read_run(run, ("auto", "fp8")))
            arm_facts(run, "fp8", "fp8", [])
        file.write_text(whole, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "left", "said"),
    [
        ("samples.jsonl", slice(0), "it holds no sample"),
        ("samples.jsonl", slice(-3), "its end is missing"),
        ("documents.jsonl", slice(0), "it has no document"),
        ("arms/fp8/engine.json", slice(-3), "engine.json is damaged"),
        ("manifest.json", slice(3), "manifest.json is damaged"),
    ],
)
def test_a_file_that_is_cut_is_named(run, name, left, said):
    file = run.path / name
    file.write_bytes(file.read_bytes()[left])
    with pytest.raises(RunDirectoryError, match=said):
        build_report(run)


def test_a_sample_that_stands_there_twice_would_count_twice(run):
    lines = run.samples.read_text(encoding="utf-8").splitlines(keepends=True)
    run.samples.write_text("".join([*lines, lines[0]]), encoding="utf-8")
    with pytest.raises(RunDirectoryError, match="evidence-2048-0-0 stands there twice"):
        read_samples(run)


def test_answers_of_two_types_in_one_task_have_no_common_figure(run):
    rewrite(run.samples, lambda record: record.update(answer_type="copy"))
    with pytest.raises(RunDirectoryError, match="the task evidence has answers of more than one kind"):
        read_samples(run)


def test_half_a_surrogate_pair_in_an_answer_is_reported(run):
    rewrite(run.outputs("fp8"), lambda record: record.update(text="half a pair \ud83d", finish_reason="stop"))
    rewrite(run.outputs("control"), lambda record: record.update(error="half a pair \ud83d"))
    report = build_report(run)
    assert (
        "half a pair \ud83d"
        in json.loads(run.report_json.read_text(encoding="utf-8"))["arms"]["control"]["error_kinds"]
    )
    assert markdown(report)


def test_a_request_is_not_replayed_for_an_arm_that_there_is_not(run):
    with pytest.raises(UsageError, match="has no arm 'int4': give --arm one of auto, control, fp8"):
        replay_script(run, read_samples(run)[0], "int4")
