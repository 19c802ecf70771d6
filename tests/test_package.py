"""The wheel holds everything: installed elsewhere, kveval runs from any folder."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_an_installed_wheel_runs_from_another_folder(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", tmp_path / "site", wheel], check=True)
    program = (
        "import kveval, kveval.prompts.samples, kveval.runner.run; from kveval.tasks import builtin_tasks, load_task;"
        "print(kveval.__file__, *[load_task(name).name for name in builtin_tasks()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "site"), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    place, *tasks = done.stdout.split()
    assert Path(place).is_relative_to(tmp_path)
    assert {"copy", "evidence", "multihop-zh"} <= set(tasks)
