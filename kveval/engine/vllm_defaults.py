"""Defaults of vLLM 0.32 that kveval's estimates use, from vLLM's config/cache.py and engine/arg_utils.py."""

VERSION = "0.32"
GPU_MEMORY_UTILIZATION = 0.92
MAX_NUM_SEQS = 256
MAX_NUM_SEQS_LARGE_GPU = 1024
LARGE_GPU_BYTES = 70 * 2**30
"""Memory from which on vLLM serves more sequences at a time on a GPU, except on an A100."""


def max_num_seqs(gpu_memory_bytes: float, gpu_name: str = "") -> int:
    """Return the number of sequences that vLLM serves at a time on a GPU if `--max-num-seqs` is not given."""
    large = gpu_memory_bytes >= LARGE_GPU_BYTES and "A100" not in gpu_name
    return MAX_NUM_SEQS_LARGE_GPU if large else MAX_NUM_SEQS
