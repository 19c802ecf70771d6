"""Two run directories of kveval, compared arm by arm."""

import json
import shutil
from pathlib import Path

import pytest

from kveval.analysis.results import build_report
from kveval.comparing import compare
from kveval.errors import UsageError
from kveval.store.run_directory import RunDirectory
from tests.comparing.results import lines, write

SAMPLE = Path(__file__).parents[1] / "runs" / "smollm2"
FIGURES = (
    "task",
    "length",
    "n",
    "right",
    "lost",
    "gained",
    "difference",
    "token_diff",
    "identical",
    "divergence",
    "verdict",
)


@pytest.fixture
def other(tmp_path):
    """The same run once more, by another vLLM."""
    folder = tmp_path / "newer"
    shutil.copytree(SAMPLE, folder)
    edit(folder / "manifest.json", lambda manifest: manifest["identity"].update(vllm="0.33.0"))
    return folder


def edit(file, change):
    record = json.loads(file.read_text())
    change(record)
    file.write_text(json.dumps(record))


def records(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def figures(cells):
    return {(cell.task, cell.length, cell.arm): [getattr(cell, name) for name in FIGURES] for cell in cells}


def test_arms_of_one_run_give_the_cells_of_its_own_report(other):
    report = compare(str(SAMPLE), f"{SAMPLE}:fp8", f"{SAMPLE}:control")
    assert figures(report.cells) == figures(build_report(RunDirectory(other)).cells)
    assert report.worst_pairs
    assert report.arms["fp8"].kv_dtype_effective == "fp8_e4m3"


def test_two_versions_of_an_engine_are_compared(other):
    report = compare(str(SAMPLE), str(other))
    assert {cell.arm for cell in report.cells} == {"newer"}
    assert {cell.identical for cell in report.cells} == {4}
    assert not any("both arms ran" in cell.because for cell in report.cells)
    assert any("vllm 0.32.0 → 0.33.0" in remark for remark in report.remarks)


def test_samples_of_one_run_only_are_named(other):
    samples = records(other / "samples.jsonl")
    samples[0]["prompt_hash"] = "another"
    (other / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in samples[:-1]))
    report = compare(str(SAMPLE), f"{other}:fp8")
    assert sum(record.matched for record in report.left_out) == len(samples) - 2
    assert any("1 with another prompt" in remark for remark in report.remarks)
    assert any("1 only in auto" in remark for remark in report.remarks)


def test_runs_that_share_no_prompt_say_what_differs(other):
    samples = records(other / "samples.jsonl")
    text = "".join(json.dumps(sample | {"prompt_hash": "x"}) + "\n" for sample in samples)
    (other / "samples.jsonl").write_text(text)
    with pytest.raises(UsageError, match=r"no sample in common.*vllm 0\.32\.0 → 0\.33\.0"):
        compare(str(SAMPLE), str(other))


def test_an_arm_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="no arm 'fp4': write RUN:ARM with one of auto, control, fp8"):
        compare(str(SAMPLE), f"{SAMPLE}:fp4")


def test_a_run_and_a_folder_of_lm_eval_are_no_pair(tmp_path):
    folder = write(tmp_path, {"sums": lines(3)})
    with pytest.raises(UsageError, match="results made with the same tool"):
        compare(str(SAMPLE), str(folder))


def test_metrics_are_for_lm_eval_alone():
    with pytest.raises(UsageError, match="--metric is for results of lm-eval"):
        compare(str(SAMPLE), f"{SAMPLE}:fp8", metrics=["acc"])


def test_one_arm_is_not_compared_with_itself():
    with pytest.raises(UsageError, match="is given twice"):
        compare(str(SAMPLE), f"{SAMPLE}:auto")
