"""A report made by hand."""

import pytest

from tests.report.handmade import made_report


@pytest.fixture
def report():
    return made_report()
