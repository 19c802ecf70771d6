"""What `import kveval` offers to a notebook."""

import re
import subprocess
import sys
from pathlib import Path

import kveval

ROOT = Path(__file__).parents[1]


def test_public_names_are_sorted_and_there():
    assert kveval.__all__ == sorted(kveval.__all__)
    assert set(kveval.__all__) <= set(dir(kveval))
    for name in kveval.__all__:
        assert callable(getattr(kveval, name))
        assert getattr(kveval, name).__doc__


def test_a_name_that_is_not_there_is_an_attribute_error():
    assert not hasattr(kveval, "degrade")


def test_importing_kveval_loads_nothing_heavy():
    heavy = ("torch", "transformers", "pandas", "scipy", "pydantic", "matplotlib", "datasets")
    program = f"import sys, kveval; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_example_on_the_page_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text("utf-8"))
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert capsys.readouterr().out
