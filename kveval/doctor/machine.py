"""Describes this machine, its vLLM and the supported KV dtypes without running a model."""

import platform
from collections import defaultdict
from collections.abc import Iterator

from kveval import __version__
from kveval.engine.inspection import Installed
from kveval.store.manifest import Host


def diagnosis(host: Host, vllm: Installed) -> Iterator[str]:
    """Describe the machine, its vLLM and the KV dtypes that can be compared, as lines of text."""
    yield (
        f"kveval {__version__} · Python {platform.python_version()} · {host.system} · {host.cpus} CPU cores, "
        f"{(host.memory or 0) / 2**30:.0f} GiB"
    )
    yield f"vLLM {vllm.version} for {vllm.device}"
    yield "GPUs: " + ("; ".join(host.gpus) or "none listed by nvidia-smi")
    if not vllm.kv_dtypes:
        yield "KV dtypes: this vLLM does not list them; it rejects unsupported ones when a run starts."
        return
    accepted = [dtype for dtype in vllm.kv_dtypes if dtype not in vllm.refused]
    yield f"KV dtypes accepted on this machine: {', '.join(accepted)}"
    reasons = defaultdict(list)
    for dtype, reason in vllm.refused.items():
        reasons[reason].append(dtype)
    for reason, dtypes in reasons.items():
        yield f"Not supported on this machine: {', '.join(dtypes)}: {reason}"
    if vllm.device == "cpu":
        yield "A CPU build may accept a dtype without using it, so every run checks the dtype in use against the pool size."
