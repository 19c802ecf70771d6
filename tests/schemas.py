"""JSON Schemas of the files that other programs read; `python -m tests.schemas` writes them anew."""

import json
from pathlib import Path

from kveval.store.bench_results_schema import BenchResults
from kveval.store.report_schema import ComparisonReport, Report

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
FILES = {"report": Report, "comparison": ComparisonReport, "throughput": BenchResults}


def schema(name: str) -> str:
    """The schema of one file, as text."""
    made = FILES[name].model_json_schema(by_alias=True, mode="serialization")
    return (
        json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **made}, indent=1, ensure_ascii=False)
        + "\n"
    )


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (FOLDER / f"{name}.schema.json").write_text(schema(name), encoding="utf-8")
