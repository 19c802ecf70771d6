"""How many sequences an engine can serve at a time, and what caps them."""

from collections.abc import Mapping, Sequence

from kveval.arms import BASELINE
from kveval.engine import vllm_defaults
from kveval.hardware.gpus import parse_gpu
from kveval.store.bench_results_schema import BenchArmFacts, Capacity
from kveval.throughput.scenarios import Load, Scenario

HELD_TOLERANCE = 0.01
"""Share of the baseline's tokens by which a held pool may differ: pools hold whole blocks."""
POOL, SCHEDULER, CLIENT = "pool", "max-num-seqs", "client"


def is_held(arms: Mapping[str, BenchArmFacts], arm: str) -> bool:
    """Whether an arm's pool has the baseline's number of tokens."""
    tokens, base = _pools(arms, arm)
    return bool(tokens and base and abs(tokens / base - 1) <= HELD_TOLERANCE)


def has_larger_pool(arms: Mapping[str, BenchArmFacts], arm: str) -> bool:
    """Whether an arm's pool has more tokens than the baseline's."""
    tokens, base = _pools(arms, arm)
    return bool(tokens and base and tokens > (1 + HELD_TOLERANCE) * base)


def _pools(arms: Mapping[str, BenchArmFacts], arm: str) -> tuple[int | None, int | None]:
    """Tokens of an arm's pool and of the baseline's, where they are known."""
    return arms[arm].kv_pool_tokens, arms[BASELINE].kv_pool_tokens


def max_num_seqs(engine_args: Sequence[str], gpus: Sequence[str]) -> int | None:
    """What was given to vLLM, or its default on such a GPU; None where neither is known. `gpus` as nvidia-smi lists them."""
    for word in engine_args:
        name, _, value = word.partition("=")
        if name == "--max-num-seqs" and value.isdecimal():
            return int(value)
    if not gpus:
        return None
    gpu = parse_gpu(gpus[0])
    return vllm_defaults.max_num_seqs(gpu.memory_bytes or 0, gpu.name)


def capacity(
    scenario: Scenario, loads: Sequence[Load], pools: Mapping[str, int | None], seqs: int | None
) -> list[Capacity]:
    """For each arm: sequences of the scenario that its pool holds, and what caps them. `pools` are tokens by arm.

    Whole sequences are counted, prompts that share a prefix too, each with a prefix of its own. `limit` is what capped the load
    with the most in flight; None where only rates were sent, of which nobody knows how many were in flight.
    """
    sent = max((load.in_flight or 0 for load in loads), default=0)
    length = scenario.prompt_tokens + scenario.output_tokens
    found = []
    for arm, tokens in pools.items():
        if tokens is None:
            continue
        caps = {POOL: tokens // length} | ({SCHEDULER: seqs} if seqs else {})
        served = min(caps, key=lambda name: caps[name])
        found.append(
            Capacity(
                scenario=scenario.name,
                arm=arm,
                length=length,
                fits=tokens // length,
                max_num_seqs=seqs,
                most_sent=sent or None,
                cap=served,
                limit=(CLIENT if sent < caps[served] else served) if sent else None,
                shares=scenario.shared_tokens > 0,
            )
        )
    return found
