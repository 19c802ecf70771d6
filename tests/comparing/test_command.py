"""`kveval compare`: what it prints and writes, and its exit codes."""

import json
import sys

import pytest

from kveval.cli import app as cli
from tests.comparing.results import lines, write


@pytest.fixture
def kveval(monkeypatch, capsys):
    """Runs the command line in this process; returns exit code, standard output and standard error."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["kveval", *map(str, words)])
        try:
            cli.main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def folders(tmp_path):
    auto = write(tmp_path / "auto", {"sums": lines(200)}, model_args="kv_cache_dtype=auto")
    return auto, write(tmp_path / "fp8", {"sums": lines(200, lambda i: i > 9)}, model_args="kv_cache_dtype=fp8")


def test_it_prints_the_verdict(kveval, folders):
    code, out, _ = kveval("compare", *folders)
    assert code == 0
    assert "sums exact_match: degraded: 10 wrong" in out
    assert "fp8: degraded on sums exact_match: right 100.0% → 95.0%" in out
    assert "report:" not in out


def test_json_is_all_that_it_prints_then(kveval, folders):
    _, out, _ = kveval("compare", *folders, "--json")
    assert json.loads(out)["cells"][0]["lost"] == 10


def test_the_report_is_written_where_asked(kveval, folders, tmp_path):
    _, out, _ = kveval("compare", *folders, "--out", tmp_path / "report")
    assert "report.html" in out
    assert json.loads((tmp_path / "report" / "report.json").read_text())["cells"][0]["verdict"] == "degraded"
    assert "degraded: 10 wrong" in (tmp_path / "report" / "report.md").read_text()


def test_a_gate_that_fails_is_an_exit_code(kveval, folders):
    assert kveval("compare", *folders, "--fail-on", "inconclusive,invalid")[0] == 0
    code, _, printed = kveval("compare", *folders, "--fail-on", "degraded")
    assert code == 1
    assert "fp8 is degraded on sums exact_match" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--margin", "0.02"], "give it in points"),
        (["--fail-on", "bad"], "is not an accepted verdict"),
        (["--metric", "acc"], "choose from exact_match"),
        (["--control", "nowhere"], "does not exist"),
    ],
)
def test_a_wrong_option_is_one_sentence(kveval, folders, words, message):
    code, _, printed = kveval("compare", *folders, *words)
    assert (code, printed.count("\n")) == (2, 1)
    assert message in printed


def test_the_margin_decides(kveval, folders):
    _, out, _ = kveval("compare", *folders, "--margin", "20")
    assert "within margin" in out


def test_a_run_is_not_written_over(kveval, folders, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "manifest.json").write_text("{}")
    code, _, printed = kveval("compare", *folders, "--out", run)
    assert code == 2
    assert "choose another" in printed
