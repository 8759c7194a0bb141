"""The candidates for running a convolution on a machine: one row each.

The CPU figures are those of two AMD Zen 5 cores with f32 (docs/decisions): tiles in registers do
190 operations per nanosecond and core, including those for positions that are no results; oneDNN,
which skips gaps in a dilated image, 140, after the 40 us that calling it through torch costs.
"""

from math import prod

from compiler_core.ir.types import F32, F64
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.products import LibrarySchedule
from compiler_core.schedule import direct
from compiler_core.schedule.choice import Candidate, Option, Schedule
from compiler_core.schedule.direct import DirectSchedule
from compiler_core.schedule.model import CORES
from compiler_core.schedule.targets import CpuTarget, GpuTarget

# The framework's strategy for a convolution.
VENDOR = "convolution"
_DIRECT_FLOPS_PER_US = 190e3
_ONEDNN_FLOPS_PER_US = 140e3
_ONEDNN_CALL_US = 40.0


def on_cpu(step: ConvolutionStep, target: CpuTarget) -> list[Option[Schedule]]:
    return [_direct(step, target), _onednn(step, target)]


def _direct(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    v = step.sizes
    refusal = direct.refusal(v)
    if step.dtype not in (F32, F64):
        refusal = f"no generated convolution of {step.dtype}"
    if refusal:
        return Option(Candidate("direct", refusal))
    layout, flops = direct.Layout(v), 2 * direct.computed(v)
    packed = not layout.reads_in_place(step.lhs.strides[2:])
    threads = flops >= target.parallel_work
    rows, columns = direct.tiles(v)
    copied = ", of a copy of the image with its edges" if packed else ""
    reason = f"{rows} features by {columns} places at a time in registers{copied}"
    cores = CORES if threads else 1
    cost = flops * step.dtype.bytes / F32.bytes / _DIRECT_FLOPS_PER_US / cores
    if packed:
        cost += 2 * layout.copied * step.dtype.bytes / target.bytes_per_us
    schedule = DirectSchedule(packed, threads, reason)
    candidate = Candidate("direct", reason, cost, schedule.parameters)
    return Option(candidate, schedule)


def _onednn(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    flops = step.flops() / prod(step.sizes.lhs_dilation)
    rate = _ONEDNN_FLOPS_PER_US * CORES * F32.bytes / max(F32.bytes, step.dtype.bytes)
    moved = sum(step.traffic()) / target.bytes_per_us
    return _vendor("oneDNN, called through torch", max(flops / rate, moved) + _ONEDNN_CALL_US)


def on_gpu(step: ConvolutionStep, target: GpuTarget) -> list[Option[Schedule]]:
    moved = sum(step.traffic()) / target.bandwidth
    cost = max(moved, step.flops() / target.f32_flops) * 1e6 + target.launch_us
    return [_vendor("the vendor's library, through torch", cost)]


def _vendor(title: str, cost: float) -> Option[Schedule]:
    return Option(Candidate(VENDOR, title, cost), LibrarySchedule(VENDOR, title))
