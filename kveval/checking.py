"""What `kveval check` says of a data file or a task file that has no faults."""

from collections.abc import Iterator

from kveval.report.figures import plural
from kveval.tasks import OwnTask, load_task


def check_file(name: str) -> Iterator[str]:
    """A line on the task, and one for each thing that its author should know. Raises TaskError naming every fault."""
    task = load_task(name)
    if not isinstance(task, OwnTask):
        yield f"{name}: task {task.name}, version {task.version}, on documents that are made for it"
        return
    rows, documents = plural(len(task.rows), "row"), plural(len(task.by_document), "document")
    kind = "copies" if task.is_copying else f"{task.data.answer_type}s"
    yield f"{name}: task {task.name}, {rows} on {documents}, answers are {kind}, language {task.language}"
    yield from (f"  note: {warning}" for warning in task.notes)
