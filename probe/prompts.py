"""User turn of the built-in English tasks, read without importing `kveval.tasks`."""

from pathlib import Path

import yaml

_TASKS = Path(__file__).parent.parent / "tasks"
PROMPT: str = yaml.safe_load((_TASKS / "evidence.yaml").read_text(encoding="utf-8"))["prompt"]
BEFORE, _, _REST = PROMPT.partition("{document}")
AFTER, _, LAST = _REST.partition("{question}")
"""Texts before the document, between document and question (`AFTER`), and after the question (`LAST`)."""
