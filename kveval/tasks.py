"""Task files: what documents a task is about, what is asked of them, and how an answer is judged."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from kveval.data import Data, Row, read_data
from kveval.data.rows import FIELDS, OPTIONAL, READERS, read_file
from kveval.errors import TaskError
from kveval.generators.copy import Passages
from kveval.generators.evidence import Records
from kveval.generators.language import Code
from kveval.generators.multihop import Chains
from kveval.generators.parts import AnswerType
from kveval.generators.report import Contents, Family

_SPEC: dict[Family, str] = {"evidence": "records", "copy": "passages", "multihop": "chains"}
BUILTIN = Path(__file__).parent / "builtin_tasks"
Kind = TypeVar("Kind", bound=BaseModel)
NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

# What a bare data file is asked with. A change of these is one of every such task: raise its version.
BARE_VERSION = 1
BARE_ANSWER_TOKENS = 128
BARE_PROMPTS: dict[Code, str] = {
    "en": (
        "Read the document below and answer the question at its end. Give only the answer.\n\n"
        "<document>\n{document}\n</document>\n\n{question}"
    ),
    "zh": "请阅读下面的文档，并回答文末的问题。只给出答案。\n\n<document>\n{document}\n</document>\n\n{question}",
}


class Documents(BaseModel):
    """What synthetic documents hold. Tasks with equal documents, language and prompt share them, token for token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: int = 4
    """Questions of each task on a document."""
    answer_reserve: int = Field(default=64, ge=1, le=65_536)
    """Tokens kept free in every document for the longest answer of all tasks that share it."""
    records: Records | None = None
    passages: Passages | None = None
    chains: Chains | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "Documents":
        self.contents  # noqa: B018 raises ValueError
        return self

    @property
    def contents(self) -> Contents:
        return Contents(self.questions, self.records, self.passages, self.chains)


class Task(BaseModel):
    """What every task has. `version` rises with any change of its texts or documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME)
    version: int = Field(ge=1)
    language: Code = "en"
    """Of documents and questions; the prompt should be in it too."""
    answer_tokens: int = Field(ge=1, le=65_536)
    """The answer budget. It counts into a length, and is the same for every sample of the task."""
    prompt: str
    """The user turn, with `{document}` and, after it, `{question}`."""

    @field_validator("prompt")
    @classmethod
    def _has_places(cls, prompt: str) -> str:
        if any("\ud800" <= char <= "\udfff" for char in prompt):
            raise ValueError("prompt holds half of a surrogate pair, which is no character")
        if prompt.count("{document}") != 1 or prompt.count("{question}") != 1:
            raise ValueError("prompt must hold {document} and {question} once each")
        if prompt.index("{document}") > prompt.index("{question}"):
            raise ValueError("prompt must hold {document} before {question}, so that questions share a prefix")
        return prompt

    @property
    def before_document(self) -> str:
        return self.prompt.partition("{document}")[0]

    def after_document(self, question: str) -> str:
        before, _, after = self.prompt.partition("{document}")[2].partition("{question}")
        return before + question + after

    @property
    def rows(self) -> tuple[Row, ...]:
        """The questions of a task on data of one's own; none of one on synthetic documents."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not wrong with the task's data, and its author should know."""
        return ()

    @property
    def guess(self) -> float:
        """The share of right answers that guessing reaches."""
        return 0.0

    @property
    def is_copying(self) -> bool:
        """Whether answers are copies, judged by similarity."""
        raise NotImplementedError

    @property
    def at_every_length(self) -> bool:
        """Whether all its questions are asked at each length, and not each at one of them."""
        return True

    @property
    def shares(self) -> object:
        """Tasks of which this is equal ask about the same documents."""
        raise NotImplementedError

    def places(self, samples: int) -> list[int]:
        """For each question that a length has when `samples` are asked for, the index of its document."""
        raise NotImplementedError


class SyntheticTask(Task):
    """Questions on documents that are made for them."""

    documents: Documents
    ask: Family
    """Which of the document's questions are asked."""

    @model_validator(mode="after")
    def _fits_together(self) -> "SyntheticTask":
        if self.ask not in self.documents.contents.families:
            raise ValueError(f"documents hold nothing to ask {self.ask} about: give documents.{_SPEC[self.ask]}")
        if self.ask == "copy" and self.documents.passages and self.answer_tokens < self.documents.passages.tokens[1]:
            raise ValueError(
                "answer_tokens is below documents.passages.tokens, so that no answer holds the longest passages"
            )
        if self.answer_tokens > self.documents.answer_reserve:
            raise ValueError(
                f"answer_tokens is {self.answer_tokens}, above documents.answer_reserve {self.documents.answer_reserve}"
            )
        return self

    @property
    def guess(self) -> float:
        """One of the values of the asked kind in a document, or always that there is none."""
        if self.ask == "evidence" and self.documents.records:
            return max(1 / self.documents.records.number, self.documents.records.absent)
        if self.ask == "multihop" and self.documents.chains:
            return 1 / self.documents.chains.people
        return 0.0

    @property
    def is_copying(self) -> bool:
        return self.ask == "copy"

    @property
    def shares(self) -> object:
        return self.documents, self.language, self.prompt

    def places(self, samples: int) -> list[int]:
        return [index // self.documents.questions for index in range(samples)]


class OwnTask(Task):
    """Questions and documents out of a data file."""

    data: Data
    pad: Literal["filler", "none"] = "filler"
    """`filler`: each document among prose, at every length; `none`: as it is, at the shortest length that holds it."""

    @field_validator("name")
    @classmethod
    def _is_its_own(cls, name: str) -> str:
        if name in builtin_tasks():
            raise ValueError(f"{name} is a built-in task: reports could not tell them apart")
        return name

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.data.rows

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data.warnings

    @property
    def is_copying(self) -> bool:
        return self.data.answer_type == "copy"

    @property
    def at_every_length(self) -> bool:
        return self.pad != "none"

    @property
    def shares(self) -> object:
        return self.name

    @cached_property
    def by_document(self) -> tuple[tuple[Row, ...], ...]:
        """The rows on each document, documents in the order in which they come up."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.document, []).append(row)
        return tuple(map(tuple, found.values()))

    def places(self, samples: int) -> list[int]:
        return [index for index, rows in enumerate(self.by_document) for _ in rows][:samples]


class DataFile(BaseModel):
    """What a task file says of a data file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str = Field(min_length=1)
    """Path of a JSONL or CSV file, from where the task file is."""
    fields: dict[str, str] = {}
    """Names of the file's fields, where they are others than these."""
    answer_type: AnswerType

    @field_validator("fields")
    @classmethod
    def _are_known(cls, fields: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(fields) - {*FIELDS, *OPTIONAL}):
            raise ValueError(f"{unknown[0]!r} is no field of a row: name {', '.join((*FIELDS, *OPTIONAL))}")
        columns = [fields.get(name, name) for name in (*FIELDS, *OPTIONAL)]
        if "" in columns or len(set(columns)) < len(columns):
            raise ValueError("each needs a name in the file, and one of its own")
        return fields


class _StrictLoader(yaml.SafeLoader):
    """Takes no key twice, of which YAML's own reader would keep the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise yaml.constructor.ConstructorError(None, None, f"it names {twice[0]!r} twice", node.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def builtin_tasks() -> tuple[str, ...]:
    """Names of the tasks that come with kveval."""
    return tuple(sorted(path.stem for path in BUILTIN.glob("*.yaml")))


def described_tasks() -> tuple[tuple[str, str], ...]:
    """Each built-in task with the line that its file begins with."""
    files = ((name, BUILTIN / f"{name}.yaml") for name in builtin_tasks())
    return tuple((name, path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")) for name, path in files)


def load_task(path_or_name: str | Path) -> Task:
    """A built-in task by its name, or a task file or data file by its path.

    Raises TaskError naming the file and every fault.
    """
    name = str(path_or_name)
    if Path(name).suffix.lower() in READERS:
        return _bare(Path(name))
    if name in builtin_tasks():
        path = BUILTIN / f"{name}.yaml"
    elif Path(name).suffix.lower() in {".yaml", ".yml"}:
        path = Path(name)
    else:
        near = get_close_matches(name, builtin_tasks(), n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise TaskError(
            f"Task {name!r} is unknown: built in are {', '.join(builtin_tasks())}; a task file ends in .yaml, a data file in "
            f"{' or '.join(READERS)}.{hint}"
        )
    try:
        content = yaml.load(read_file(path).decode("utf-8"), _StrictLoader)
    except RecursionError as error:
        raise TaskError(f"Task file {path} is nested too deeply.") from error
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError, yaml.YAMLError) as error:
        # What the YAML reader raises for values that look like a date, a number or a tag, and are none.
        raise TaskError(f"Task file {path} cannot be read: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise TaskError(f"Task file {path} holds no mapping of names to values: start from a built-in task.")
    return _own(path, content) if "data" in content else _validated(path, SyntheticTask, content)


def _bare(path: Path) -> OwnTask:
    """The task of a data file that has no task file."""
    if not re.fullmatch(NAME, path.stem):
        raise TaskError(
            f"{path} cannot name a task: rename it to letters, digits, - and _ (up to 64), or name it in a task file."
        )
    if path.stem in builtin_tasks():
        raise TaskError(f"{path} has the name of a built-in task: rename it, or name it in a task file.")
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


def _own(path: Path, content: Mapping[str, Any]) -> OwnTask:
    """The task of a task file with data. What is wrong with either file is all told at once."""
    about_data = {key: value for key, value in content.items() if key in DataFile.model_fields}
    others = {key: value for key, value in content.items() if key not in about_data}
    faults: list[str] = []
    data = Data((), "text", ())
    try:
        file = _validated(path, DataFile, about_data)
        data = read_data(path.parent / file.data, file.answer_type, file.fields)
    except TaskError as error:
        faults.append(str(error))
    try:
        task = _validated(path, OwnTask, {**others, "data": data})
    except TaskError as error:
        faults.append(str(error))
    if faults:
        raise TaskError("\n".join(faults))
    return task


def _validated(path: Path, kind: type[Kind], content: Mapping[Any, Any]) -> Kind:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'task'}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors()
        )
        raise TaskError(f"Task file {path} has faults: {faults}.") from error


def load_tasks(names: tuple[str, ...]) -> tuple[Task, ...]:
    """Several tasks, in order. Raises TaskError where two have one name, since reports tell them apart by it."""
    tasks = tuple(load_task(name) for name in names)
    given: dict[str, list[str]] = {}
    for task, name in zip(tasks, names, strict=True):
        given.setdefault(task.name, []).append(name)
    for name, files in given.items():
        if len(files) > 1:
            raise TaskError(
                f"--tasks names {name} twice ({', '.join(files)}): give each task once, under a name of its own, which a task "
                "file or the name of a data file sets."
            )
    return tasks
