"""Data files with known difficulties: their rows, or all of their faulty lines."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kveval.data import read_data
from kveval.errors import TaskError

FOLDER = Path(__file__).parents[1] / "cases" / "task_files"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def test_every_case_has_an_expectation():
    assert {path.name for path in FOLDER.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_rows_or_faults(name):
    wanted = EXPECTED[name]
    if "error" in wanted:
        with pytest.raises(TaskError) as raised:
            read_data(FOLDER / name)
        message = str(raised.value)
        assert name in message
        assert wanted["error"] in message
        for line in wanted.get("lines", ()):
            assert any(f"{word} {line}" in message for word in ("line", "lines", "and")), (line, message)
        return
    data = read_data(FOLDER / name)
    for field, values in (("id", wanted.get("ids")), ("answer", wanted.get("answers"))):
        if values:
            assert [getattr(row, field) if field == "id" else row.answer[0] for row in data.rows] == values
    assert len(data.rows) == wanted.get("rows", len(wanted.get("ids") or wanted.get("answers") or ()))
    assert wanted.get("warning", "") in "\n".join(data.warnings)


def test_other_line_separators_do_not_split_texts():
    assert [row.document for row in read_data(FOLDER / "line_separators.jsonl").rows] == ["one\u2028two", "one\x85two"]


def test_control_tokens_are_noted():
    assert any("<|im_end|>" in warning for warning in read_data(FOLDER / "special_tokens.jsonl").warnings)


@pytest.mark.parametrize("locale", ["C", "POSIX", "zh_CN.GBK", "C.UTF-8"])
def test_the_command_checks_all_files_alike_under_any_locale(locale):
    words = [sys.executable, "-X", "utf8=0", "-m", "kveval", "check", *sorted(map(str, FOLDER.glob("*.jsonl")))]
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(words, capture_output=True, env=environment)
    assert done.returncode == 2
    good = [name for name, wanted in EXPECTED.items() if "error" not in wanted]
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    assert all(name in out for name in good)
    assert all(name in err for name in set(EXPECTED) - set(good))
    assert "Traceback" not in err
