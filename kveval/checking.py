"""What `kveval check` says of a data file or a task file that has no faults."""

from collections.abc import Iterator
from pathlib import Path

from kveval.data import read_data
from kveval.data.rows import READERS
from kveval.report.figures import plural
from kveval.tasks import load_task


def check_file(name: str) -> Iterator[str]:
    """A line on the file, and one for each thing that its author should know. Raises TaskError naming every fault."""
    path = Path(name)
    if path.suffix.lower() not in READERS:
        task = load_task(name)
        yield f"{name}: task {task.name}, version {task.version}, asks {task.ask} of synthetic documents"
        return
    data = read_data(path)
    documents = len({row.document for row in data.rows})
    yield f"{name}: {plural(len(data.rows), 'row')} on {plural(documents, 'document')}, answers are {data.answer_type}s"
    yield from (f"  note: {warning}" for warning in data.warnings)
