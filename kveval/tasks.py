"""Task files: what documents a task is about, what is asked of them, and how an answer is judged."""

from difflib import get_close_matches
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kveval.errors import TaskError
from kveval.generators.copy import Passages
from kveval.generators.evidence import Records
from kveval.generators.language import Code
from kveval.generators.multihop import Chains
from kveval.generators.report import Contents, Family

_SPEC: dict[Family, str] = {"evidence": "records", "copy": "passages", "multihop": "chains"}
BUILTIN = Path(__file__).parent / "builtin_tasks"


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


class Row(BaseModel):
    """One question of a data file, with the document it is about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    document: str
    question: str
    answer: tuple[str, ...]


class Task(BaseModel):
    """One task, checked. `version` rises with any change of its texts or documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")
    version: int = Field(ge=1)
    language: Code = "en"
    """Of documents and questions; the prompt should be in it too."""
    documents: Documents
    ask: Family
    """Which of the document's questions are asked."""
    answer_tokens: int = Field(ge=1)
    """The answer budget. It counts into a length, and is the same for every sample of the task."""
    prompt: str
    """The user turn, with `{document}` and, after it, `{question}`."""
    rows: tuple[Row, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> "Task":
        if self.rows:
            raise ValueError("rows cannot be given in a task file")
        if any("\ud800" <= char <= "\udfff" for char in self.prompt):
            raise ValueError("prompt holds half of a surrogate pair, which is no character")
        if self.prompt.count("{document}") != 1 or self.prompt.count("{question}") != 1:
            raise ValueError("prompt must hold {document} and {question} once each")
        if self.prompt.index("{document}") > self.prompt.index("{question}"):
            raise ValueError("prompt must hold {document} before {question}, so that questions share a prefix")
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
        """The share of right answers that guessing reaches: one of the values of the asked kind in a document, or always
        that there is none."""
        if self.ask == "evidence" and self.documents.records:
            return max(1 / self.documents.records.number, self.documents.records.absent)
        if self.ask == "multihop" and self.documents.chains:
            return 1 / self.documents.chains.people
        return 0.0

    @property
    def before_document(self) -> str:
        return self.prompt.partition("{document}")[0]

    def after_document(self, question: str) -> str:
        before, _, after = self.prompt.partition("{document}")[2].partition("{question}")
        return before + question + after


def builtin_tasks() -> tuple[str, ...]:
    """Names of the tasks that come with kveval."""
    return tuple(sorted(path.stem for path in BUILTIN.glob("*.yaml")))


def load_task(path_or_name: str | Path) -> Task:
    """A built-in task by its name, or a task file by its path. Raises TaskError naming the file and every fault."""
    name = str(path_or_name)
    if name in builtin_tasks():
        path = BUILTIN / f"{name}.yaml"
    elif Path(name).suffix in {".yaml", ".yml"}:
        path = Path(name)
    else:
        near = get_close_matches(name, builtin_tasks(), n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise TaskError(
            f"Task {name!r} is unknown: built in are {', '.join(builtin_tasks())}; a task file ends in .yaml.{hint}"
        )
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise TaskError(f"Task file {path} is nested too deeply.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TaskError(f"Task file {path} cannot be read: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise TaskError(f"Task file {path} holds no mapping of names to values: start from a built-in task.")
    try:
        return Task.model_validate(content)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'task'}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors()
        )
        raise TaskError(f"Task file {path} has faults: {faults}.") from error


def load_tasks(names: tuple[str, ...]) -> tuple[Task, ...]:
    """Several tasks, in order. Raises TaskError where two have one name, since reports tell them apart by it."""
    tasks = tuple(load_task(name) for name in names)
    seen = [task.name for task in tasks]
    repeated = sorted({name for name in seen if seen.count(name) > 1})
    if repeated:
        raise TaskError(f"--tasks names {', '.join(repeated)} twice: give each task once, under a name of its own.")
    return tasks
