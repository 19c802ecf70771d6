"""Task files: what documents a task is about, what is asked of them, and how an answer is judged.

task.py    what every task has, and tasks on synthetic documents
own.py     tasks on data of one's own
turn.py    a turn of a chat, and the places in it that a prompt fills
files.py   task files, data files and built-in tasks by name, with all their checks
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
