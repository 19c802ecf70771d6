"""The layout of the package: imports go one way, and no two modules share a name."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "kveval"
LAYERS = (
    *("errors", "kv_cache", "arms", "store", "config", "hardware", "stats", "generators", "scoring", "data", "tasks"),
    *("models", "prompts", "engine", "wording", "analysis", "planning", "throughput", "runner", "comparing", "doctor"),
    *("report", "notebook", "cli"),
)
"""Each may import only from those before it."""
LOOSE = {"__init__", "__main__", "errors", "arms", "config"}
"""Modules that are in no package."""


def modules() -> Iterator[tuple[tuple[str, ...], Path]]:
    """Every module of kveval by its path inside the package, without the generators, which lie beside it."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] not in ("generators", "builtin_tasks"):
            yield parts, path


def imported(path: Path) -> Iterator[str]:
    """The first part of everything that a module imports from kveval."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "kveval" else [f"kveval.{alias.name}" for alias in node.names]
            yield from (name.split(".")[1] for name in names if name.startswith("kveval."))
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("kveval."))


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_one_way(layer: str) -> None:
    later = set(LAYERS[LAYERS.index(layer) + 1 :])
    wrong = {
        ".".join(parts): sorted(later & set(imported(path)))
        for parts, path in modules()
        if parts[0] == layer and later & set(imported(path))
    }
    assert not wrong


def test_every_package_has_a_layer() -> None:
    assert {parts[0] for parts, _ in modules()} - {"__init__", "__main__"} == {*LAYERS} - {"generators"}


def test_no_module_is_loose() -> None:
    assert {parts[0] for parts, _ in modules() if len(parts) == 1} == LOOSE


def test_no_two_modules_share_a_name() -> None:
    places = defaultdict(list)
    for parts, _ in modules():
        if parts[-1] != "__init__":
            places[parts[-1]].append(".".join(parts))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_every_package_lists_its_modules() -> None:
    for folder in {path.parent for parts, path in modules() if len(parts) > 1}:
        listed = (folder / "__init__.py").read_text(encoding="utf-8").partition('"""\n\n')[0]
        missing = [path.name for path in folder.glob("*.py") if path.name != "__init__.py" and path.stem not in listed]
        assert not missing, f"{folder.name}/__init__.py does not name {missing}"
