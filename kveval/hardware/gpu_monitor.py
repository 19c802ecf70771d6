"""Reads GPU utilisation and memory through nvidia-ml-py, if a GPU and the package are available."""

import os
from types import ModuleType
from typing import Any


class Gpus:
    """The GPUs listed in CUDA_VISIBLE_DEVICES, or all of them. False if NVML or its Python package is missing."""

    def __init__(self, *, here: bool = True) -> None:
        """`here` is False if the engines, and so their GPUs, are on another machine."""
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
        except Exception:  # NVML has its own errors for a missing driver or device; the package may be missing too
            self._handles = []

    def __bool__(self) -> bool:
        return bool(self._handles)

    def look(self) -> dict[str, float]:
        """Mean utilisation of the GPUs and of their memory, as shares from 0 to 1, and total memory in use, in bytes."""
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
