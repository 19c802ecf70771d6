"""Known GPU models, identified by the names that nvidia-smi reports."""

import re
from dataclasses import dataclass

TERA = 1e12
MIB = 2**20


@dataclass(frozen=True)
class GpuModel:
    """One GPU model, as in its vendor's data sheet."""

    name: str
    """The part of the name reported by nvidia-smi that identifies the model."""
    memory_bandwidth: float
    """In bytes per second."""


# The first row whose name occurs in the reported name applies, so a longer name precedes its own prefix.
GPU_MODELS = (
    GpuModel("H200", 4.8 * TERA),
    GpuModel("H100 NVL", 3.9 * TERA),
    GpuModel("H100 PCIe", 2.0 * TERA),
    GpuModel("H100", 3.35 * TERA),
    GpuModel("H20", 4.0 * TERA),
    GpuModel("A100-SXM4-80GB", 2.039 * TERA),
    GpuModel("A100 80GB PCIe", 1.935 * TERA),
    GpuModel("A100", 1.555 * TERA),
    GpuModel("L40S", 0.864 * TERA),
    GpuModel("L40", 0.864 * TERA),
    GpuModel("L4", 0.3 * TERA),
    GpuModel("A10", 0.6 * TERA),
)


@dataclass(frozen=True)
class Gpu:
    """One GPU of a machine, as `nvidia-smi --query-gpu=name,memory.total,driver_version` lists it."""

    name: str
    memory_bytes: int | None
    """None if nvidia-smi does not report it."""

    @property
    def model(self) -> GpuModel | None:
        """The matching row of `GPU_MODELS`, or None."""
        return next((row for row in GPU_MODELS if re.search(rf"\b{re.escape(row.name)}\b", self.name)), None)


def parse_gpu(line: str) -> Gpu:
    """Parse a line such as `NVIDIA H200, 143771 MiB, 580.95.05`."""
    name, *rest = (part.strip() for part in line.split(","))
    memory = rest[0].split()[0] if len(rest) > 1 and rest[0] else ""
    return Gpu(name, int(memory) * MIB if memory.isdecimal() else None)


def memory_bandwidth(lines: list[str]) -> float | None:
    """Memory bandwidth of one GPU of a machine, in bytes per second; None if its GPUs differ in bandwidth or are not known."""
    models = [parse_gpu(line).model for line in lines]
    found = {model.memory_bandwidth if model else None for model in models}
    return found.pop() if len(found) == 1 else None
