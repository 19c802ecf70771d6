"""Templates of a task file and its data file."""

import json
import re
from pathlib import Path

from kveval.errors import TaskError
from kveval.tasks import NAME

_TASK = """\
# What is asked, of which data, and how answers are judged. `kveval check {name}.yaml` checks both files.
name: {name}
version: 1                # raise it with any change, so that results of different versions are not taken for one
language: en              # of documents and questions: en or zh; the prose that fills a length is in it
data: {name}.jsonl        # from where this file is; JSONL, CSV or Parquet, one row a question
fields: {{}}                # where the file has other names, such as {{id: ticket, document: text}}
metadata: []              # fields to break results down by, such as [year]
answer_type: text         # it must stand in the answer; number: by value (1,000 is 1000.0); copy: word for word; free: no check
answer_tokens: 64         # the answer budget; it counts into a length
pad: filler               # each document among prose, at every length; rows: among other rows'; none: as it is, at one length
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
    """Write `name`.yaml, commented, and `name`.jsonl with two rows into `folder`; both pass `kveval check`.

    Raises TaskError for a name that no task can have, and where one of the files is there already.
    """
    if not re.fullmatch(NAME, name):
        raise TaskError(f"{name!r} cannot name a task: use letters, digits, - and _, up to 64 of them.")
    task, data = folder / f"{name}.yaml", folder / f"{name}.jsonl"
    for path in (task, data):
        if path.exists():
            raise TaskError(f"{path} is there already: choose another name.")
    try:
        task.write_text(_TASK.format(name=name), encoding="utf-8")
        data.write_text("".join(f"{json.dumps(row)}\n" for row in _ROWS), encoding="utf-8")
    except OSError as error:
        raise TaskError(f"{task} cannot be written: {error.strerror}.") from error
    return task, data
