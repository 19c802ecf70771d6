"""Tasks: the documents, the questions about them, and how answers are scored.

task.py    fields of every task, and tasks on synthetic documents
own.py     tasks on user data
turn.py    a turn of a chat, and the placeholders that a prompt fills
files.py   loading and checking of task files, data files and built-in tasks
"""

from kveval.tasks.files import BUILTIN, builtin_tasks, described_tasks, load_task, load_tasks
from kveval.tasks.own import OwnTask
from kveval.tasks.task import NAME, SyntheticTask, Task

__all__ = [
    "BUILTIN",
    "NAME",
    "OwnTask",
    "SyntheticTask",
    "Task",
    "builtin_tasks",
    "described_tasks",
    "load_task",
    "load_tasks",
]
