"""`manifest.json` of an accuracy run: what was asked for, of which model, and on which machine."""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, TypeAdapter

from kveval.arms import Arm
from kveval.store.json_files import JsonFile, Migration
from kveval.store.migrations import manifest_1_to_2
from kveval.store.record import Array, Count, Positive, Record


class ModelIdentity(Record):
    """The checkpoint under test."""

    name: str
    hash: str | None
    """Of its config, tokenizer and chat template, and of samples of its weights or of its commit."""
    revision: str | None
    """Branch, tag or commit that was asked for."""


class Template(Record):
    """What the model's chat template was rendered with."""

    arguments: dict[str, Any]
    date: str
    """The date that a template sees as today's."""


class Sampling(Record):
    """Sampling parameters of every request, by vLLM's names."""

    n: int
    temperature: float
    top_p: float
    top_k: int
    min_p: float
    presence_penalty: float
    frequency_penalty: float
    repetition_penalty: float
    length_penalty: float
    min_tokens: int
    ignore_eos: bool
    seed: int


class Identity(Record):
    """What decides an arm's output to one prompt. A run is resumed only where all of it is the same."""

    model: ModelIdentity
    template: Template
    sampling: Sampling
    engine_args: Array[str]
    """Command-line words for vLLM, the same for every arm."""
    seed: Count
    """Of documents, questions and orders."""
    vllm: str
    device: str


class Extent(Record):
    """How much a run asks: none of it decides the output to a prompt."""

    tasks: dict[str, int]
    """Versions by name."""
    lengths: Annotated[Array[Positive], Field(min_length=1)]
    """Tokens of prompt and answer budget together, ascending."""
    samples: Count
    """Questions of each task at each length."""
    concurrency: Count
    """Requests in flight at a time."""


class Host(Record):
    """The machine that a run was started on."""

    machine: str
    """Processor architecture."""
    system: str
    cpus: int | None
    """CPU cores that the process may use."""
    memory: Count | None = None
    """Bytes."""
    gpus: Array[str]
    """Name, memory and driver of each, as nvidia-smi lists them."""


class LeftOut(Record):
    """Rows that no arm is asked, because their documents are longer than the length."""

    task: str
    length: Count
    rows: Count
    of: Count
    """Rows in all."""


class AskedFor(Record):
    """The model and the task files as the command line named them."""

    model: str
    tasks: Array[str]


_ARM = TypeAdapter(Arm)


def _arm(value: Any) -> Any:
    return _ARM.validate_python(value) if isinstance(value, dict) else value


class Manifest(JsonFile):
    """`manifest.json`."""

    SCHEMA: ClassVar[int] = 2
    MIGRATIONS: ClassVar[tuple[Migration, ...]] = (manifest_1_to_2,)

    identity: Identity
    extent: Extent
    arms: Annotated[Array[Annotated[Arm, BeforeValidator(_arm)]], Field(min_length=1)]
    """The baseline first."""
    kveval: str
    """The version that began the run."""
    created: str
    """When, in ISO 8601."""
    git_commit: str | None = None
    """Of a kveval that runs from a checkout."""
    host: Host
    model_path: str | None = None
    asked: AskedFor | None = None
    rows: dict[str, Count] = Field(default_factory=dict)
    """Rows of tasks on user data, by task."""
    left_out: Array[LeftOut] = ()

    def compared(self) -> dict[str, Any]:
        """By name, all that must be the same for a run to be resumed."""
        model, others = self.identity.model, self.identity.model_dump(exclude={"model"})
        return {
            "model": model.name,
            "model_hash": model.hash,
            "revision": model.revision,
            **others,
            "task_versions": self.extent.tasks,
            **self.extent.model_dump(exclude={"tasks"}),
            "kv_dtypes": [arm.kv_dtype for arm in self.arms if arm.role != "control"],
            "control": any(arm.role == "control" for arm in self.arms),
            "endpoints": {arm.name: arm.endpoint for arm in self.arms if arm.endpoint},
        }
