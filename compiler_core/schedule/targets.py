"""The machines that plans are made for, with the figures that schedules and estimates need.

The GPUs are those that Triton is compiled for. Figures are the vendors' for the fastest board of
each: NVIDIA A100 80GB SXM (A100 data sheet, CUDA C++ Programming Guide table "Technical
Specifications per Compute Capability"), A40 and L40S (their data sheets), H100 SXM5 (H100 data
sheet and the Hopper tuning guide), B200 (HGX B200 data sheet, Blackwell tuning guide), RTX PRO 6000
(NVIDIA RTX Blackwell PRO GPU architecture), AMD Instinct MI300X (MI300X data sheet, CDNA 3 ISA
guide). `f32_flops` is the peak of the plain float32 vector units, a fused multiply-add counted as
two operations; `f16_flops` that of the matrix units for 16-bit floats, without sparsity, which
matrix products alone use. `shared_bytes` is the limit for one thread block.
"""

import sys
from dataclasses import dataclass, field, replace
from typing import Literal

from compiler_core.schedule.figures import Figures, unknown
from compiler_core.schedule.own_gpu import own_gpu
from compiler_core.schedule.processors import AMD, Rates


@dataclass(frozen=True, slots=True)
class CpuTarget:
    """`libraries`: which of "sgemm", "dgemm" (BLAS) and "onednn" are available. `rates`: operations
    of products a microsecond, `figures`: those of loops. `waking_us`: the cost in microseconds of
    starting and joining threads. `in_loop`: the plan is of a loop's body, which generated C runs
    again and again."""

    name: str = "cpu"
    libraries: frozenset[str] = field(default=frozenset({"sgemm", "dgemm", "onednn"}))
    rates: Rates = AMD
    figures: Figures = field(default_factory=unknown)
    waking_us: float = field(default_factory=lambda: unknown().waking_us)
    in_loop: bool = False


@dataclass(frozen=True, slots=True)
class GpuTarget:
    """What the models know of a GPU: by its vendor's data sheet (the sources are above), or of this
    machine's own by its driver. Operations count a multiply-add as two. `shared_bytes` is the most
    shared memory of one thread block, `launch_us` is in microseconds. `deterministic`: only what
    gives the same bits on every run is chosen."""

    name: str
    device: str
    backend: Literal["cuda", "hip"]
    arch: int | str
    warp_size: int
    processors: int  # streaming multiprocessors or compute units
    bandwidth: float  # bytes a second
    f32_flops: float  # a second
    f16_flops: float  # a second
    shared_bytes: int
    threads: int = 2048  # that a processor keeps side by side
    launch_us: float = 3.0  # from the host to the kernel's start, without graph replay
    # Whether candidates whose results differ from run to run are excluded.
    deterministic: bool = False

    def share(self, programs: float) -> float:
        """The share of the memory bandwidth that so many programs reach. Half of the processors
        take all of it: XLA's model (gpu_performance_model_base.cc) has 57 of an H100's 132."""
        return min(1.0, 2 * max(1.0, programs) / self.processors)


# fmt: off
_TABLE = (
    GpuTarget(
        "sm_80", "NVIDIA A100 80GB", "cuda", 80, 32, 108, 2.039e12, 19.5e12, 312e12, 163 * 1024,
    ),
    GpuTarget(
        "sm_86", "NVIDIA A40", "cuda", 86, 32, 84, 0.696e12, 37.4e12, 149.7e12, 99 * 1024, 1536,
    ),
    GpuTarget(
        "sm_89", "NVIDIA L40S", "cuda", 89, 32, 142, 0.864e12, 91.6e12, 362e12, 99 * 1024, 1536,
    ),
    GpuTarget(
        "sm_90", "NVIDIA H100 SXM", "cuda", 90, 32, 132, 3.35e12, 66.9e12, 989.4e12, 227 * 1024,
    ),
    GpuTarget("sm_100", "NVIDIA B200", "cuda", 100, 32, 148, 8.0e12, 75e12, 2250e12, 227 * 1024),
    GpuTarget(
        "sm_120", "NVIDIA RTX PRO 6000", "cuda", 120, 32, 188, 1.79e12, 125e12, 503.8e12, 99 * 1024,
        1536,
    ),
    GpuTarget(
        "gfx942", "AMD MI300X", "hip", "gfx942", 64, 304, 5.3e12, 163.4e12, 1307.4e12, 64 * 1024,
    ),
)
# fmt: on

TARGETS = {target.name: target for target in _TABLE}
DEFAULT = "sm_90"


def resolve(name: str) -> GpuTarget:
    """The target that `auto` or a name of the table denotes; this machine's own GPU with its own
    figures."""
    own = own_target()
    target = own if own is not None and name in ("auto", own.name) else TARGETS[_named(name)]
    return replace(target, deterministic=_is_deterministic())


def _named(name: str) -> str:
    return DEFAULT if name == "auto" else name


def _is_deterministic() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.are_deterministic_algorithms_enabled())


def own_target() -> GpuTarget | None:
    """This machine's GPU, an NVIDIA one with the figures of its driver; None without one, or if it
    is not in the table."""
    own = own_gpu()
    if own is None:
        return _amd()
    if own.name_of_target not in TARGETS:
        return None
    of_table = TARGETS[own.name_of_target]
    # The matrix units' rate follows the number of processors; the driver does not tell it.
    share = own.processors / of_table.processors
    return replace(
        of_table, device=own.name, processors=own.processors, bandwidth=own.bandwidth,
        f32_flops=own.f32_flops, f16_flops=of_table.f16_flops * share,
    )  # fmt: skip


def _amd() -> GpuTarget | None:
    torch = sys.modules.get("torch")
    if torch is None or not torch.version.hip or not torch.cuda.is_available():
        return None
    return TARGETS.get(torch.cuda.get_device_properties(0).gcnArchName.split(":")[0])
