"""The ways to run a convolution on a machine: a row a candidate."""

from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.products import LibrarySchedule
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.targets import CpuTarget, GpuTarget

# The framework's strategy for a convolution.
VENDOR = "convolution"
# Operations of f32 a microsecond that oneDNN's come to, and the way to it through torch.
_ONEDNN_FLOPS_PER_US = 150e3
_ONEDNN_CALL_US = 25.0


def on_cpu(step: ConvolutionStep, target: CpuTarget) -> list[Option[LibrarySchedule]]:
    moved = sum(step.traffic()) / target.bytes_per_us
    cost = max(step.flops() / _ONEDNN_FLOPS_PER_US, moved) + _ONEDNN_CALL_US
    return [_vendor("oneDNN, called through torch", cost)]


def on_gpu(step: ConvolutionStep, target: GpuTarget) -> list[Option[LibrarySchedule]]:
    moved = sum(step.traffic()) / target.bandwidth
    cost = max(moved, step.flops() / target.f32_flops) * 1e6 + target.launch_us
    return [_vendor("the vendor's library, through torch", cost)]


def _vendor(title: str, cost: float) -> Option[LibrarySchedule]:
    return Option(Candidate(VENDOR, title, cost), LibrarySchedule(VENDOR, title))
