"""`manifest.json` of an accuracy run: its options, model and machine."""

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
    """Hash of its config, tokenizer and chat template, and of samples of its weights or of its commit."""
    revision: str | None
    """Requested branch, tag or commit."""


class Template(Record):
    """Inputs with which the model's chat template was rendered."""

    arguments: dict[str, Any]
    date: str
    """The date that the template receives as today's."""


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
    """Everything that determines an arm's output to a prompt. A run is resumed only if all of it is the same."""

    model: ModelIdentity
    template: Template
    sampling: Sampling
    engine_args: Array[str]
    """Command-line arguments for vLLM, the same for every arm."""
    seed: Count
    """Seed of documents, questions and their order."""
    vllm: str
    device: str


class Extent(Record):
    """The extent of a run. It does not affect the output to a prompt."""

    tasks: dict[str, int]
    """Versions of the tasks by name."""
    lengths: Annotated[Array[Positive], Field(min_length=1)]
    """Lengths in tokens, prompt and answer budget together, ascending."""
    samples: Count
    """Questions of each task at each length."""
    concurrency: Count
    """Maximum number of requests in flight."""


class Host(Record):
    """The machine that a run was started on."""

    machine: str
    """Processor architecture."""
    system: str
    cpus: int | None
    """CPU cores that the process may use."""
    memory: Count | None = None
    """Main memory, in bytes."""
    gpus: Array[str]
    """Name, memory and driver of each GPU, as nvidia-smi lists them."""


class LeftOut(Record):
    """Rows left out at a length, because their documents are longer."""

    task: str
    length: Count
    rows: Count
    of: Count
    """Total number of rows."""


class AskedFor(Record):
    """The model and the task files as given on the command line."""

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
    """Arms, the baseline first."""
    kveval: str
    """Version of kveval that started the run."""
    created: str
    """Time of creation, in ISO 8601."""
    git_commit: str | None = None
    """Commit of kveval, if it runs from a checkout."""
    host: Host
    model_path: str | None = None
    asked: AskedFor | None = None
    rows: dict[str, Count] = Field(default_factory=dict)
    """Rows of tasks on user data, by task."""
    left_out: Array[LeftOut] = ()

    def compared(self) -> dict[str, Any]:
        """Everything that must be the same for a run to be resumed, by name."""
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
