"""Estimates the KV cache of one GPU without an engine: bytes of a sequence in each format, and what fits into the pool."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

from kveval.arms import BASELINE
from kveval.config import RunConfig, check_positive
from kveval.engine import vllm_defaults
from kveval.errors import ModelError, UsageError
from kveval.kv_cache.layout import KVLayout, kv_layout
from kveval.models.checkpoint import Model, weight_bytes
from kveval.models.model_config import brings_kv_format, config_dtype
from kveval.store.memory_record import CacheSize, Memory, SequenceSize

GIB = 2**30

_NOT_COUNTED = (
    *("decode-context-parallel-size", "kv-cache-dtype-skip-layers", "pipeline-parallel-size", "speculative-config"),
)
"""vLLM arguments that change the KV bytes per token on one GPU in ways that this estimate does not model."""
_SET_POOL = ("kv-cache-memory-bytes", "num-gpu-blocks-override")
"""vLLM arguments that set the size of the pool, regardless of the memory available."""

N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Machine:
    """Memory of the machine and settings of vLLM, as given by the user; None if not given."""

    kv_memory: float | None = None
    """Size of the KV pool of one GPU, in GiB."""
    gpu_memory: float | None = None
    """Memory of one GPU, in GiB."""
    gpu_memory_utilization: float | None = None
    """The share of `gpu_memory` that vLLM may use."""
    max_num_seqs: int | None = None

    def __post_init__(self) -> None:
        """Raises UsageError if a value is out of range or two values contradict each other."""
        check_positive(**asdict(self))
        if self.kv_memory and self.gpu_memory:
            raise UsageError(
                "--kv-memory and --gpu-memory cannot be combined: give the size of the pool or the memory of the GPU."
            )
        share = self.gpu_memory_utilization
        if share and not (self.gpu_memory and share <= 1):
            raise UsageError(
                f"--gpu-memory-utilization {share:g} is a share of --gpu-memory: give both, with a share of at most 1."
            )


def plan_memory(config: RunConfig, model: Model, machine: Machine) -> Memory:
    """KV bytes and pool of one GPU. Raises UsageError for invalid numbers, and if the weights leave no room for a pool."""
    not_known = []
    tensor_parallel = _engine_number(config, "tensor-parallel-size", int) or 1
    pool_bytes = int(machine.kv_memory * GIB) if machine.kv_memory else None
    weights = utilization = None
    setting = [f"--engine-arg {name}" for name in _SET_POOL if config.engine_arg(name) is not None]
    if setting and not machine.kv_memory:
        not_known.append(f"the pool size, because {' and '.join(setting)} sets it; give it as --kv-memory GIB")
    elif machine.gpu_memory:
        utilization = machine.gpu_memory_utilization or _engine_number(config, "gpu-memory-utilization", float)
        utilization = utilization or vllm_defaults.GPU_MEMORY_UTILIZATION
        weights = weight_bytes(model.folder) if model.folder else None
        if weights is None:
            not_known.append(
                f"the pool size, because no local safetensors files of {model.name} give the size of its weights; "
                "give --kv-memory GIB instead"
            )
        else:
            weights //= tensor_parallel
            pool_bytes = _left(machine.gpu_memory, utilization, weights)
    elif not machine.kv_memory:
        not_known.append("the pool size; give it as --kv-memory GIB, or give the memory of the GPU as --gpu-memory GIB")
    max_num_seqs = machine.max_num_seqs or _engine_number(config, "max-num-seqs", int)
    if not max_num_seqs and pool_bytes:
        max_num_seqs = vllm_defaults.max_num_seqs((machine.gpu_memory or machine.kv_memory or 0) * GIB)
    layout, caches = None, []
    try:
        layout = _layout(config, model, tensor_parallel)
        for kv_dtype in config.kv_dtypes:
            try:
                stored = _stored(kv_dtype, config, model)
                caches.append(_cache(layout, kv_dtype, stored, config.lengths, pool_bytes, max_num_seqs))
            except ModelError as error:
                not_known.append(f"KV bytes with {kv_dtype}, because {error}")
        if layout.state_bytes is None:
            not_known.append(f"the state of {layout.state_layers} layers, which each sequence needs in addition")
    except ModelError as error:
        not_known.append(f"KV bytes, because {error}")
    return Memory(
        tensor_parallel=tensor_parallel,
        layout=layout,
        caches=tuple(caches),
        pool_bytes=pool_bytes,
        weight_bytes=weights,
        gpu_memory_utilization=utilization,
        max_num_seqs=max_num_seqs,
        not_known=tuple(not_known),
    )


def _left(gpu_memory: float, utilization: float, weights: int) -> int:
    """Bytes left for the pool on a GPU with `gpu_memory` GiB after its weights, before activations and CUDA graphs."""
    pool = int(gpu_memory * utilization * GIB) - weights
    if pool <= 0:
        raise UsageError(
            f"--gpu-memory {gpu_memory:g}: the weights take {weights / GIB:.1f} GiB of each GPU and leave no KV pool. "
            "Use a larger GPU, or more GPUs with --engine-arg tensor-parallel-size=N."
        )
    return pool


def _layout(config: RunConfig, model: Model, tensor_parallel: int) -> KVLayout:
    changed = [f"--engine-arg {name}" for name in _NOT_COUNTED if config.engine_arg(name) is not None]
    if changed:
        raise ModelError(f"kveval plan does not model the effect of {', '.join(changed)}")
    return kv_layout(model.config, tensor_parallel)


def _stored(kv_dtype: str, config: RunConfig, model: Model) -> str:
    """The format behind a KV dtype. For `auto` it is the model's dtype; vLLM runs float32 models in bfloat16."""
    if kv_dtype != BASELINE:
        return kv_dtype
    if brings_kv_format(model.config):
        raise ModelError("the checkpoint sets a KV format of its own, so auto is not a full-precision baseline")
    given = config.engine_arg("dtype")
    return given if given and given != "auto" else config_dtype(model.config)


def _cache(
    layout: KVLayout,
    kv_dtype: str,
    stored: str,
    lengths: tuple[int, ...],
    pool_bytes: int | None,
    max_num_seqs: int | None,
) -> CacheSize:
    def at(length: int) -> SequenceSize:
        size = layout.sequence_bytes(stored, length)
        fitting = pool_bytes // size[1] if pool_bytes and size[1] else None
        sequences = fitting if fitting is None else min(fitting, max_num_seqs or fitting)
        return SequenceSize(length=length, bytes=size, sequences=sequences)

    longest = lengths[-1]
    most = layout.sequence_bytes(stored, longest)[1]
    return CacheSize(
        kv_dtype=kv_dtype,
        stored=stored,
        token_bytes=layout.token_bytes(stored),
        last_token_bytes=layout.token_bytes(stored, longest),
        pool_tokens=pool_bytes * longest // most if pool_bytes and most else None,
        lengths=tuple(map(at, lengths)),
    )


def _engine_number(config: RunConfig, name: str, kind: Callable[[str], N]) -> N | None:
    """The number given as `--engine-arg`, or None. Raises UsageError unless it is a positive number."""
    text = config.engine_arg(name)
    if text is None:
        return None
    try:
        number = kind(text)
    except ValueError:
        number = kind("0")
    if number <= 0:
        raise UsageError(
            f"--engine-arg {name}={text} is not a positive number; use, for example, --engine-arg {name}=1."
        )
    return number
