"""The charts of a report: which there are, and what they show."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from kveval.report.charts import accuracy_charts
from kveval.report.speed_charts import speed_charts
from kveval.store.bench_results_schema import BenchResults
from tests.report.handmade import CELL, CONTROL, COPY, made

PASS = Path(__file__).parents[2] / "reports" / "throughput-h200" / "context.json"


def texts(svg):
    """What a chart says, in its order."""
    return [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def markers(svg):
    """The places of the points that stand for a cell, by their colour."""
    found = re.findall(r'<use xlink:href="#\w+" x="([\d.]+)" y="([\d.]+)" style="fill: (#\w+)', svg)
    return {color: [(float(x), float(y)) for x, y, of in found if of == color] for _, _, color in found}


def test_every_task_has_a_panel_with_its_lengths_and_arms(report):
    report["cells"] += [CELL | {"length": 8192, "verdict": "pass", "difference": 0.0, "interval": [-0.01, 0.01]}]
    report["cells"][2] |= {"measure": "similarity"}
    said = texts(accuracy_charts(made(report))["by-length"])
    assert said.index("evidence") < said.index("copy")
    assert {"8k", "32k", "points", "similarity", "control", "fp8"} <= set(said)
    assert said[-5:] == ["control", "fp8", "degraded", "pass", "margin"]


def test_a_larger_loss_stands_lower(report):
    report["cells"] = [CELL | {"task": f"t{k}", "difference": -loss} for k, loss in enumerate((0.0, 0.03))]
    report["cells"] += [CELL | {"length": 8192, "difference": -0.02}, CELL | {"difference": -0.04}]
    (places,) = markers(accuracy_charts(made(report))["by-length"]).values()
    by_length = sorted(places)[-2:]  # the last panel: x grows with the length
    assert by_length[0][1] < by_length[1][1]  # SVG's y grows downwards


def test_right_answers_by_depth_stand_as_counts_or_similarity(report):
    depth = {"from": 0.2, "to": 0.4, "n": 10, "right_baseline": 9, "right": 4, "lost": 5, "gained": 0}
    depth |= {"score_baseline": 0.99, "score": 0.61}
    report["cells"] = [cell | {"depths": [*CELL["depths"], depth]} for cell in (CELL, COPY)]
    said = texts(accuracy_charts(made(report))["by-depth"])
    assert {"evidence, auto", "evidence, fp8", "copy, auto", "copy, fp8", "0–20%", "20–40%"} <= set(said)
    assert {"39/40", "37/40", "9/10", "4/10", "0.97", "0.93", "0.99", "0.61"} <= set(said)


def test_what_has_no_figures_has_no_chart(report):
    free = CELL | {"difference": None, "interval": None, "verdict": None, "depths": []}
    for cells in ([], [free], [CONTROL | {"difference": None, "depths": []}]):
        report["cells"] = cells
        assert accuracy_charts(made(report)) == {}


def test_cells_without_a_length_have_one_place(report):
    report["cells"] = [cell | {"length": None, "depths": []} for cell in (CONTROL, CELL)]
    assert "–" in texts(accuracy_charts(made(report))["by-length"])


def test_any_name_is_shown_as_it_is(report):
    report["cells"] = [CELL | {"task": "a$b_{<&>中$", "arm": "<script>"}]
    charts = accuracy_charts(made(report))
    assert "a$b_{<&>中$" in texts(charts["by-length"])
    assert "a$b_{<&>中$, <script>" in texts(charts["by-depth"])


def test_equal_reports_have_equal_charts(report):
    assert accuracy_charts(made(report)) == accuracy_charts(made(json.loads(json.dumps(report))))


def test_tpot_over_the_context():
    results = json.loads(PASS.read_text(encoding="utf-8"))
    said = texts(speed_charts(BenchResults.model_validate(results))["tpot"])
    assert {"1,056", "65,568", "auto", "fp8", "TPOT, ms"} <= set(said)
    assert said[-1] == "limit of the memory's bandwidth"


def test_one_context_is_no_line():
    results = json.loads(PASS.read_text(encoding="utf-8"))
    results["limits"] = [point for point in results["limits"] if point["context"] == 1056]
    assert speed_charts(BenchResults.model_validate(results)) == {}


def test_a_pass_of_unknown_bandwidth_has_no_limit_line():
    results = json.loads(PASS.read_text(encoding="utf-8"))
    whole = speed_charts(BenchResults.model_validate(results))["tpot"]
    results["limits"] = [point | {"limit": None, "bandwidth": None} for point in results["limits"]]
    drawn = speed_charts(BenchResults.model_validate(results))["tpot"]
    assert drawn.count("stroke-dasharray") < whole.count("stroke-dasharray")
    assert "limit" not in " ".join(filter(None, texts(drawn)))


def test_two_scenarios_of_one_context_stand_at_one_place():
    results = json.loads(PASS.read_text(encoding="utf-8"))
    results["limits"] += [point | {"scenario": "another"} for point in results["limits"]]
    assert "1,056" in texts(speed_charts(BenchResults.model_validate(results))["tpot"])


def test_contexts_that_would_touch_are_not_written():
    results = json.loads(PASS.read_text(encoding="utf-8"))
    results["limits"] += [point | {"context": 1_500} for point in results["limits"] if point["context"] == 1_056]
    said = texts(speed_charts(BenchResults.model_validate(results))["tpot"])
    assert "1,500" in said
    assert "1,056" not in said


def test_every_arm_has_a_colour_of_its_own(report):
    arms = [f"arm{k}" for k in range(9)]
    report["cells"] = [CELL | {"arm": arm} for arm in arms]
    chart = accuracy_charts(made(report))["by-length"]
    assert set(arms) <= set(texts(chart))
    assert len(markers(chart)) == len(arms)


def test_auto_shows_the_most_answers_that_any_arm_is_compared_on(report):
    few = CELL["depths"][0] | {"n": 3, "right_baseline": 3, "right": 2}
    report["cells"] = [CELL | {"depths": [few]}, CELL | {"arm": "fp8_e5m2"}]
    said = texts(accuracy_charts(made(report))["by-depth"])
    assert "39/40" in said
    assert "3/3" not in said
    assert "2/3" in said


def test_a_chart_that_fails_says_so_in_its_place(report, monkeypatch):
    def fail(*_):
        raise RuntimeError("no <font>\nmore")

    monkeypatch.setattr("kveval.report.charts._tile", fail)
    charts = accuracy_charts(made(report))
    assert texts(charts["by-depth"]) == ["This chart could not be drawn: RuntimeError: no <font>"]
    assert "evidence" in texts(charts["by-length"])


DRAW = """
import sys
from kveval.report.charts import accuracy_charts
from tests.report.handmade import made, made_report
sys.stdout.write(accuracy_charts(made(made_report()))["by-length"])
"""


def test_no_settings_of_the_machine_decide_how_it_looks(report, tmp_path):
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\naxes.grid: True\nfigure.facecolor: black\n")
    settings = {"MPLBACKEND": "module://nowhere", "MPLCONFIGDIR": "/proc/nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", DRAW],
        cwd=tmp_path,
        env={**os.environ, **settings, "PYTHONPATH": str(PASS.parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == accuracy_charts(made(report))["by-length"]
    assert not done.stderr
