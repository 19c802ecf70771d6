"""Arms: the engine configurations that one run compares."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kveval.errors import UsageError
from kveval.kv_cache.dtypes import canonical_name

BASELINE = "auto"
CONTROL = "control"


@dataclass(frozen=True)
class Arm:
    """One engine configuration under test. Arms of a run differ in nothing but what stands here."""

    name: str
    """Also the name of the arm's folder in the run directory."""
    kv_dtype: str
    """What is asked of vLLM as `--kv-cache-dtype`."""


def arms_of(kv_dtypes: Sequence[str], *, control: bool) -> tuple[Arm, ...]:
    """The arms of a run, the baseline first, then the control (the baseline once more in a fresh engine)."""
    if BASELINE not in kv_dtypes:
        raise UsageError(
            f"--kv-dtypes {','.join(kv_dtypes)} has no baseline: add auto, which the others are compared to."
        )
    for dtype in kv_dtypes:
        if not re.fullmatch("[a-z0-9_]+", dtype) or dtype == CONTROL:
            raise UsageError(
                f"--kv-dtypes has {dtype!r}, which is no KV dtype: write them as vLLM does, like fp8 or fp8_e5m2."
            )
    formats = [canonical_name(dtype) for dtype in kv_dtypes]
    repeated = sorted({name for name in formats if formats.count(name) > 1})
    if repeated:
        raise UsageError(f"--kv-dtypes names {', '.join(repeated)} twice: name each KV dtype once.")
    others = [Arm(dtype, dtype) for dtype in kv_dtypes if dtype != BASELINE]
    controls = [Arm(CONTROL, BASELINE)] if control else []
    return (Arm(BASELINE, BASELINE), *controls, *others)
