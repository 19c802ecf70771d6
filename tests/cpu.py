"""What this machine's CPU can hold."""

import re
from pathlib import Path

import pytest

HOLDS_FP8 = re.search(r"^flags\b.* (avx512f|amx_tile)\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE) is not None
"""Whether vLLM can hold a quantized cache on this CPU; elsewhere a job is run with the baseline and its control."""

needs_fp8 = pytest.mark.skipif(not HOLDS_FP8, reason="vLLM needs AVX-512 or AMX for a quantized cache on a CPU")
