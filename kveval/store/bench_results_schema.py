"""`throughput.json`: the figures of each arm on identical requests, and the differences between arms."""

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
"""A difference beyond the noise floor in either direction; a difference within it; or no verdict possible."""

Measure = Literal["ttft", "tpot", "throughput"]


class BenchArmFacts(Record):
    """What the engines of an arm's periods ran. None if not known."""

    kv_dtype_asked: str
    """KV dtype requested with `--kv-dtypes`."""
    kv_dtype_effective: str
    """KV dtype that the engine used."""
    attention_backend: str | None
    model_dtype: str | None
    """Data type of weights and activations."""
    scales: str | None
    """Source of the scales of a quantized cache."""
    kv_pool_tokens: Count | None
    """Capacity of one GPU's KV pool, in tokens."""
    block_size: Positive | None
    """Tokens in one block of the cache."""
    weight_bytes: Count | None
    """Memory that loading the model took on one worker."""
    engines: Count
    """Number of servers started."""
    start_seconds: Array[float]
    """Start time of each server until it answered, in seconds."""
    reason: str | None
    """Why the last failed server failed."""


class Summary(Record):
    """A latency over all requests, in seconds. A percentile is omitted if n does not support it."""

    n: Count
    mean: float
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    left_out: dict[str, str]
    """Why a percentile is omitted."""


class LatencySummaries(Record):
    """The four latencies as vLLM defines them; None if no request succeeded."""

    ttft: Summary | None
    tpot: Summary | None
    itl: Summary | None
    e2e: Summary | None

    def items(self) -> tuple[tuple[str, Summary | None], ...]:
        """Each latency by its name."""
        return ("ttft", self.ttft), ("tpot", self.tpot), ("itl", self.itl), ("e2e", self.e2e)


class Spread(Record):
    """Median, minimum and maximum of a figure over rounds."""

    median: float
    least: float
    most: float
    n: Count


class CellFigures(Record):
    """Figures of one arm in one cell: a scenario under a load. Times are in seconds."""

    scenario: str
    load: str
    arm: str
    prompt_tokens: Positive
    output_tokens: Positive
    mixed: bool
    """Whether lengths vary from request to request. If so, the token counts above are means."""
    rounds: Count
    servers: Count
    """Number of the arm's periods with rounds of this cell, each on its own server."""
    rounds_missing: Count
    """Rounds of the arm's periods that were not finished."""
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
    """Output tokens a second in a round."""
    total_tokens_per_s: Spread | None
    """Prompt and output tokens a second in a round."""
    running: Gauge | None
    """Number of running requests."""
    waiting: Gauge | None
    """Number of requests waiting to be scheduled."""
    kv_usage: Gauge | None
    """Share of the KV pool in use."""
    preemptions: float | None
    """Number of preemptions: requests that lost their KV and had to restart."""
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
    """Rate at which requests were sent over the rate requested."""
    bursts: float | None
    """Share of chunks that arrived together with the one before."""
    client_bound: str | None
    """Why the client, not the engine, was the bottleneck."""
    queue: str | None
    """`steady`, `filling` or `saturated`; None in a closed loop."""
    prefix_fault: str | None
    """What is wrong with the prefix-cache hits; None if they are as the scenario implies."""
    unsteady: bool
    """Whether the warm-up ended before latencies were steady."""


class Ratio(Record):
    """Mean of ln(arm ÷ baseline), with its 95% interval."""

    log: float
    """Mean natural logarithm of the ratio: −0.105 means 10% less."""
    interval: Interval
    rounds: Count
    requests: Count

    @property
    def reach(self) -> float:
        """The largest absolute log-ratio in the interval: the noise floor if both sides are the same arm."""
        return max(abs(limit) for limit in self.interval)


class MeasureVerdict(Record):
    """One measure of a cell: its change, and the verdict on it."""

    ratio: Ratio | None
    floor: float | None
    """Noise floor: the largest absolute log-ratio in the interval between the baseline's two periods."""
    blocked: bool
    """Whether the data do not allow a verdict."""
    verdict: SpeedVerdict
    because: str
    """Reason for the verdict, or why there is none."""


class DegradedTask(Record):
    """A task and length at which the arm is degraded in the accuracy run."""

    task: str
    length: Positive | None


class SpeedCell(Record):
    """One arm compared with the baseline in one cell."""

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
    """The minimum TPOT that memory bandwidth allows, and the measured TPOT, in seconds."""

    scenario: str
    load: str
    arm: str
    context: Positive
    """Tokens of a sequence in the middle of decoding."""
    active: float
    """Number of sequences whose KV a decode step reads."""
    weight_bytes: Count
    kv_bytes: float
    bandwidth: float | None
    """Memory bandwidth of one GPU, in bytes per second."""
    limit: float | None
    tpot: float
    share: float | None
    """The limit divided by the measured TPOT."""


class Estimate(Record):
    """A figure with its 95% interval; the interval is None if the data do not bound it on both sides."""

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
    """The largest relative deviation of the line from the mean TPOT of a context."""
    slope_gain: Estimate | None
    """The baseline's slope minus the arm's; None for the baseline."""
    break_even: Estimate | None
    """Context above which the arm's TPOT is lower than the baseline's; None if its TPOT does not grow more slowly."""


class Capacity(Record):
    """How many sequences of a scenario fit, and what limits them."""

    scenario: str
    arm: str
    length: Positive
    fits: Count
    """Number of sequences that fit into the pool at once."""
    max_num_seqs: Count | None
    most_sent: Count | None
    """Maximum number of requests in flight; None if only rates were sent."""
    cap: str
    """`pool` or `max-num-seqs`."""
    limit: str | None
    """What limited the load with the most requests in flight: `pool`, `max-num-seqs` or `client`."""
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
    """Rounds of each cell in each period."""
    requests: Positive
    """Requests in a round, before its load changes the number."""
    seconds: float
    """Minimum duration of an open-loop round, in seconds."""
    arrivals: Arrivals
    prompts: PromptSource
    endpoints: dict[str, str]
    """URLs of servers that were already running, by KV dtype."""
    host: Host
    created: str
    """Time of creation, in ISO 8601."""
    periods: Array[str]
    """Periods in the order in which they were measured."""
    arms: dict[str, BenchArmFacts]
    figures: Array[CellFigures]
    """Figures of each arm in each cell."""
    cells: Array[SpeedCell]
    """Comparison of each arm with the baseline in each cell."""
    bandwidth: float | None = Field(gt=0)
    """Memory bandwidth of one GPU, in bytes per second."""
    limits: Array[DecodeLimit]
    lines: Array[ContextLine]
    memory: Memory
    capacity: Array[Capacity]
    remarks: Array[str]
    """What a reader should know before trusting a figure."""
    incomplete: bool
    """Whether rounds are missing, or too many requests failed."""
    advice: Array[str] = ()
