"""Known KV cache dtypes, by the names that vLLM uses."""

from dataclasses import dataclass
from typing import Literal

from kveval.errors import ModelError

Scales = Literal["per tensor", "per token and head"]

UNKNOWN = "unknown"
"""The dtype of a cache if the engine's label, log and pool size do not determine it."""


@dataclass(frozen=True)
class KVDtype:
    """A storage format of keys and values."""

    name: str
    element_bytes: tuple[float, float]
    """Minimum and maximum bytes per element. They differ if scales are stored with the elements or if vLLM keeps some layers in
    the model's dtype; the overhead then depends on the version of vLLM."""
    aliases: tuple[str, ...] = ()
    """Other names that vLLM accepts for this dtype."""
    quantized: bool = True
    scales: Scales | None = None
    """Granularity of the scales, if vLLM loads or computes scales."""
    emulation: str | None = None
    """The torch dtype to which `kv_cache.emulation` rounds, for formats that are a plain number type."""


_KNOWN = (
    KVDtype("float32", (4.0, 4.0), aliases=("float",), quantized=False),
    KVDtype("float16", (2.0, 2.0), aliases=("half",), quantized=False),
    KVDtype("bfloat16", (2.0, 2.0), quantized=False),
    KVDtype("fp8_e4m3", (1.0, 1.0), aliases=("fp8",), scales="per tensor", emulation="float8_e4m3fn"),
    KVDtype("fp8_e5m2", (1.0, 1.0), scales="per tensor", emulation="float8_e5m2"),
    KVDtype("fp8_inc", (1.0, 1.0), scales="per tensor"),
    KVDtype("fp8_per_token_head", (1.0, 1.3), scales="per token and head"),
    KVDtype("int8_per_token_head", (1.0, 1.3), scales="per token and head"),
    KVDtype("int4_per_token_head", (0.5, 0.8), scales="per token and head"),
    KVDtype("nvfp4", (0.5, 0.7)),
    KVDtype("nvfp4_4over6", (0.5, 0.7)),
    KVDtype("turboquant_k8v4", (0.75, 1.8)),
    KVDtype("turboquant_4bit_nc", (0.5, 1.8)),
    KVDtype("turboquant_k3v4_nc", (0.4, 1.8)),
    KVDtype("turboquant_3bit_nc", (0.375, 1.8)),
)
KV_DTYPES = {dtype.name: dtype for dtype in _KNOWN}
"""By canonical name, without aliases."""
_NAMES = {alias: dtype.name for dtype in _KNOWN for alias in dtype.aliases}


def canonical_name(name: str) -> str:
    """The canonical name of an alias (`fp8` is `fp8_e4m3`); other names are returned unchanged."""
    return _NAMES.get(name, name)


def element_bytes(name: str) -> tuple[float, float]:
    """Minimum and maximum bytes per element. Raises ModelError for a dtype that is not listed here."""
    dtype = KV_DTYPES.get(canonical_name(name))
    if dtype is None:
        raise ModelError(f"the bytes of a {name} element are not known")
    return dtype.element_bytes


def is_quantized(name: str) -> bool:
    """Whether a cache of this dtype is less precise than the model's computation. A dtype that is not listed counts as
    quantized; `UNKNOWN` does not."""
    if name == UNKNOWN:
        return False
    dtype = KV_DTYPES.get(canonical_name(name))
    return dtype is None or dtype.quantized


def has_tensor_scales(name: str) -> bool:
    """Whether vLLM uses one scale per tensor, from the checkpoint or 1.0. This includes fp8 formats that are not listed."""
    dtype = KV_DTYPES.get(canonical_name(name))
    return name.startswith("fp8") if dtype is None else dtype.scales == "per tensor"


def emulated_dtypes() -> dict[str, str]:
    """Torch dtypes of the formats that can be emulated, by canonical name."""
    return {name: dtype.emulation for name, dtype in KV_DTYPES.items() if dtype.emulation}
