"""The records of an accuracy run: samples, documents, outputs, engines and scores."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, Strict, model_validator

from kveval.store.json_files import JsonFile, Migration
from kveval.store.migrations import engines_1_to_2
from kveval.store.record import Array, Count, Positive, Record, Share

Pair = Annotated[tuple[str, str], Strict(False)]
Status = Literal["scored", "error", "missing"]
AnswerType = Literal["number", "text", "copy", "free"]
EngineStatus = Literal["starting", "serving", "done", "failed"]

SCORED: Status = "scored"
ERROR: Status = "error"
MISSING: Status = "missing"
"""Status of a score: the answer was scored; its request failed; it was not sent yet, or was lost with its engine."""

Key = tuple[str, str]
"""Sample id and prompt hash, by which outputs are looked up."""


class SampleRecord(Record):
    """A line of `samples.jsonl`: one question. Its prompt is not stored, only the prompt's hash."""

    id: str
    document_id: str
    task: str
    answer_type: AnswerType
    guess: Share
    """Accuracy of guessing."""
    length: Positive
    """Tokens of prompt and answer budget together."""
    prompt_tokens: Count
    prompt_hash: str
    max_answer_tokens: Count
    question: str
    gold: Array[str]
    """Accepted answers, the document's own first; none for a free answer."""
    distractors: Array[str]
    """Values of other records of the document, which are wrong answers."""
    kind: str
    """How the question leads to its answer; `absent` if the document does not contain one."""
    depth: Share | None
    """Where the evidence begins, as a share of the document."""
    with_document: bool = True
    """False for a closed-book question, whose prompt omits the document."""
    padded: bool = True
    """Whether the prompt is padded to exactly `length` minus the answer budget."""
    stop: Array[str] = ()
    """Texts that end an answer."""
    reasoning_tags: Array[Pair] = ()
    """Opening and closing tags of reasoning, in addition to those that kveval knows."""
    metadata: dict[str, str] = Field(default_factory=dict)
    """Fields by which results are broken down."""
    prose: Share | None = None
    """Share of the prompt that is padded with prose, since there are too few other documents."""

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if self.answer_type != "free" and not self.gold:
            raise ValueError("gold contains no accepted answer")
        return self

    @property
    def key(self) -> Key:
        return self.id, self.prompt_hash


class DocumentRecord(Record):
    """A line of `documents.jsonl`: the text that a document's questions are about."""

    id: str
    text: str


class OutputRecord(Record):
    """A line of `outputs.jsonl`: one arm's answer to a sample, or the error of its request."""

    sample_id: str
    prompt_hash: str
    error: str | None
    token_ids: Array[int] = ()
    text: str = ""
    finish_reason: str | None = None
    """`stop` or `length`, as reported by vLLM."""
    logprobs: Array[float] = ()
    """Natural logarithm of each chosen token's probability."""
    margins: Array[float] = ()
    """Log-probability of each chosen token minus that of the likeliest other token, in nats."""
    first_token_s: float = 0.0
    """Seconds from sending to the first token."""
    total_s: float = 0.0
    """Seconds from sending to the end of the stream."""

    @model_validator(mode="after")
    def _is_answered(self) -> Self:
        if self.error is None and not {"token_ids", "text", "finish_reason", "total_s"} <= self.model_fields_set:
            raise ValueError("it has neither an error nor an answer with its tokens")
        return self

    @property
    def key(self) -> Key:
        return self.sample_id, self.prompt_hash


class EngineFacts(Record):
    """What one engine ran, read from its metrics and its log. None if the engine did not report it."""

    kv_dtype_asked: str
    kv_dtype_effective: str
    """vLLM's name of the storage format, with aliases resolved; `unknown` if label and pool size are inconsistent."""
    kv_pool_tokens: Count | None
    kv_pool_bytes: Count | None
    block_size: Positive | None
    """Tokens in a block of the pool."""
    num_gpu_blocks: Count | None
    """Blocks of the pool, also on a CPU."""
    weight_bytes: Count | None
    """Memory that loading the model took on one worker; vLLM does not report it on a CPU."""
    attention_backend: str | None
    model_dtype: str | None
    scales: str | None
    """Source of the K and V scales: `1.0, not calibrated`, `checkpoint` or `computed at run time`; None without scales."""
    prefix_caching: bool | None
    vllm_version: str
    device: str
    start_seconds: float


class EngineRecord(Record):
    """One engine that served an arm, from its start to its end."""

    status: EngineStatus
    reason: str | None = None
    """Why the engine failed, as it reported."""
    endpoint: str | None = None
    """URL of a server that kveval did not start."""
    arguments: Array[str] = ()
    """Command line of the server."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables that vLLM reads, without its key."""
    facts: EngineFacts | None = None
    """None for an engine that did not start."""
    serving_seconds: float = 0.0
    """Seconds from the first request to the last answer."""
    samples: Count | None = None
    prefix_cache_queries: float | None = None
    """Prompt tokens looked up in the prefix cache."""
    prefix_cache_hits: float | None = None
    """Prompt tokens found there."""
    preemptions: float | None = None


class EngineFile(JsonFile):
    """`engine.json` of an arm: every engine that has served it, in order."""

    SCHEMA: ClassVar[int] = 2
    MIGRATIONS: ClassVar[tuple[Migration, ...]] = (engines_1_to_2,)

    arm: str
    kv_dtype: str
    engines: Array[EngineRecord]


class ScoreRecord(Record):
    """A line of `scores.jsonl`: the score of one arm's output to a sample."""

    sample_id: str
    arm: str
    task: str
    length: Positive | None
    """None for results of a benchmark without lengths."""
    document_id: str
    kind: str = ""
    depth: Share | None
    answer_type: Literal[AnswerType, "right", "similarity"]
    """`right` and `similarity`: results of another tool, already scored there."""
    guess: Share
    with_document: bool = True
    padded: bool = True
    metadata: dict[str, str] = Field(default_factory=dict)
    status: Status
    error: str | None = None
    """Error of a failed request."""
    answer_tokens: Count | None = None
    finish_reason: str | None = None
    truncated: bool | None = None
    """Whether the answer budget cut the answer."""
    metric: str | None = None
    value: float | None = None
    """1 or 0, or a similarity from 0 to 1. None for a free answer if the baseline has none to compare with."""
    right: bool | None = None
    reason: str | None = None
    """`right`, or what went wrong."""
    flags: Array[str] = ()
    """Any of `empty`, `truncated`, `repetition` and `unfinished_reasoning`."""
    passage_words: Count | None = None
    """Number of words of the passage to copy."""
    first_error: Count | None = None
    """Index of the first word that is wrong."""
    substituted: Count | None = None
    inserted: Count | None = None
    dropped: Count | None = None
    spliced: Count | None = None
    token_diff: Share | None = None
    """Normalized Levenshtein distance of the token ids to the baseline's."""
    first_divergence: Count | None = None
    """Index of the first token that differs from the baseline's; None if all are equal."""
