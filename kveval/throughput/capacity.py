"""How many sequences an engine can serve at once, and what limits them."""

from collections.abc import Mapping, Sequence

from kveval.arms import BASELINE
from kveval.engine import vllm_defaults
from kveval.hardware.gpus import parse_gpu
from kveval.store.bench_results_schema import BenchArmFacts, Capacity
from kveval.throughput.scenarios import Load, Scenario

HELD_TOLERANCE = 0.01
"""Share of the baseline's tokens by which the pool of a same-pool arm may differ, since pools consist of whole blocks."""
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
    """Tokens of an arm's pool and of the baseline's; None where not known."""
    return arms[arm].kv_pool_tokens, arms[BASELINE].kv_pool_tokens


def max_num_seqs(engine_args: Sequence[str], gpus: Sequence[str]) -> int | None:
    """vLLM's `max-num-seqs`: the argument, or the default on this GPU; None if neither is known. `gpus` as nvidia-smi lists
    them."""
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
    """For each arm: how many sequences of the scenario fit into its pool, and what limits them. `pools` are tokens by arm.

    Sequences are counted in full, including a shared prefix. `limit` is what limited the load with the most requests in flight;
    None if only rates were sent, since the number in flight is not known then.
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
