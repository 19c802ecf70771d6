"""A run that is stored without an engine, and a report made by hand."""

import pytest

from kveval.store.run_directory import RunDirectory
from tests.report.handmade import made_report
from tests.report.runs import careful, store_run


@pytest.fixture
def run(monkeypatch, tmp_path, tiny_model, tokenizer):
    """Makes a run from what each arm is to answer."""

    def make(answer=careful, **options):
        return RunDirectory(store_run(monkeypatch, tmp_path / "run", tiny_model, answer, tokenizer, **options))

    return make


@pytest.fixture
def report():
    return made_report()
