"""Configuration of a throughput pass: the options of `kveval bench`, checked."""

from typing import Self, cast, get_args

from pydantic import Field, model_validator

from kveval.arms import Arm, arms_of
from kveval.config import EngineConfig
from kveval.errors import UsageError
from kveval.store.bench_records import Arrivals, PromptSource
from kveval.throughput.scenarios import Load, Scenario, parse_loads, parse_scenarios

HELD = "-held"
"""Suffix of the names of same-pool arms, whose pool is limited to the baseline's number of tokens."""
ENGINE_ARGS = ("skip-tokenizer-init",)
"""Arguments of vLLM that a throughput pass accepts, but an accuracy run does not."""


class BenchConfig(EngineConfig):
    """Options of one throughput pass. Passes with equal options send the same requests at the same times."""

    scenarios: tuple[str, ...]
    loads: tuple[str, ...]
    rounds: int = Field(default=3, ge=1)
    """Rounds of each cell in each period."""
    requests: int = Field(default=32, ge=2)
    """Requests in a round, before its load changes the number."""
    seconds: float = Field(default=20.0, gt=0, le=3600)
    """Minimum duration of an open-loop round, in seconds."""
    arrivals: Arrivals = "poisson"
    held: bool = True
    """Whether each quantized cache also runs with as many KV tokens as the baseline."""
    prompts: PromptSource = "random"

    @model_validator(mode="after")
    def _check_pool_override(self) -> Self:
        if self.held and self.engine_arg("num-gpu-blocks-override") is not None:
            raise UsageError(
                "--engine-arg num-gpu-blocks-override sets the pool of every arm, so no arm can be limited to the baseline's "
                "pool: add --no-held-pool."
            )
        return self

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The baseline first, then each quantized cache, then the same-pool arms."""
        baseline, *others = arms_of(self.kv_dtypes, control=False)
        held = [Arm(f"{arm.name}{HELD}", arm.kv_dtype) for arm in others] if self.held and not self.endpoints else []
        return (baseline, *others, *held)

    @property
    def asked_scenarios(self) -> tuple[Scenario, ...]:
        return parse_scenarios(",".join(self.scenarios))

    @property
    def asked_loads(self) -> tuple[Load, ...]:
        return parse_loads(",".join(self.loads))


def parse_arrivals(text: str) -> Arrivals:
    if text not in get_args(Arrivals):
        raise UsageError(f"--arrivals {text!r} is neither poisson nor constant: choose one of them.")
    return cast(Arrivals, text)


def parse_prompts(text: str) -> PromptSource:
    if text not in get_args(PromptSource):
        raise UsageError(f"--prompts {text!r} is neither random nor accuracy: choose one of them.")
    return cast(PromptSource, text)
