"""What `kveval check` prints for a data file or task file without errors."""

from collections.abc import Iterator

from kveval.tasks import OwnTask, load_task
from kveval.wording.format import plural


def check_file(name: str) -> Iterator[str]:
    """Yield a summary of the task and a line for each note to its author. Raises TaskError listing every error."""
    task = load_task(name)
    if not isinstance(task, OwnTask):
        yield f"{name}: task {task.name}, version {task.version}, on documents that are made for it"
        return
    on = f"on {plural(len(task.by_document), 'document')}" if task.has_documents else "without documents"
    kind = {"copy": "copies", "free": "free"}.get(task.data.answer_type, f"{task.data.answer_type}s")
    yield f"{name}: task {task.name}, {plural(len(task.rows), 'row')} {on}, answers are {kind}, language {task.language}"
    yield from (f"  note: {warning}" for warning in task.notes)
