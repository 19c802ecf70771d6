"""Reports of stored runs, written again."""

import shutil
from pathlib import Path

from kveval.report.publish import publish_bench
from tests.throughput.passes import store_pass

SAMPLE = Path(__file__).parents[2] / "reports/sample/report.json"


def test_a_speed_report_reads_accuracy_cells_of_every_kind(monkeypatch, tiny_model, tmp_path):
    """A run's report has cells without a verdict: those of the control, and of tasks without scores."""
    store_pass(monkeypatch, tmp_path, tiny_model, lambda *_: {"ttft": 0.1, "tpot": 0.01})
    shutil.copy(SAMPLE, tmp_path)
    published = publish_bench(tmp_path)
    assert published.html.exists()
    assert {cell.arm for cell in published.results.cells} == {"fp8", "fp8-held"}
