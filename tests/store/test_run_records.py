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
from kveval.store.manifest import Manifest
from kveval.store.run_directory import RunDirectory

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
            yield from places(inner, (*before, name, 0) if name in ("engines", "arms") else (*before, name))


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
            run.read_manifest()
            score_run(read_run(run, ("auto", "fp8")))
            arm_facts(run, "fp8", "fp8", [])
        file.write_text(whole, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "left", "said"),
    [
        ("samples.jsonl", slice(0), "it contains no samples"),
        ("samples.jsonl", slice(-3), "its end is missing"),
        ("documents.jsonl", slice(0), "document .* is missing"),
        ("arms/fp8/engine.json", slice(-3), "engine.json is damaged"),
        ("manifest.json", slice(3), "manifest.json is damaged"),
    ],
)
def test_a_file_that_is_cut_is_named(run, name, left, said):
    file = run.path / name
    file.write_bytes(file.read_bytes()[left])
    with pytest.raises(RunDirectoryError, match=said):
        build_report(run)


def test_a_sample_that_appears_twice_is_an_error(run):
    lines = run.samples.read_text(encoding="utf-8").splitlines(keepends=True)
    run.samples.write_text("".join([*lines, lines[0]]), encoding="utf-8")
    with pytest.raises(RunDirectoryError, match="evidence-2048-0-0 appears twice"):
        run.read_samples()


def test_answers_of_two_types_in_one_task_have_no_common_figure(run):
    rewrite(run.samples, lambda record: record.update(answer_type="copy"))
    with pytest.raises(RunDirectoryError, match="the task evidence has answers of more than one kind"):
        run.read_samples()


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
    with pytest.raises(UsageError, match="has no arm 'int4': set --arm to one of auto, control, fp8"):
        replay_script(run, run.read_samples()[0], "int4")


RUNS = [Path(__file__).parents[2] / "reports" / "sample", SAMPLE, SAMPLE.with_name("probe")]
"""Stored runs of every schema."""


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_stored_runs_have_every_schema():
    schemas = {json.loads((run / "manifest.json").read_text("utf-8"))["schema"] for run in RUNS}
    assert schemas == set(range(1, Manifest.SCHEMA + 1))


@pytest.mark.parametrize("stored", RUNS, ids=lambda path: path.name)
def test_runs_of_every_schema_are_read_and_stay_as_they_are(stored):
    before = files(stored)
    directory = RunDirectory(stored)
    manifest = directory.read_manifest()
    assert [(arm.name, arm.role, arm.kv_dtype) for arm in manifest.arms] == [
        ("auto", "baseline", "auto"),
        ("control", "control", "auto"),
        ("fp8", "candidate", "fp8"),
    ]
    assert manifest.identity.sampling.temperature == 0.0
    assert manifest.extent.tasks == {"evidence": 2, "copy": 2}
    (engine,) = directory.read_engines("fp8")
    assert (engine.status, engine.facts.kv_dtype_effective) == ("done", "fp8_e4m3")
    assert files(stored) == before


@pytest.mark.parametrize("stored", RUNS, ids=lambda path: path.name)
def test_runs_of_every_schema_are_scored(stored, tmp_path):
    report = build_report(RunDirectory(Path(shutil.copytree(stored, tmp_path / "run"))))
    assert {cell.arm for cell in report.cells} == {"control", "fp8"}
    assert not report.incomplete


@pytest.mark.parametrize("schema", [0, 99, None, "1", True, 1.5])
def test_a_schema_that_is_not_known_is_named_with_its_file(run, schema):
    rewrite_whole(run.manifest, lambda record: record.update(schema=schema))
    with pytest.raises(RunDirectoryError, match=r"manifest.json has schema .*, but this kveval reads schemas up to 2"):
        run.read_manifest()


@pytest.mark.parametrize("name", ["model", "lengths", "seed", "task_versions"])
def test_a_field_that_an_older_schema_lacks_is_named(run, name):
    rewrite_whole(run.manifest, lambda record: record["identity"].pop(name))
    with pytest.raises(RunDirectoryError, match=f"manifest.json is damaged: a field of schema 1 .*{name}"):
        run.read_manifest()


def test_a_field_of_another_type_is_named(tmp_path):
    run = RunDirectory(Path(shutil.copytree(SAMPLE.with_name("probe"), tmp_path / "run")))
    rewrite_whole(run.manifest, lambda record: record["extent"].update(samples="8"))
    with pytest.raises(
        RunDirectoryError, match=r"manifest.json is damaged: extent.samples: Input should be a valid integer"
    ):
        run.read_manifest()


def rewrite_whole(file, change):
    record = json.loads(file.read_text("utf-8"))
    change(record)
    file.write_text(json.dumps(record), encoding="utf-8")


def test_a_run_of_an_older_kveval_is_resumed_where_nothing_that_decides_outputs_differs(run):
    manifest = run.read_manifest()
    run.claim(manifest.model_copy(update={"kveval": "9.9"}))
    other = manifest.model_copy(
        update={"kveval": "9.9", "identity": manifest.identity.model_copy(update={"vllm": "9"})}
    )
    with pytest.raises(RunDirectoryError) as refused:
        run.claim(other)
    assert 'differs in: vllm "0.32.0" there, "9" here' in str(refused.value)
    assert f"It was started by kveval 0.1.0, and this is 9.9; kveval score {run.path} still works." in str(
        refused.value
    )
