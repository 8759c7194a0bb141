"""Stand-ins for what TorchInductor asks of a GPU and its driver while it generates Triton, answered
from the figures of a target: so it generates, on a machine without a GPU, what it would generate
there. Nothing is run.

The answers hold for the whole process until the context ends. Inductor's own caches of whether
there is Triton, and for which device, are cleared before and afterwards.
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch

from compiler_core.schedule.targets import GpuTarget

# Inductor's caches: functions in these modules that keep their first result.
_NOTING = (
    "torch.utils._triton",
    "torch._inductor.utils",
    "torch._inductor.codegen.cuda.cuda_env",
)
# Figures that all of these boards share. Sources: CUDA C++ Programming Guide, "Technical
# Specifications per Compute Capability"; the second-level caches are the data sheets', of the
# boards of schedule/targets.py.
_REGISTERS = 65536
_L2_BYTES = {
    80: 40 << 20,
    86: 6 << 20,
    89: 96 << 20,
    90: 50 << 20,
    100: 126 << 20,
    120: 128 << 20,
}
_MEMORY = 80 << 30


def why_not(target: GpuTarget) -> str | None:
    """Why this torch cannot generate code for a target, in one sentence; None if it can."""
    if target.backend != "cuda":
        return f"TorchInductor writes for {target.device} where torch is built for ROCm alone"
    return None


@contextmanager
def stand_in(target: GpuTarget) -> Iterator[None]:
    """Context in which torch reports one GPU, of the target's kind."""
    from triton.runtime import driver

    with ExitStack() as stack:
        for owner, name, answer in _answers(target):
            stack.enter_context(mock.patch.object(owner, name, answer, create=True))
        stack.callback(_forget)
        stack.enter_context(mock.patch.object(driver, "_active", _Driver(target)))
        _forget()
        yield


def _answers(target: GpuTarget) -> list[tuple[Any, str, Any]]:
    capability = divmod(int(target.arch), 10)
    answer = properties(target, capability)
    cuda = torch.cuda
    return [
        (cuda, "is_available", lambda: True),
        (cuda, "device_count", lambda: 1),
        (cuda, "current_device", lambda: 0),
        (cuda, "get_device_properties", lambda device=None: answer),
        (cuda, "_get_device_properties", lambda device=None: answer),
        (cuda, "get_device_capability", lambda device=None: capability),
        (cuda, "get_rng_state", lambda device=None: torch.zeros(16, dtype=torch.uint8)),
        (cuda, "set_rng_state", lambda *given: None),
        (cuda, "_exchange_device", lambda device: 0),
        (cuda, "_maybe_exchange_device", lambda device: 0),
        (cuda, "_lazy_init", lambda: None),
        (torch.version, "cuda", "13.0"),
        (torch._C, "_cuda_cudaCachingAllocator_is_enabled", lambda: True),
        # Before 2.13, a fake tensor on a GPU that is said to be there begins with a real one.
        (torch._subclasses.fake_tensor, "init_gpu_context", lambda device: None),
        (torch._subclasses.fake_tensor.FakeTensor, "copy_", _copied),
        # That of torch.Tensor's asks for the GPU's own part of torch, as its copy_ does.
        (torch._subclasses.fake_tensor.FakeTensor, "__invert__", _inverted),
    ]


def _copied(own: torch.Tensor, other: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """Tensor.copy_ of fake tensors, whose C++ asks for the GPU's own part of torch: a write to a
    slice of a tensor calls it to learn its type."""
    try:
        return torch.Tensor.copy_(own, other, non_blocking)
    except RuntimeError as error:
        if "not linked with support for cuda" not in str(error):
            raise
    other.expand(own.shape)
    return own


def _inverted(own: torch.Tensor) -> torch.Tensor:
    return torch.bitwise_not(own)


@dataclass(frozen=True)
class _Properties:
    """The fields of torch.cuda's properties of a device that Inductor reads."""

    name: str
    major: int
    minor: int
    multi_processor_count: int
    shared_memory_per_block_optin: int
    L2_cache_size: int
    max_threads_per_multi_processor: int
    total_memory: int = _MEMORY
    regs_per_multiprocessor: int = _REGISTERS
    max_threads_per_block: int = 1024
    warp_size: int = 32
    shared_memory_per_block: int = 48 << 10
    is_integrated: int = 0
    gcnArchName: str = ""  # noqa: N815  torch's name


def properties(target: GpuTarget, capability: tuple[int, int]) -> _Properties:
    """What torch.cuda would say of the target's board."""
    return _Properties(
        target.device, *capability, target.processors, target.shared_bytes,
        _L2_BYTES[int(target.arch)], target.threads,
    )  # fmt: skip


class _Driver:
    """Stands in for Triton's driver; nothing can be launched with it."""

    def __init__(self, target: GpuTarget) -> None:
        self._target = target

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget(self._target.backend, self._target.arch, self._target.warp_size)

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_device_interface(self) -> Any:
        return torch.cuda


def _forget() -> None:
    """Clears what Inductor has noted of devices."""
    from torch._inductor.runtime.hints import DeviceProperties

    for module in map(importlib.import_module, _NOTING):
        for clear in _clearing(vars(module).values()):
            clear()
    DeviceProperties.create.cache_clear()


def _clearing(values: Any) -> list[Callable[[], None]]:
    found = (getattr(value, "cache_clear", None) for value in list(values))
    return [clear for clear in found if callable(clear)]
