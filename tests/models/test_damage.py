"""The alarm: a probe whose values do not fit into an fp8 cache, through the real CPU engine."""

import json
import subprocess
import sys

import pytest

from kveval.models import probe
from kveval.models.damage import plant_damage
from tests.cpu import needs_fp8

pytestmark = [pytest.mark.engine, needs_fp8]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """By arm, the cell of 32 questions at 2K."""
    folder = tmp_path_factory.mktemp("damaged")
    model = plant_damage(probe.ensure(), folder / "probe-damaged", layer=1, power=10)
    words = ("--tasks", "evidence", "--lengths", "2k", "--samples", "32")
    out = folder / "run"
    subprocess.run([sys.executable, "-m", "kveval", "run", "--model", model, "--out", out, *words], check=True)
    return {cell["arm"]: cell for cell in json.loads((out / "report.json").read_text())["cells"]}


def test_auto_and_its_control_answer_as_if_nothing_were_planted(cells):
    assert cells["control"]["n"] == 32
    assert cells["control"]["right_baseline"] >= 31
    assert (cells["control"]["lost"], cells["control"]["gained"]) == (0, 0)


def test_fp8_is_found_to_be_degraded(cells):
    assert cells["fp8"]["verdict"] == "degraded"
