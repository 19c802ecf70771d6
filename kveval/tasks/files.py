"""Loading of tasks from task files and data files, with all checks."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from kveval.data import Data, Hub, Reading, read_data
from kveval.data.sources import READERS, read_file
from kveval.errors import TaskError
from kveval.generators.language import Code
from kveval.tasks.own import DataFile, OwnTask
from kveval.tasks.task import NAME, SyntheticTask, Task
from kveval.tasks.turn import DOCUMENT

BUILTIN = Path(__file__).parents[1] / "builtin_tasks"
Kind = TypeVar("Kind", bound=BaseModel)

# Settings of tasks made from a bare data file. Raise the version with any change, since it changes all such tasks.
BARE_VERSION = 1
BARE_ANSWER_TOKENS = 128
BARE_PROMPTS: dict[Code, str] = {
    "en": (
        "Read the document below and answer the question at its end. Give only the answer.\n\n"
        "<document>\n{document}\n</document>\n\n{question}"
    ),
    "zh": "请阅读下面的文档，并回答文末的问题。只给出答案。\n\n<document>\n{document}\n</document>\n\n{question}",
}


class _StrictLoader(yaml.SafeLoader):
    """YAML loader that rejects duplicate keys; the standard loader silently keeps the last one."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise yaml.constructor.ConstructorError(None, None, f"it names {twice[0]!r} twice", node.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def builtin_tasks() -> tuple[str, ...]:
    """Return the names of the tasks that come with kveval."""
    return tuple(sorted(path.stem for path in BUILTIN.glob("*.yaml")))


def described_tasks() -> tuple[tuple[str, str], ...]:
    """Return name and description of each built-in task. The description is the first line of its file."""
    files = ((name, BUILTIN / f"{name}.yaml") for name in builtin_tasks())
    return tuple((name, path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")) for name, path in files)


def load_task(path_or_name: str | Path) -> Task:
    """Load a built-in task by name, or a task file or data file by path. Raises TaskError that lists every fault."""
    name = str(path_or_name)
    if Path(name).suffix.lower() in READERS:
        return _bare_data_task(Path(name))
    if name in builtin_tasks():
        path = BUILTIN / f"{name}.yaml"
    elif Path(name).suffix.lower() in {".yaml", ".yml"}:
        path = Path(name)
    else:
        near = get_close_matches(name, builtin_tasks(), n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise TaskError(
            f"Task {name!r} is unknown: built in are {', '.join(builtin_tasks())}; task files end in .yaml, data files in "
            f"{' or '.join(READERS)}.{hint}"
        )
    try:
        content = yaml.load(read_file(path).decode("utf-8"), _StrictLoader)
    except RecursionError as error:
        raise TaskError(f"Task file {path} is nested too deeply.") from error
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError, yaml.YAMLError) as error:
        # PyYAML raises these for values that look like a date, a number or a tag but are invalid.
        raise TaskError(f"Task file {path} cannot be read: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise TaskError(f"Task file {path} is not a mapping of names to values: start from a built-in task.")
    return _own_task(path, content) if "data" in content else _validated(path, SyntheticTask, content)


def _bare_data_task(path: Path) -> OwnTask:
    """Make a task from a data file without a task file."""
    if not re.fullmatch(NAME, path.stem):
        raise TaskError(
            f"{path} cannot name a task: rename it to letters, digits, - and _ (up to 64), or write a task file for it."
        )
    if path.stem in builtin_tasks():
        raise TaskError(f"{path} has the name of a built-in task: rename it, or write a task file for it.")
    data = read_data(path)
    text = "".join(row.question for row in data.rows)
    language: Code = (
        "zh" if 2 * len(re.findall(r"[\u4e00-\u9fff]", text)) > len(re.findall(r"[^\W\d_]", text)) else "en"
    )
    return OwnTask(
        name=path.stem,
        version=BARE_VERSION,
        language=language,
        answer_tokens=BARE_ANSWER_TOKENS,
        prompt=BARE_PROMPTS[language],
        data=data,
    )


def _own_task(path: Path, content: Mapping[str, Any]) -> OwnTask:
    """Make the task of a task file with data. Raises one TaskError with the faults of both files."""
    about_data = {key: value for key, value in content.items() if key in DataFile.model_fields}
    others = {key: value for key, value in content.items() if key not in about_data}
    faults: list[str] = []
    data = Data((), "text", ())
    try:
        file = _validated(path, DataFile, about_data)
        source = _dataset(file.data, path) if isinstance(file.data, Hub) else path.parent / file.data
        has_documents = DOCUMENT in f"{content.get('prompt')}{content.get('messages')}"
        reading = Reading(
            answer_type=file.answer_type,
            fields=file.fields,
            metadata=file.metadata,
            separator=file.separator,
            question=file.question,
            has_documents=has_documents,
            documents=None if file.documents is None else path.parent / file.documents,
        )
        data = read_data(source, reading)
    except TaskError as error:
        faults.append(str(error))
    try:
        task = _validated(path, OwnTask, {**others, "data": data})
        if task.name in builtin_tasks() and path.parent != BUILTIN:
            raise TaskError(f"Task file {path} has faults: name: {task.name} is a built-in task: choose another name.")
    except TaskError as error:
        faults.append(str(error))
    if faults:
        raise TaskError("\n".join(faults))
    return task


def _dataset(data: Hub, path: Path) -> Hub:
    """Resolve a dataset id that is a folder, relative to the task file at `path`. Raises TaskError for invalid ids."""
    folder = path.parent / data.dataset
    if folder.is_dir():
        return data.model_copy(update={"dataset": str(folder.resolve())})
    if not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", data.dataset):
        raise TaskError(
            f"dataset {data.dataset} is no id and no folder: give an id (name or owner/name) or a folder that exists."
        )
    return data


def _describe(fault: ErrorDetails) -> str:
    """Describe one fault of a task file, with its field."""
    where = ".".join(str(part) for part in fault["loc"] if part not in ("path", "hub")) or "task"
    if fault["type"] == "tuple_type":
        return f"{where}: write it as a list, in brackets"
    if fault["type"] == "string_pattern_mismatch":
        return f"{where}: use up to 64 letters, digits, - and _, beginning with a letter or digit"
    return f"{where}: {fault['msg'].removeprefix('Value error, ')}"


def _validated(path: Path, kind: type[Kind], content: Mapping[Any, Any]) -> Kind:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = "; ".join(map(_describe, error.errors()))
        raise TaskError(f"Task file {path} has faults: {faults}.") from error


def load_tasks(names: tuple[str, ...]) -> tuple[Task, ...]:
    """Load several tasks, in order. Raises TaskError for duplicate names, since reports identify tasks by name."""
    tasks = tuple(load_task(name) for name in names)
    given: dict[str, list[str]] = {}
    for task, name in zip(tasks, names, strict=True):
        given.setdefault(task.name, []).append(name)
    for name, files in given.items():
        if len(files) > 1:
            raise TaskError(
                f"--tasks names {name} twice ({', '.join(files)}): give each task once. The name of a task comes from its "
                "task file or, for a bare data file, from the file name."
            )
    return tasks
