"""The KV-cache dtypes that kveval knows, one row each, under the names that vLLM gives them."""

from dataclasses import dataclass
from typing import Literal

from kveval.errors import ModelError

Scales = Literal["per tensor", "per token and head"]

UNKNOWN = "unknown"
"""Stands for the dtype of a cache that an engine's label, log and pool size do not settle."""


@dataclass(frozen=True)
class KVDtype:
    """One storage format of keys and values."""

    name: str
    element_bytes: tuple[float, float]
    """Bytes of one element, least and most. They differ where scales lie beside the elements, or where vLLM keeps some layers
    in the model's dtype: how much that adds depends on the version of vLLM."""
    aliases: tuple[str, ...] = ()
    """Other names that vLLM takes for it."""
    quantized: bool = True
    scales: Scales | None = None
    """What one scale of keys and values covers, where vLLM loads or computes scales."""
    emulation: str | None = None
    """The torch dtype to which `kv_cache.emulation` rounds, where the format is nothing but a type of number."""


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
"""By name, aliases left out."""
_NAMES = {alias: dtype.name for dtype in _KNOWN for alias in dtype.aliases}


def canonical_name(name: str) -> str:
    """The name behind an alias (`fp8` is `fp8_e4m3`); any other name as it is."""
    return _NAMES.get(name, name)


def element_bytes(name: str) -> tuple[float, float]:
    """Bytes of one element, least and most. Raises ModelError for a dtype that is not listed here."""
    dtype = KV_DTYPES.get(canonical_name(name))
    if dtype is None:
        raise ModelError(f"the bytes of a {name} element are not known")
    return dtype.element_bytes


def is_quantized(name: str) -> bool:
    """Whether a cache of this dtype holds less than the model computes. An unlisted dtype counts as quantized; an unknown one
    does not."""
    if name == UNKNOWN:
        return False
    dtype = KV_DTYPES.get(canonical_name(name))
    return dtype is None or dtype.quantized


def has_tensor_scales(name: str) -> bool:
    """Whether vLLM takes one scale a tensor from the checkpoint, or 1.0. It does so for fp8 formats that have no row, too."""
    dtype = KV_DTYPES.get(canonical_name(name))
    return name.startswith("fp8") if dtype is None else dtype.scales == "per tensor"


def emulated_dtypes() -> dict[str, str]:
    """The torch dtype of each dtype that can be emulated, by canonical name."""
    return {name: dtype.emulation for name, dtype in KV_DTYPES.items() if dtype.emulation}
