"""The JSON Schemas in docs/schemas are those of the records, and stored files follow them."""

import json
from pathlib import Path

import pytest

from kveval.store.json_files import read_object
from tests.schemas import FILES, FOLDER, schema

REPORTS = Path(__file__).parents[1] / "reports"
STORED = [(path, "report") for path in sorted(REPORTS.glob("*/report.json"))]
STORED += [(path, "throughput") for path in sorted(REPORTS.glob("throughput-*/*.json"))]


@pytest.mark.parametrize("name", FILES)
def test_schemas_are_up_to_date(name):
    assert (FOLDER / f"{name}.schema.json").read_text("utf-8") == schema(name), "run python -m tests.schemas"


@pytest.mark.parametrize("name", FILES)
def test_every_field_is_described_or_speaks_for_itself(name):
    """A field without a description is a name that repeats one of the issue's terms; most have one."""
    properties = [
        each for model in json.loads(schema(name))["$defs"].values() for each in model.get("properties", {}).values()
    ]
    assert sum("description" in each for each in properties) > len(properties) / 3


@pytest.mark.parametrize(("path", "name"), STORED, ids=lambda value: getattr(value, "name", value))
def test_stored_files_are_read_and_written_the_same(path, name):
    stored = json.loads(path.read_text("utf-8"))
    assert json.loads(json.dumps(read_object(path, FILES[name]).as_json())) == stored
