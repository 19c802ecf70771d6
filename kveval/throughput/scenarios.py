"""What is sent and how: scenarios (tokens in and out) and loads (single stream, closed loop, open loop)."""

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from kveval.config import parse_tokens, split_names
from kveval.errors import LengthError, UsageError
from kveval.store.bench_records import ScenarioShape

MIXED = (0.5, 1.5)
"""Mixed lengths are drawn uniformly between these multiples of the scenario's lengths, so that the mean stays the same."""
MAX_CONCURRENCY, MAX_RATE = 4096, 1000.0

Named = TypeVar("Named", "Scenario", "Load")


class Scenario(ScenarioShape):
    """The shape of the requests of a round."""

    @property
    def longest(self) -> int:
        """Tokens of the longest possible sequence, prompt and answer together."""
        most = MIXED[1] if self.mixed else 1
        return math.floor(self.prompt_tokens * most) + math.floor(self.output_tokens * most)

    @property
    def context(self) -> int:
        """Tokens of a sequence in the middle of decoding; the mean if lengths are mixed."""
        return self.prompt_tokens + self.output_tokens // 2

    def lengths(self, rng: random.Random) -> tuple[int, int]:
        """Prompt and output tokens of one request."""
        if not self.mixed:
            return self.prompt_tokens, self.output_tokens
        least, most = MIXED
        prompt, output = (
            rng.randint(max(1, math.ceil(tokens * least)), math.floor(tokens * most))
            for tokens in (self.prompt_tokens, self.output_tokens)
        )
        return prompt, max(2, output)


SCENARIOS = (
    Scenario(name="short", prompt_tokens=512, output_tokens=256),
    Scenario(name="long", prompt_tokens=8192, output_tokens=256),
    Scenario(name="very-long", prompt_tokens=32768, output_tokens=128),
    Scenario(name="shared", prompt_tokens=8704, output_tokens=256, shared_tokens=8192),
)
_BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@dataclass(frozen=True)
class Load:
    """How the requests of a round are sent."""

    kind: Literal["single", "concurrency", "rate"]
    """`single`: one at a time. `concurrency`: `value` in flight, the next when one ends. `rate`: `value` a second, regardless
    of when they end."""
    value: float = 1

    @property
    def name(self) -> str:
        return self.kind if self.kind == "single" else f"{self.kind}={self.value:g}"

    @property
    def in_flight(self) -> int | None:
        """Requests in flight at a time; None in an open loop, where the server decides that."""
        return None if self.kind == "rate" else int(self.value)

    def number(self, requests: int, seconds: float) -> int:
        """Requests in a round: in a single stream a quarter of `requests`; in a closed loop at least four per request in
        flight; in an open loop at least enough to last `seconds`."""
        if self.kind == "single":
            return max(2, requests // 4)
        return max(requests, 4 * int(self.value) if self.kind == "concurrency" else math.ceil(self.value * seconds))


def parse_scenarios(text: str) -> tuple[Scenario, ...]:
    """Parse `short,8k:256,8k+512:256,long-mixed` as scenarios: names, or `PROMPT:OUTPUT` or `SHARED+REST:OUTPUT` in tokens;
    `-mixed` varies the lengths."""
    return _unique(tuple(_scenario(name) for name in split_names(text, "--scenarios")), "--scenarios")


def _scenario(name: str) -> Scenario:
    stem = name.removesuffix("-mixed")
    mixed = stem != name
    known = _BY_NAME.get(stem) or _in_tokens(name, stem)
    if mixed and known.shared_tokens:
        raise UsageError(
            f"--scenarios: {name!r} is not valid, since prompts with a shared prefix have one length. Remove -mixed."
        )
    return known.model_copy(update={"name": name, "mixed": mixed})


def _in_tokens(name: str, text: str) -> Scenario:
    """`8k:256`, or `8k+512:256` with 8k shared."""
    prompt, colon, output = text.partition(":")
    counts = [parse_tokens(part) for part in prompt.split("+")]
    answer = parse_tokens(output)
    tokens = [count for count in counts if count]
    if not colon or not answer or answer < 2 or len(tokens) < len(counts) or len(tokens) > 2:
        raise UsageError(
            f"--scenarios: {name!r} is not a valid scenario. Choose from {', '.join(_BY_NAME)}, or write prompt and output "
            "tokens (2 or more output tokens), such as 8k:256, or 8k+512:256 if prompts share the first 8k."
        )
    shared = tokens[0] if len(tokens) == 2 else 0
    return Scenario(name=name, prompt_tokens=sum(tokens), output_tokens=answer, shared_tokens=shared)


def parse_loads(text: str) -> tuple[Load, ...]:
    """Parse `single,concurrency=8,rate=4` as loads."""
    return _unique(tuple(_load(name) for name in split_names(text, "--loads")), "--loads")


def _load(name: str) -> Load:
    if name == "single":
        return Load("single")
    if (found := re.fullmatch(r"concurrency=(\d+)", name, re.ASCII)) and 1 <= int(found[1]) <= MAX_CONCURRENCY:
        return Load("concurrency", int(found[1]))
    if (found := re.fullmatch(r"rate=(\d+(?:\.\d+)?)", name, re.ASCII)) and 0 < float(found[1]) <= MAX_RATE:
        return Load("rate", float(found[1]))
    raise UsageError(
        f"--loads: {name!r} is not a valid load. Write single, concurrency=8 (requests in flight, up to {MAX_CONCURRENCY:,}), "
        f"or rate=4 (requests a second, up to {MAX_RATE:,.0f})."
    )


def _unique(items: tuple[Named, ...], option: str) -> tuple[Named, ...]:
    names = [item.name for item in items]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{option} contains {repeated} twice: name each once.")
    return items


def check_scenarios(scenarios: Sequence[Scenario], limit: int | None, model: str) -> None:
    """Raises LengthError if a scenario's sequences exceed the model's context window of `limit` tokens; None if not known."""
    for scenario in scenarios:
        if limit and scenario.longest > limit:
            raise LengthError(
                f"--scenarios {scenario.name} takes {scenario.longest:,} tokens, prompt and output together, which exceeds the "
                f"context window of {model} ({limit:,} tokens). Choose shorter --scenarios, or raise the limit with "
                "--engine-arg max-model-len=N if the model can be extended."
            )
