"""This machine's NVIDIA GPU, as its driver's management library (NVML) knows it.

PyTorch would have to be asked through CUDA, and a process in which CUDA has begun cannot be forked:
its children could not use the GPU.
"""

import os
from dataclasses import dataclass
from functools import cache
from typing import Any

# The f32 cores of a multiprocessor: since compute capability 8.6, and of 8.0 (CUDA C++ Programming
# Guide, "Arithmetic Instructions": results of 32-bit additions a clock).
_CORES, _CORES_OF_80 = 128, 64
_MHZ = 1e6


@dataclass(frozen=True)
class OwnGpu:
    """`capability` is ten times the compute capability; `bandwidth` in bytes a second, `f32_flops`
    operations a second of plain float32, a multiply-add being two, both at the highest clock."""

    name: str
    capability: int
    processors: int
    bandwidth: float
    f32_flops: float

    @property
    def name_of_target(self) -> str:
        """The name that schedule/targets.py uses for this architecture, such as sm_90."""
        return f"sm_{self.capability}"


@cache
def own_gpu() -> OwnGpu | None:
    """The first GPU that CUDA would use; None without one, or without NVIDIA's driver."""
    import pynvml as nvml

    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return None
    try:
        return _described(nvml)
    except (nvml.NVMLError, ValueError):
        return None
    finally:
        nvml.nvmlShutdown()


def _described(nvml: Any) -> OwnGpu | None:
    handle = _first(nvml)
    if handle is None:
        return None
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    capability = 10 * major + minor
    cores = nvml.nvmlDeviceGetNumGpuCores(handle)
    clock = nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM) * _MHZ
    memory = nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_MEM) * _MHZ
    width = nvml.nvmlDeviceGetMemoryBusWidth(handle) / 8
    return OwnGpu(
        nvml.nvmlDeviceGetName(handle),
        capability,
        cores // (_CORES_OF_80 if capability == 80 else _CORES),
        2 * memory * width,  # twice a clock
        2 * cores * clock,
    )


def _first(nvml: Any) -> Any:
    """By CUDA's own variable, which names GPUs by number or by identity, where it is set."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return nvml.nvmlDeviceGetHandleByIndex(0) if nvml.nvmlDeviceGetCount() else None
    first = named.split(",")[0].strip()
    if first.startswith("GPU-"):
        return nvml.nvmlDeviceGetHandleByUUID(first)
    return nvml.nvmlDeviceGetHandleByIndex(int(first)) if first.isdigit() else None
