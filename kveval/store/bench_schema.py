"""What the files of a throughput pass must hold before a report rests on it: names and types, checked as they are read."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kveval.store.record import Count


class Form(BaseModel):
    """The names that a record needs; it may have others."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class EngineIdentity(Form):
    """What was tested and by what."""

    model: str
    kv_dtypes: list[str]
    seed: Count
    engine_args: list[str]
    kveval: str
    vllm: str
    device: str


class Host(Form):
    machine: str
    system: str
    cpus: int | None
    gpus: list[str]


Positive = Annotated[int, Field(ge=1, lt=2**63)]
Seconds = Annotated[float, Field(ge=0)]
Bytes = Annotated[list[Count], Field(min_length=2, max_length=2)]


class Identity(EngineIdentity):
    kv_dtypes: Annotated[list[str], Field(min_length=1)]
    endpoints: dict[str, str]
    scenarios: list[str]
    loads: list[str]
    rounds: Positive
    requests: Positive
    seconds: Annotated[float, Field(gt=0)]
    arrivals: Literal["poisson", "constant"]
    held: bool
    prompts: str
    workload: str


class Scenario(Form):
    name: str
    prompt_tokens: Positive
    output_tokens: Positive
    shared_tokens: Count
    mixed: bool


class AtLength(Form):
    length: Positive
    bytes: Bytes


class Cache(Form):
    kv_dtype: str
    token_bytes: Bytes
    lengths: list[AtLength]


class Memory(Form):
    tensor_parallel: Positive
    caches: list[Cache]


class Manifest(Form):
    identity: Identity
    created: str
    host: Host
    scenarios: list[Scenario]
    memory: Memory
    weight_bytes: Count | None


class Request(Form):
    id: str
    due: Seconds | None
    prompt_tokens: Positive
    output_tokens: Positive
    source: str
    shared_source: str
    shared_tokens: Count
    prompt_hash: str


class Round(Form):
    scenario: str
    load: str
    number: Count
    requests: Annotated[list[Request], Field(min_length=1)]
    primer: Request | None


class Reply(Form):
    request: str
    due: Seconds
    sent: Seconds
    chunks: list[Seconds]
    end: Seconds
    prompt_tokens: Count | None
    output_tokens: Count | None
    error: str | None
    detail: str | None

    @model_validator(mode="after")
    def _has_come_back(self) -> Self:
        if self.error is None and not (self.chunks and self.prompt_tokens and self.output_tokens):
            raise ValueError("it has neither an error nor tokens with their times")
        if self.error is None and [self.sent, *self.chunks] != sorted([self.sent, *self.chunks]):
            raise ValueError("its times are not in order")
        return self


class Gauge(Form):
    median: float
    max: float


class Said(Form):
    """By the engine and the GPU, of one round."""

    hertz: float | None
    client_cpu: Seconds | None
    gpu: dict[str, Gauge | None]
    running: Gauge | None = None
    waiting: Gauge | None = None
    kv_usage: Gauge | None = None
    preemptions: float = 0.0
    prefix_queries: float = 0.0
    prefix_hits: float = 0.0
    queue_seconds: float = 0.0
    queued: float = 0.0


class Sent(Form):
    """A round as one period measured it."""

    round: str
    duration: Annotated[float, Field(gt=0)]
    replies: list[Reply]
    engine: Said


class WarmUp(Form):
    warm_up: str
    steady: bool


class Results(Form):
    """Of what follows from all that, the part that was given and stands nowhere else."""

    bandwidth: Annotated[float, Field(gt=0)] | None
