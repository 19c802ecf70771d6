"""The user turn of the built-in English tasks, read without what `kveval.tasks` imports."""

from pathlib import Path

import yaml

_TASKS = Path(__file__).parent.parent / "tasks"
PROMPT: str = yaml.safe_load((_TASKS / "evidence.yaml").read_text(encoding="utf-8"))["prompt"]
BEFORE, _, _REST = PROMPT.partition("{document}")
AFTER, _, LAST = _REST.partition("{question}")
"""What stands before a document, between it and a question, and after the question."""
