"""The records of a throughput pass: what was asked for, what was sent, and what came back."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from kveval.store.json_files import JsonFile
from kveval.store.manifest import Host
from kveval.store.memory_record import Memory
from kveval.store.record import Array, Count, Positive, Record, Seconds

Arrivals = Literal["poisson", "constant"]
PromptSource = Literal["random", "accuracy"]


class ScenarioShape(Record):
    """The shape of the requests of one scenario, in tokens."""

    name: str
    prompt_tokens: Positive
    """Of each prompt; on average where lengths are mixed."""
    output_tokens: Positive
    """Of each answer, exactly; on average where lengths are mixed."""
    shared_tokens: Count = 0
    """At the beginning of all prompts of a round, the same for each."""
    mixed: bool = False
    """Whether lengths vary from request to request."""


class BenchIdentity(Record):
    """What decides a pass. It is resumed only where all of it is the same."""

    model: str
    kv_dtypes: Annotated[Array[str], Field(min_length=1)]
    seed: Count
    engine_args: Array[str]
    endpoints: dict[str, str]
    """URLs of servers that ran already, by KV dtype."""
    scenarios: Array[str]
    loads: Array[str]
    rounds: Positive
    """Of each cell in each period."""
    requests: Positive
    """Of a round, before its load changes that."""
    seconds: Annotated[float, Field(gt=0)]
    """Minimum duration of an open-loop round."""
    arrivals: Arrivals
    held: bool
    """Whether each quantized cache also runs with the baseline's number of KV tokens."""
    prompts: PromptSource
    workload: str
    """Hash of all requests and their due times."""
    kveval: str
    vllm: str
    device: str


class BenchManifest(JsonFile):
    """`throughput/manifest.json`."""

    identity: BenchIdentity
    model_path: str | None = None
    scenarios: Array[ScenarioShape]
    memory: Memory
    """KV bytes and pool of one GPU, from the model's config."""
    weight_bytes: Count | None
    """Of the checkpoint's files."""
    created: str
    """When, in ISO 8601."""
    git_commit: str | None = None
    host: Host


class Request(Record):
    """One request, without its token ids."""

    id: str
    due: Seconds | None
    """Seconds after the beginning of its round; None where it is sent when another has ended."""
    prompt_tokens: Positive
    output_tokens: Positive
    source: str
    """Seed of the prompt's ids, or the sample that they come from."""
    shared_source: str = ""
    """Seed of the ids that it shares with its round."""
    shared_tokens: Count = 0
    prompt_hash: str = ""


class Round(Record):
    """A line of `requests.jsonl`: the requests that every arm gets in one round."""

    scenario: str
    load: str
    number: int
    """From 0. Warm-up rounds count down from −1."""
    requests: Annotated[Array[Request], Field(min_length=1)]
    primer: Request | None = None
    """Sent before, and not measured, where prompts share a prefix: it puts the prefix into the engine's cache."""

    @property
    def id(self) -> str:
        return f"{self.scenario}/{self.load}/{self.number}"

    @property
    def cached_tokens(self) -> int:
        """Tokens of prompts that the engine's prefix cache should have."""
        return sum(request.shared_tokens for request in self.requests)

    @property
    def work(self) -> int:
        """Tokens, in and out."""
        return sum(request.prompt_tokens + request.output_tokens for request in self.requests)


class Reply(Record):
    """What became of one request. Times are in seconds after the beginning of its round."""

    request: str
    due: Seconds
    """When it should have been sent; in a closed loop, when a place was free."""
    sent: Seconds
    chunks: Array[Seconds]
    """When each event with a choice arrived: in vLLM one for each token, or for several tokens that were ready at once."""
    end: Seconds
    prompt_tokens: Count | None
    """As the server counts them."""
    output_tokens: Count | None
    """As the server counts them."""
    error: str | None = None
    """Kind of a failure. Failed requests are in no latency."""
    detail: str | None = None

    @model_validator(mode="after")
    def _has_come_back(self) -> Self:
        if self.error is None and not (self.chunks and self.prompt_tokens and self.output_tokens):
            raise ValueError("it has neither an error nor tokens with their times")
        if self.error is None and [self.sent, *self.chunks] != sorted([self.sent, *self.chunks]):
            raise ValueError("its times are not in order")
        return self


class Gauge(Record):
    """A value that was read several times during a round, or over several rounds."""

    median: float
    max: float


class EngineWatch(Record):
    """Metrics of the engine and the GPU during one round; None where the engine does not report them."""

    hertz: float | None
    """Readings a second."""
    running: Gauge | None = None
    """Requests that ran."""
    waiting: Gauge | None = None
    """Requests that waited."""
    kv_usage: Gauge | None = None
    """Share of the KV pool in use."""
    preemptions: float | None = None
    prefix_queries: float | None = None
    """Prompt tokens looked up in the prefix cache."""
    prefix_hits: float | None = None
    """Prompt tokens found there."""
    queue_seconds: float | None = None
    """Time in the queue, over all requests."""
    queued: float | None = None
    """Requests that have left the queue."""
    client_cpu: Seconds | None
    """The client's share of a core."""
    gpu: dict[str, Gauge | None]


class SentRound(Record):
    """A line of `rounds.jsonl`: a round as one period measured it."""

    round: str
    duration: Annotated[float, Field(gt=0)]
    """Seconds."""
    replies: Array[Reply]
    """In the order of the requests."""
    engine: EngineWatch


class WarmUp(Record):
    """A line of `rounds.jsonl`: the warm-up of one cell."""

    warm_up: str
    """Scenario and load."""
    e2e: Array[Seconds] = ()
    """Median end-to-end latency of each warm-up round."""
    steady: bool
    """Whether the last round was about as fast as the one before."""
