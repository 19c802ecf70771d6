import json

import pytest

from kveval.tasks import builtin_tasks, load_task
from tests.golden import FILE, PAGE, digests, page

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_built_in_task_is_held():
    assert sorted(GOLDEN) == list(builtin_tasks())


@pytest.mark.parametrize("name", builtin_tasks())
def test_texts_change_only_with_the_version(name):
    assert {"version": load_task(name).version, "digests": digests(name)} == GOLDEN[name], (
        f"what {name} asks has changed: raise its version, then run python -m tests.golden"
    )


def test_the_page_of_documents_is_what_the_tasks_make():
    assert PAGE.read_text(encoding="utf-8") == page()
