"""The records of a throughput pass: its options, requests and replies."""

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
    """Tokens of each prompt; the mean if lengths are mixed."""
    output_tokens: Positive
    """Exact number of tokens of each answer; the mean if lengths are mixed."""
    shared_tokens: Count = 0
    """Tokens of the prefix that all prompts of a round share."""
    mixed: bool = False
    """Whether lengths vary from request to request."""


class BenchIdentity(Record):
    """Everything that determines a pass. A pass is resumed only if all of it is the same."""

    model: str
    kv_dtypes: Annotated[Array[str], Field(min_length=1)]
    seed: Count
    engine_args: Array[str]
    endpoints: dict[str, str]
    """URLs of servers that were already running, by KV dtype."""
    scenarios: Array[str]
    loads: Array[str]
    rounds: Positive
    """Rounds of each cell in each period."""
    requests: Positive
    """Requests in a round, before its load changes the number."""
    seconds: Annotated[float, Field(gt=0)]
    """Minimum duration of an open-loop round, in seconds."""
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
    """Size of the checkpoint's files."""
    created: str
    """Time of creation, in ISO 8601."""
    git_commit: str | None = None
    host: Host


class Request(Record):
    """One request, without its token ids."""

    id: str
    due: Seconds | None
    """Seconds after the beginning of its round; None if it is sent when another request ends."""
    prompt_tokens: Positive
    output_tokens: Positive
    source: str
    """Seed of the prompt's token ids, or the sample that they come from."""
    shared_source: str = ""
    """Seed of the token ids that all prompts of its round share."""
    shared_tokens: Count = 0
    prompt_hash: str = ""


class Round(Record):
    """A line of `requests.jsonl`: the requests of one round, which are the same for every arm."""

    scenario: str
    load: str
    number: int
    """Number of the round, from 0. Warm-up rounds count down from −1."""
    requests: Annotated[Array[Request], Field(min_length=1)]
    primer: Request | None = None
    """Request that is sent before the round and not measured if prompts share a prefix: it fills the engine's prefix cache."""

    @property
    def id(self) -> str:
        return f"{self.scenario}/{self.load}/{self.number}"

    @property
    def cached_tokens(self) -> int:
        """Prompt tokens that should come from the engine's prefix cache."""
        return sum(request.shared_tokens for request in self.requests)

    @property
    def work(self) -> int:
        """Prompt and output tokens."""
        return sum(request.prompt_tokens + request.output_tokens for request in self.requests)


class Reply(Record):
    """The outcome of one request. Times are in seconds after the beginning of its round."""

    request: str
    due: Seconds
    """When it should have been sent; in a closed loop, when the request before it had ended."""
    sent: Seconds
    chunks: Array[Seconds]
    """When each event with a choice arrived. vLLM sends one for each token, or for several tokens that are ready at once."""
    end: Seconds
    prompt_tokens: Count | None
    """Prompt tokens, as counted by the server."""
    output_tokens: Count | None
    """Output tokens, as counted by the server."""
    error: str | None = None
    """Kind of failure. Failed requests are excluded from latencies."""
    detail: str | None = None

    @model_validator(mode="after")
    def _check_reply(self) -> Self:
        if self.error is None and not (self.chunks and self.prompt_tokens and self.output_tokens):
            raise ValueError("it has neither an error nor tokens with their times")
        if self.error is None and [self.sent, *self.chunks] != sorted([self.sent, *self.chunks]):
            raise ValueError("its times are not in order")
        return self

    def rounded(self) -> Self:
        """The same reply with times in whole microseconds, as they are stored."""
        times = {name: round(getattr(self, name), 6) for name in ("due", "sent", "end")}
        return self.model_copy(update={**times, "chunks": tuple(round(at, 6) for at in self.chunks)})


class Gauge(Record):
    """Median and maximum of a value that was read several times during a round, or over several rounds."""

    median: float
    max: float


class EngineWatch(Record):
    """Metrics of the engine and the GPU during one round; None where the engine does not report them."""

    hertz: float | None
    """Readings a second."""
    running: Gauge | None = None
    """Number of running requests."""
    waiting: Gauge | None = None
    """Number of waiting requests."""
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
    """Requests that left the queue."""
    client_cpu: Seconds | None
    """The client's share of a core."""
    gpu: dict[str, Gauge | None]


class SentRound(Record):
    """A line of `rounds.jsonl`: a round as one period measured it."""

    round: str
    duration: Annotated[float, Field(gt=0)]
    """Duration of the round, in seconds."""
    replies: Array[Reply]
    """Replies in the order of the requests."""
    engine: EngineWatch


class WarmUp(Record):
    """A line of `rounds.jsonl`: the warm-up of one cell."""

    warm_up: str
    """Scenario and load of the cell."""
    e2e: Array[Seconds] = ()
    """Median end-to-end latency of each warm-up round, in seconds."""
    steady: bool
    """Whether the last round was about as fast as the one before."""
