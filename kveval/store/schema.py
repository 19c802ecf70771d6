"""What a run directory must hold before a report rests on it: names and types, checked as its files are read."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kveval.arms import Arm, arms_of
from kveval.store.run_directory import Record, RunDirectory, check_form, damaged, read_json, read_jsonl

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, lt=2**63)]


class Form(BaseModel):
    """What is not named here may stand there too."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class EngineIdentity(Form):
    """What was tested and by what, of an accuracy run and of a throughput pass alike."""

    model: str
    kv_dtypes: list[str]
    seed: Count
    engine_args: list[str]
    kveval: str
    vllm: str
    device: str


class Identity(EngineIdentity):
    lengths: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    control: bool
    samples: Count
    concurrency: Count
    task_versions: dict[str, int]


class Host(Form):
    machine: str
    system: str
    cpus: int | None
    gpus: list[str]


class LeftOut(Form):
    task: str
    length: Count
    rows: Count
    of: Count


class Manifest(Form):
    identity: Identity
    created: str
    host: Host
    rows: dict[str, Count] = {}
    """Of tasks on data of one's own, by name."""
    left_out: list[LeftOut] = []
    """Rows whose documents are longer than a length."""


class Sample(Form):
    id: str
    prompt_hash: str
    document_id: str
    task: str
    answer_type: Literal["number", "text", "copy", "free"]
    kind: str
    length: Annotated[int, Field(ge=1)]
    depth: Share | None
    guess: Share
    question: str
    gold: list[str]
    distractors: list[str]
    prompt_tokens: Count
    max_answer_tokens: Count
    with_document: bool = True
    padded: bool = True
    """Whether its prompt has the length exactly, and not up to it."""
    stop: list[str] = []
    reasoning_tags: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    metadata: dict[str, str] = {}
    prose: Share | None = None

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if self.answer_type != "free" and not self.gold:
            raise ValueError("gold holds no right answer")
        return self


class Document(Form):
    id: str
    text: str


class Output(Form):
    sample_id: str
    prompt_hash: str
    error: str | None
    token_ids: list[int] = []
    text: str = ""
    finish_reason: str | None = None
    total_s: float = 0.0

    @model_validator(mode="after")
    def _is_answered(self) -> Self:
        if self.error is None and not {"token_ids", "text", "finish_reason", "total_s"} <= self.model_fields_set:
            raise ValueError("it has neither an error nor an answer with its tokens")
        return self


class Engine(Form):
    status: str
    reason: str | None = None
    arguments: list[str] = []
    kv_dtype_effective: str | None = None
    kv_pool_tokens: Count | None = None
    num_gpu_blocks: Count | None = None
    block_size: Annotated[int, Field(ge=1)] | None = None
    weight_bytes: Count | None = None
    attention_backend: str | None = None
    model_dtype: str | None = None
    scales: str | None = None
    start_seconds: float = 0.0
    serving_seconds: float = 0.0


class Engines(Form):
    engines: list[Engine]


def read_manifest(directory: RunDirectory) -> Record:
    """Raises RunDirectoryError where it is missing or damaged, as all of these do."""
    return check_form(directory.read_manifest(), Manifest, directory.manifest)


def arms_in(manifest: Record) -> tuple[Arm, ...]:
    """The arms of the run that a manifest describes, the baseline first."""
    identity = manifest["identity"]
    return arms_of(identity["kv_dtypes"], control=identity["control"])


def read_samples(directory: RunDirectory) -> list[Record]:
    samples = read_jsonl(directory.samples, form=Sample)
    kinds = {sample["task"]: _kind(sample) for sample in samples}
    ids = set()
    for sample in samples:
        if sample["id"] in ids:
            raise damaged(directory.samples, None, f"{sample['id']} stands there twice")
        if _kind(sample) != kinds[sample["task"]]:
            raise damaged(directory.samples, None, f"the task {sample['task']} has answers of more than one kind")
        ids.add(sample["id"])
    if not samples:
        raise damaged(directory.samples, None, "it holds no sample")
    return samples


def _kind(sample: Record) -> str:
    """What the samples of one task have in common."""
    return str(sample["answer_type"]) if sample["answer_type"] in ("copy", "free") else "value"


def read_documents(directory: RunDirectory, samples: list[Record]) -> dict[str, str]:
    """Texts by id, of every document of `samples`; empty where a question is asked without its document."""
    texts = {record["id"]: record["text"] for record in read_jsonl(directory.documents, form=Document)}
    for sample in samples:
        if not sample.get("with_document", True):
            texts.setdefault(sample["document_id"], "")
        elif sample["document_id"] not in texts:
            raise damaged(directory.documents, None, f"it has no document {sample['document_id']}")
    return texts


def read_engines(directory: RunDirectory, arm: str) -> list[Record]:
    """Every engine that has served an arm, the last one last; none where it was not started."""
    path = directory.engine(arm)
    if not path.exists():
        return []
    engines: list[Record] = check_form(read_json(path), Engines, path)["engines"]
    return engines


def agreed(engines: list[Record], fact: str) -> Any:
    """One fact of all engines that served an arm; None where they differ, since the outputs are then a mixture."""
    values = {engine.get(fact) for engine in engines}
    return values.pop() if len(values) == 1 else None
