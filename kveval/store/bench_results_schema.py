"""`throughput.json`: what each arm did on identical requests, and what differs."""

from typing import Literal

from pydantic import Field

from kveval.store.bench_records import Arrivals, Gauge, PromptSource
from kveval.store.json_files import JsonFile
from kveval.store.manifest import Host
from kveval.store.memory_record import Memory
from kveval.store.record import Array, Count, Interval, Positive, Record

SpeedVerdict = Literal["faster", "slower", "none", "no verdict"]
FASTER: SpeedVerdict = "faster"
SLOWER: SpeedVerdict = "slower"
NO_DIFFERENCE: SpeedVerdict = "none"
NO_VERDICT: SpeedVerdict = "no verdict"
"""Beyond the noise between two equal arms in one direction or the other; within it; not decided."""

Measure = Literal["ttft", "tpot", "throughput"]


class BenchArmFacts(Record):
    """What the engines of an arm's periods ran. None where it is not known."""

    kv_dtype_asked: str
    """Of `--kv-dtypes`."""
    kv_dtype_effective: str
    """What the engine stored KV in."""
    attention_backend: str | None
    model_dtype: str | None
    """Of weights and activations."""
    scales: str | None
    """Where the scales of a quantized cache come from."""
    kv_pool_tokens: Count | None
    """Tokens that the KV pool of one GPU holds."""
    block_size: Positive | None
    """Tokens of one block of the cache."""
    weight_bytes: Count | None
    """Memory that loading the model took on one worker."""
    engines: Count
    """Servers that were started."""
    start_seconds: Array[float]
    """Of each server, until it answered."""
    reason: str | None
    """Why the last one that failed did so."""


class Summary(Record):
    """A latency over all requests, in seconds. A percentile that n does not support is not given."""

    n: Count
    mean: float
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    left_out: dict[str, str]
    """Why a percentile is not given."""


class LatencySummaries(Record):
    """The four latencies as vLLM defines them; None without a request that came back."""

    ttft: Summary | None
    tpot: Summary | None
    itl: Summary | None
    e2e: Summary | None

    def items(self) -> tuple[tuple[str, Summary | None], ...]:
        """Each latency by its name."""
        return ("ttft", self.ttft), ("tpot", self.tpot), ("itl", self.itl), ("e2e", self.e2e)


class Spread(Record):
    """A figure over rounds."""

    median: float
    least: float
    most: float
    n: Count


class CellFigures(Record):
    """One arm in one cell: a scenario under a load. Times in seconds."""

    scenario: str
    load: str
    arm: str
    prompt_tokens: Positive
    output_tokens: Positive
    mixed: bool
    """Whether lengths vary from request to request; those above are means then."""
    rounds: Count
    servers: Count
    """Periods of this arm, each on a server of its own."""
    rounds_missing: Count
    """Rounds that no period finished."""
    requests: Count
    errors: dict[str, int]
    """Failed requests by kind."""
    error_details: dict[str, str | None]
    """The first message of each kind."""
    error_rate: float | None
    latency: LatencySummaries
    by_server: dict[str, Array[float | None]]
    """Median of each latency on each server."""
    output_tokens_per_s: Spread | None
    """Of each round."""
    total_tokens_per_s: Spread | None
    """Prompt and output tokens."""
    running: Gauge | None
    """Requests that ran at once."""
    waiting: Gauge | None
    """Requests that waited for a place in a batch."""
    kv_usage: Gauge | None
    """Share of the KV pool in use."""
    preemptions: float | None
    """Requests that lost their KV and began again."""
    queue_seconds: float | None
    """Mean time in the queue."""
    prefix_hit_rate: float | None
    """Share of prompt tokens found in the prefix cache."""
    looks_per_s: Spread | None
    """Readings of the engine's metrics a second."""
    gpu: dict[str, Gauge | None]
    client_cpu: Spread | None
    """The client's share of a core."""
    lateness: Spread | None
    """Median lateness of requests in an open loop."""
    lateness_p99: Spread | None
    rate_sent: Spread | None
    """Rate of requests sent over the rate that was asked for."""
    bursts: float | None
    """Share of chunks that arrived at once with the one before."""
    client_bound: str | None
    """Why the client, not the engine, decided these figures."""
    queue: str | None
    """`steady`, `filling` or `saturated`; None in a closed loop."""
    prefix_fault: str | None
    """Why hits of the prefix cache are not those that the scenario says."""
    unsteady: bool
    """Whether warming up ended before latencies were steady."""


class Ratio(Record):
    """A mean log-ratio, arm ÷ baseline, with its 95% interval."""

    log: float
    """Natural logarithm: −0.105 is 10% less."""
    interval: Interval
    rounds: Count
    requests: Count

    @property
    def reach(self) -> float:
        """How far from equality the interval reaches, on either side: the noise floor, where both sides are equal arms."""
        return max(abs(limit) for limit in self.interval)


class MeasureVerdict(Record):
    """One measure of a cell: how much it changed, and whether that is more than noise."""

    ratio: Ratio | None
    floor: float | None
    """Reach of the interval between the baseline's two periods."""
    blocked: bool
    """Whether something forbids a verdict."""
    verdict: SpeedVerdict
    because: str
    """What the verdict rests on, or why there is none."""


class DegradedTask(Record):
    """A task and length on which the arm lost answers in the accuracy run."""

    task: str
    length: Positive | None


class SpeedCell(Record):
    """One arm beside the baseline in one cell."""

    scenario: str
    load: str
    arm: str
    ttft: MeasureVerdict
    tpot: MeasureVerdict
    throughput: MeasureVerdict
    accuracy: Array[DegradedTask] = ()

    def measure(self, name: Measure) -> MeasureVerdict:
        verdict: MeasureVerdict = getattr(self, name)
        return verdict


class DecodeLimit(Record):
    """The least TPOT that the memory's bandwidth allows, beside the measured one, in seconds."""

    scenario: str
    load: str
    arm: str
    context: Positive
    """Tokens of a sequence in the middle of its decoding."""
    active: float
    """Sequences that a decode step reads."""
    weight_bytes: Count
    kv_bytes: float
    bandwidth: float | None
    """Bytes a second."""
    limit: float | None
    tpot: float
    share: float | None
    """The limit over the measured TPOT."""


class Estimate(Record):
    """A figure with its 95% interval; None where the data do not bound it on both sides."""

    value: float
    interval: Interval | None


class ContextLine(Record):
    """TPOT = intercept + slope × context, in seconds and seconds a token."""

    load: str
    arm: str
    contexts: Array[int]
    intercept: Estimate
    slope: Estimate
    misfit: float
    """The largest share by which the TPOT of a context is off the line."""
    slope_gain: Estimate | None
    """By how much less TPOT grows than the baseline's; None for the baseline."""
    break_even: Estimate | None
    """Context from which on tokens come sooner than the baseline's."""


class Capacity(Record):
    """How many sequences of a scenario fit, and what limits them."""

    scenario: str
    arm: str
    length: Positive
    fits: Count
    """Sequences that the pool holds at once."""
    max_num_seqs: Count | None
    most_sent: Count | None
    """Most requests in flight; None where only rates were sent."""
    cap: str
    """`pool` or `max-num-seqs`."""
    limit: str | None
    """What limited the load with the most in flight: `pool`, `max-num-seqs` or `client`."""
    shares: bool
    """Whether prompts share a prefix."""


class BenchResults(JsonFile):
    """`throughput.json`."""

    model: str
    kveval: str
    vllm: str
    device: str
    seed: Count
    engine_args: Array[str]
    workload: str
    """Hash of all requests and their due times."""
    rounds: Positive
    """Of each cell in each period."""
    requests: Positive
    """Of a round, before its load changes that."""
    seconds: float
    """Minimum duration of an open-loop round."""
    arrivals: Arrivals
    prompts: PromptSource
    endpoints: dict[str, str]
    """URLs of servers that ran already, by KV dtype."""
    host: Host
    created: str
    """When, in ISO 8601."""
    periods: Array[str]
    """Arms in the order in which they were measured."""
    arms: dict[str, BenchArmFacts]
    figures: Array[CellFigures]
    """Each arm by itself."""
    cells: Array[SpeedCell]
    """Each arm beside the baseline."""
    bandwidth: float | None = Field(gt=0)
    """Of one GPU's memory, in bytes a second."""
    limits: Array[DecodeLimit]
    lines: Array[ContextLine]
    memory: Memory
    capacity: Array[Capacity]
    remarks: Array[str]
    """What a reader should know before trusting a figure."""
    incomplete: bool
    """Whether rounds are missing, or too many requests failed."""
    advice: Array[str] = ()
