"""GPU utilisation and memory through nvidia-ml-py, where there are both."""

import os
from types import ModuleType
from typing import Any


class Gpus:
    """The GPUs that CUDA_VISIBLE_DEVICES names, or all. False where NVML or its Python package is missing."""

    def __init__(self, *, here: bool = True) -> None:
        """`here` is False where the engines run elsewhere, and so do their GPUs."""
        self._nvml: ModuleType | None = None
        self._handles: list[Any] = []
        if not here:
            return
        try:
            import pynvml

            pynvml.nvmlInit()
            visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
            places = [int(each) for each in visible.split(",") if each.isdecimal()] or range(
                pynvml.nvmlDeviceGetCount()
            )
            self._handles = [pynvml.nvmlDeviceGetHandleByIndex(place) for place in places]
            self._nvml = pynvml
        except Exception:  # no package, no driver, no such device: NVML has errors of its own for each
            self._handles = []

    def __bool__(self) -> bool:
        return bool(self._handles)

    def look(self) -> dict[str, float]:
        """Means over the GPUs: how busy they are and their memory, as shares, 0 to 1, and memory in bytes over all."""
        assert self._nvml is not None
        nvml = self._nvml
        busy = [nvml.nvmlDeviceGetUtilizationRates(handle) for handle in self._handles]
        memory = sum(nvml.nvmlDeviceGetMemoryInfo(handle).used for handle in self._handles)
        number = len(self._handles)
        return {
            "gpu_busy": sum(each.gpu for each in busy) / number / 100,
            "memory_busy": sum(each.memory for each in busy) / number / 100,
            "memory_bytes": float(memory),
        }
