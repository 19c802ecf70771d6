"""Report lines of `kveval check` for a data file or a task file without faults."""

from collections.abc import Iterator

from kveval.tasks import OwnTask, load_task
from kveval.wording.format import plural


def check_file(name: str) -> Iterator[str]:
    """Yield a line that describes the task, and one per note for its author. Raises TaskError, which lists every fault."""
    task = load_task(name)
    if not isinstance(task, OwnTask):
        yield f"{name}: task {task.name}, version {task.version}, with generated documents"
        return
    documents = f"on {plural(len(task.by_document), 'document')}" if task.has_documents else "without documents"
    kind = {"copy": "copies", "free": "free"}.get(task.data.answer_type, f"{task.data.answer_type}s")
    yield f"{name}: task {task.name}, {plural(len(task.rows), 'row')} {documents}, answers are {kind}, language {task.language}"
    yield from (f"  note: {warning}" for warning in task.notes)
