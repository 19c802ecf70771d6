"""Starter files for a task: a task file and a data file."""

import json
import re
from pathlib import Path

from kveval.errors import TaskError
from kveval.tasks import NAME

_TASK = """\
# A task: its data, its prompt, and how answers are scored. `kveval check {name}.yaml` checks both files.
name: {name}
version: 1                # increase it with every change, so that results of different versions are not mixed
language: en              # language of documents, questions and filler prose: en or zh
data: {name}.jsonl        # path relative to this file; JSONL, CSV or Parquet, one question per row
fields: {{}}                # columns that have other names, such as {{id: ticket, document: text}}
metadata: []              # fields to break results down by, such as [year]
answer_type: text         # must occur in answers; number: equal value (1,000 is 1000.0); copy: word for word; free: not checked
answer_tokens: 64         # answer budget in tokens; it is part of each length
pad: filler               # prose around each document, at every length; rows: other rows around it; none: unpadded, one length
prompt: |-
  Read the document below and answer the question at its end. Give only the answer.

  <document>
  {{document}}
  </document>

  {{question}}
"""
_DOCUMENT = (
    "Contract 12. The supplier delivers by 14 May 2027. The fee is 1,250 euros, and 1,400 euros after that date."
)
_ROWS = (
    {
        "id": "fee",
        "document": _DOCUMENT,
        "question": "What is the fee for delivery in time?",
        "answer": "1,250 euros",
        "distractors": ["1,400 euros"],
    },
    {
        "id": "date",
        "document": _DOCUMENT,
        "question": "By which date does the supplier deliver?",
        "answer": ["14 May 2027", "May 14, 2027"],
    },
)


def start_task(name: str, folder: Path) -> tuple[Path, Path]:
    """Write a commented `name`.yaml and a two-row `name`.jsonl into `folder`; both pass `kveval check`.

    Raises TaskError if `name` is not a valid task name, or if one of the files already exists.
    """
    if not re.fullmatch(NAME, name):
        raise TaskError(f"{name!r} is not a valid task name: use up to 64 letters, digits, - and _.")
    task, data = folder / f"{name}.yaml", folder / f"{name}.jsonl"
    for path in (task, data):
        if path.exists():
            raise TaskError(f"{path} already exists: choose another name.")
    try:
        task.write_text(_TASK.format(name=name), encoding="utf-8")
        data.write_text("".join(f"{json.dumps(row)}\n" for row in _ROWS), encoding="utf-8")
    except OSError as error:
        raise TaskError(f"{task} cannot be written: {error.strerror}.") from error
    return task, data
