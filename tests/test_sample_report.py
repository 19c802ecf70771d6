"""The run that is kept as a sample, scored again: its report is what this version makes of its outputs."""

import json
import shutil
from pathlib import Path

from kveval.analysis.results import build_report
from kveval.report.markdown import markdown
from kveval.store.run_directory import RunDirectory

SAMPLE = Path(__file__).parents[1] / "reports" / "sample"


def test_the_sample_report_is_up_to_date(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "run")
    report = build_report(RunDirectory(tmp_path / "run"))
    assert json.loads(json.dumps(report.as_json())) == json.loads((SAMPLE / "report.json").read_text(encoding="utf-8"))
    assert markdown(report) == (SAMPLE / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "run/scores.jsonl").read_bytes() == (SAMPLE / "scores.jsonl").read_bytes()
