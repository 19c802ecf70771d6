"""Arms: the engine configurations that one run compares."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kveval.errors import UsageError
from kveval.kv_cache.dtypes import canonical_name

BASELINE = "auto"
CONTROL = "control"

Role = Literal["baseline", "control", "candidate"]
"""The reference, the reference again to measure noise, or a configuration under test."""


@dataclass(frozen=True)
class Arm:
    """One engine configuration under test. Arms of a run differ only in these fields."""

    name: str
    """Also the name of the arm's folder in the run directory."""
    kv_dtype: str
    """The value of vLLM's `--kv-cache-dtype`."""
    role: Role = "candidate"
    engine_args: tuple[str, ...] = ()
    """Command-line words for vLLM, for this arm only."""
    model: str | None = None
    """Another checkpoint of the same model; None for the run's model."""
    endpoint: str | None = None
    """URL of a server that is already running; None if kveval starts one."""


def arms_of(kv_dtypes: Sequence[str], *, control: bool, endpoints: Mapping[str, str] | None = None) -> tuple[Arm, ...]:
    """Return the arms of a run: the baseline, the control (the baseline again in a fresh engine), then the others.

    `endpoints` are URLs by KV dtype. Raises UsageError if there is no baseline, or if a name is invalid or given twice.
    """
    if BASELINE not in kv_dtypes:
        raise UsageError(
            f"--kv-dtypes {','.join(kv_dtypes)} has no baseline: add auto, with which the others are compared."
        )
    for dtype in kv_dtypes:
        if not re.fullmatch("[a-z0-9_]+", dtype) or dtype == CONTROL:
            raise UsageError(f"--kv-dtypes: {dtype!r} is not a KV dtype: use vLLM's names, such as fp8 or fp8_e5m2.")
    formats = [canonical_name(dtype) for dtype in kv_dtypes]
    repeated = sorted({name for name in formats if formats.count(name) > 1})
    if repeated:
        raise UsageError(f"--kv-dtypes lists {', '.join(repeated)} twice: list each KV dtype once.")
    urls = endpoints or {}
    baseline = Arm(BASELINE, BASELINE, "baseline", endpoint=urls.get(BASELINE))
    controls = [Arm(CONTROL, BASELINE, "control", endpoint=urls.get(BASELINE))] if control else []
    others = [Arm(dtype, dtype, endpoint=urls.get(dtype)) for dtype in kv_dtypes if dtype != BASELINE]
    return (baseline, *controls, *others)
