"""`report.json`: the losses of each arm against the baseline, by task and length."""

from typing import Literal

from pydantic import Field

from kveval.store.json_files import JsonFile
from kveval.store.manifest import Host, LeftOut
from kveval.store.record import Array, Count, Interval, Positive, Record, Share

Verdict = Literal["degraded", "invalid", "weak baseline", "inconclusive", "pass"]
VERDICTS: tuple[Verdict, ...] = ("degraded", "invalid", "weak baseline", "inconclusive", "pass")
"""All verdicts, the most serious first."""

Measure = Literal["right", "similarity"]
"""What a cell is judged by: right and wrong answers, or similarities from 0 to 1."""

ArmStatus = Literal["done", "failed", "incomplete"]
DONE: ArmStatus = "done"
FAILED: ArmStatus = "failed"
INCOMPLETE: ArmStatus = "incomplete"


class ArmFacts(Record):
    """What an arm's engines ran, how much they answered, and how they ended. None if not known."""

    kv_dtype_asked: str | None
    kv_dtype_effective: str | None
    """The format in which the cache was stored; `unknown` if the engines' reports differ or are inconsistent."""
    kv_pool_tokens: Count | None
    attention_backend: str | None
    scales: str | None
    model_dtype: str | None
    block_size: Positive | None = None
    status: ArmStatus
    reason: str | None = None
    """Why the arm failed."""
    samples: Count = 0
    errors: Count = 0
    """Requests that failed."""
    error_kinds: dict[str, int] = Field(default_factory=dict)
    missing: Count = 0
    """Samples that were not answered."""
    engines: Count = 0
    """Number of engines started for the arm."""
    start_seconds: float = 0.0
    serving_seconds: float = 0.0
    prefix_cache_hits: float | None = None
    prefix_cache_queries: float | None = None
    preemptions: float | None = None
    source: str | None = None
    """Folder or run from which a compared arm was read."""
    setup: dict[str, str] | None = None
    """Known settings of a compared arm other than its cache."""


class FaultCount(Record):
    """How often one kind of fault occurs."""

    count: Count
    of: Count
    """Total number of answers, words or passages."""
    unit: Literal["answers", "words", "passages"]


class Counts(Record):
    """Pairs of answers to the same samples on baseline and arm."""

    n: Count
    """Pairs with an answer on both sides."""
    right_baseline: Count
    right: Count
    lost: Count
    """Right on the baseline only."""
    gained: Count
    """Right on the arm only."""


class DepthPart(Counts):
    """Answers whose evidence begins in one part of the document."""

    start: Share = Field(alias="from")
    end: Share = Field(alias="to")
    score_baseline: float
    score: float


class MetadataPart(Counts):
    """Answers to rows that have one value of a metadata field."""

    field: str
    value: str
    score_baseline: float
    score: float
    token_diff: Share | None


class Divergence(Record):
    """How long outputs stay equal to the baseline's (Kaplan-Meier; outputs that never differ are censored)."""

    never: Count
    """Outputs that never differ."""
    median: float | None
    """Median number of tokens before the first difference; None if the estimate does not fall to one half."""
    still_equal: dict[str, float]
    """Estimated share of outputs whose first tokens are all equal, by number of tokens."""


class Excess(Record):
    """Difference of an arm from the baseline in excess of the control's, over the samples that all three answered."""

    n: Count
    difference: float
    """Mean difference of right answers or similarities, arm minus control."""
    interval: Interval
    flips: float
    """Share of samples whose verdict changed, arm minus control."""
    flips_interval: Interval
    token_diff: float
    """Mean token-diff rate, arm minus control."""
    token_diff_interval: Interval
    earlier: Count
    """Outputs that diverge from the baseline's earlier than the control's do."""
    later: Count
    p: Share
    """P-value of the paired test of the null hypothesis that earlier and later are equally likely."""


class Baseline(Record):
    """Results of the baseline alone, at one task and length."""

    task: str
    length: Positive | None
    padded: bool = True
    n: Count
    """Number of samples scored."""
    documents: Count
    right: Count
    right_interval: Interval | None
    """95% Wilson interval of the share of right answers."""
    score: float | None
    """Mean value: share of right answers, or mean similarity."""
    errors: Count
    missing: Count
    cut: Count
    """Wrong answers that were cut off by the answer budget."""
    garbage: Count
    """Answers that are empty, repetitive or unfinished reasoning."""
    flags: dict[str, int]
    faults: dict[str, FaultCount]


class Cell(Counts):
    """One task at one length on one arm, compared with the baseline on the same samples."""

    task: str
    length: Positive | None
    """None for results of a benchmark without lengths."""
    padded: bool = True
    """False if prompts are not padded to `length`, which is then the shortest length that fits them."""
    arm: str
    documents: Count
    measure: Measure
    errors: Count
    missing: Count
    guess: Share | None
    """Accuracy of guessing."""
    score_baseline: float | None
    score: float | None
    difference: float | None
    """Arm minus baseline, as a share of right answers or a similarity."""
    interval: Interval | None
    """95% interval of the difference."""
    token_diff: Share | None
    """Mean token-diff rate against the baseline."""
    identical: Count | None
    """Outputs with the same tokens as the baseline's."""
    divergence: Divergence | None
    length_ratio: float | None
    """Answer tokens of the arm over those of the baseline."""
    metrics: Array[str]
    lost_to: dict[str, int]
    """Faults of the answers that are worse than the baseline's."""
    faults_baseline: dict[str, FaultCount]
    faults: dict[str, FaultCount]
    depths: Array[DepthPart]
    breakdowns: Array[MetadataPart]
    worst: Array[str]
    """Ids of the samples that lost most."""
    excess: Excess | None = None
    """None without a control, and for the control itself."""
    p: Share | None = None
    """P-value of the two-sided paired test for no difference."""
    p_adjusted: Share | None = None
    """P-value with Holm's adjustment over the cells that get a verdict."""
    verdict: Verdict | None = None
    """None for the control, and if no answer is known to be right."""
    because: str = ""
    confounds: Array[str] = ()
    """Differences from the baseline's engine other than the cache."""


class Trend(Record):
    """Whether an arm's loss on a task grows with the length."""

    task: str
    arm: str
    lengths: Array[Positive]
    per_doubling: float
    """Change of the difference with each doubling of the length."""
    p: Share
    """P-value of the permutation test for no trend."""


class ClosedBook(Record):
    """A task's questions asked of the baseline without their documents."""

    task: str
    n: Count
    right: Count
    right_interval: Interval
    guess: Share
    answerable: bool
    """Whether more answers are right than guessing explains."""


class WorstPair(Record):
    """A sample that lost much, with both outputs."""

    task: str
    length: Positive | None
    padded: bool = True
    arm: str
    sample_id: str
    question: str
    gold: Array[str]
    depth: Share | None
    reason: str | None
    value_baseline: float | None
    value: float | None
    output_baseline: str
    output: str


class Matched(Record):
    """How many samples of a task two compared sides have in common."""

    task: str
    matched: Count
    only_baseline: Count
    only_arm: Count
    other_prompt: Count
    """Samples that both sides have, but with different prompts."""


class Findings(JsonFile):
    """Fields that the report of a run and the report of a comparison share."""

    kveval: str
    metrics: dict[str, int]
    """Versions of the metrics by name."""
    margin: float
    """The accepted loss, as a share."""
    seed: Count
    arms: dict[str, ArmFacts]
    baselines: Array[Baseline]
    cells: Array[Cell]
    trends: Array[Trend]
    worst_pairs: Array[WorstPair]
    remarks: Array[str]
    conclusions: Array[str]
    """A sentence on each arm."""
    incomplete: bool


class Report(Findings):
    """`report.json` of a run."""

    model: str
    vllm: str
    device: str
    host: Host
    created: str
    tasks: dict[str, int]
    """Versions of the tasks by name."""
    lengths: Array[Positive]
    samples: Count
    """Questions of each task at each length."""
    concurrency: Count
    engine_args: Array[str]
    without_document: Array[ClosedBook]
    left_out: Array[LeftOut]
    not_tested: str


class ComparisonReport(Findings):
    """`report.json` of a comparison of existing results."""

    about: str
    """What was compared, in one line."""
    left_out: Array[Matched]
