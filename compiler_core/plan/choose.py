"""Choosing schedules: each step of a plan becomes one or several launches on a target.

Each target has a table with a row for each kind of step. A kernel without points has no launch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.online import online
from compiler_core.kernel.packing import with_packed_operands
from compiler_core.plan import control_choice
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.control import Control
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.cpu import attention as cpu_attention
from compiler_core.plan.cpu import convolutions as cpu_convolutions
from compiler_core.plan.cpu import products as cpu_products
from compiler_core.plan.cpu import sorts as cpu_sorts
from compiler_core.plan.cpu.libraries import REGISTERS
from compiler_core.plan.cpu.side_by_side import side_by_side
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.fused_matmul import Fits, FusedMatmul, join
from compiler_core.plan.gpu import attention as gpu_attention
from compiler_core.plan.gpu import convolutions as gpu_convolutions
from compiler_core.plan.gpu import products as gpu_products
from compiler_core.plan.gpu import sorts as gpu_sorts
from compiler_core.plan.plan import Launch
from compiler_core.plan.shown import Chosen, against, all_shown, chosen_of, cost_of, one_launch
from compiler_core.plan.sort import Sort
from compiler_core.plan.steps import KernelStep, LibraryCall, Matmul, Step
from compiler_core.plan.within import scope_of
from compiler_core.schedule.choice import Candidate, Option, cheapest
from compiler_core.schedule.cpu import schedule as cpu
from compiler_core.schedule.cpu.attention import STRATEGY as ATTENTION
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import CpuTarget, GpuTarget


class Chooser(Protocol):
    """Turns steps into launches for one target."""

    def __call__(self, step: Step) -> Chosen: ...

    def inside(self) -> "Chooser":
        """The chooser for steps inside a loop or a branch."""
        ...

    def arranged(self, launches: Chosen, over: Mapping[str, str]) -> Chosen:
        """The launches of a plan, with those that run side by side marked. `over`: outputs that lie
        in the memory of inputs, with these."""
        ...

    @property
    def fits(self) -> Fits | None:
        """Which kernels a matrix product can run as a part of its own step; None: none."""
        ...


# Threads that meet at every step of a loop lose time waiting: so many microseconds
# (docs/decisions/0023-loops-on-a-cpu-have-costs.md).
_WAKING_INSIDE_US = 20.0


@dataclass(frozen=True)
class OnCpu:
    """Launches on a CPU: generated C, and torch for what C does not run."""

    target: CpuTarget
    fits = staticmethod(cpu_products.fits)

    def __call__(self, step: Step) -> Chosen:
        return _on_cpu(step, self.target)

    def inside(self) -> "OnCpu":
        """The same, for steps inside a loop or a branch: returning from C at every step of a loop
        costs more than a faster library saves, and threads are used only for steps that take tens
        of microseconds."""
        return OnCpu(replace(self.target, in_loop=True, waking_us=_WAKING_INSIDE_US))

    def arranged(self, launches: Chosen, over: Mapping[str, str]) -> Chosen:
        """The launches, small independent ones marked to run side by side, each by one thread."""
        return side_by_side(launches, over, self.target)


@dataclass(frozen=True)
class OnGpu:
    """Launches on a GPU: Triton, and the vendor's libraries through torch."""

    target: GpuTarget
    fits = staticmethod(gpu_products.fits)

    def __call__(self, step: Step) -> Chosen:
        return _on_gpu(step, self.target)

    def inside(self) -> "OnGpu":
        return self

    def arranged(self, launches: Chosen, over: Mapping[str, str]) -> Chosen:
        """The launches as they are: a stream runs them in order."""
        return launches


def _cpu_kernel(step: KernelStep, target: CpuTarget) -> Chosen:
    if not _has_points(step):
        return ()
    schedule, candidates = choose_cpu(step.kernel, target, scope_of(step))
    fewer = online(step.kernel) if schedule.online else None
    own = KernelStep(fewer) if fewer else step
    launch = Launch(own, schedule, candidates, cost_of(candidates))
    kernels = with_packed_operands(step.kernel)
    return _copied_or(launch, kernels, target) if kernels else (launch,)


def _copied_or(launch: Launch, kernels: Sequence[Kernel], target: CpuTarget) -> Chosen:
    """The launch, or those of `kernels`, which copy what it reads apart and compute the same."""
    parts = [(k, *choose_cpu(k, target)) for k in kernels]
    copied = tuple(
        Launch(KernelStep(kernel), schedule, candidates, cost_of(candidates))
        for kernel, schedule, candidates in parts
    )
    *_, last = copied
    us = sum(x.cost_us for x in copied)
    names = ", ".join(b.name for x in copied[:-1] for b in x.step.inputs)
    reason = f"{names} copied before, so that neighbours lie side by side; {last.schedule.reason}"
    more = Candidate(last.schedule.strategy, reason, us, last.schedule.parameters)
    one = replace(chosen_of(launch.candidates), chosen=False)
    _, (one, more) = cheapest([Option(one, False), Option(more, True)], scope_of(launch.step))
    if more.chosen:
        left = tuple(against(replace(x, chosen=False), more) for x in launch.candidates)
        return (*copied[:-1], replace(last, candidates=(*left, *last.candidates)))
    return (replace(launch, candidates=(*launch.candidates, more)),)


def _gpu_kernel(step: KernelStep, target: GpuTarget) -> Chosen:
    """One launch for each part; the parts of a split kernel communicate through buffers of the
    plan."""
    if not _has_points(step):
        return ()
    parts, candidates = choose_gpu(step.kernel, target, scope_of(step))
    each_us = cost_of(candidates) / len(parts)
    return tuple(Launch(KernelStep(part.kernel), part, candidates, each_us) for part in parts)


def _has_points(step: KernelStep) -> bool:
    return all(axis.extent != 0 for axis in step.kernel.parallel)


def _cpu_matmul(step: Matmul, target: CpuTarget) -> Chosen:
    return all_shown(step, cpu_products.alone(step, target))


def _cpu_fused_matmul(step: FusedMatmul, target: CpuTarget) -> Chosen:
    """One generated product with its parts on blocks of rows, or some of them apart."""
    apart = partial(_on_cpu, target=target)
    return all_shown(step, cpu_products.with_parts(step, apart, target))


def _gpu_matmul(step: Matmul, target: GpuTarget) -> Chosen:
    return all_shown(step, gpu_products.alone(step, target))


def _gpu_fused_matmul(step: FusedMatmul, target: GpuTarget) -> Chosen:
    """One generated kernel of the product and its parts, or some of them apart."""
    apart = partial(_on_gpu, target=target)
    return all_shown(step, gpu_products.with_parts(step, apart, target))


def _cpu_attention(step: Attention, target: CpuTarget) -> Chosen:
    """One kernel, or the products with the softmax between them."""
    apart = tuple(x for each in step.steps for x in _on_cpu(each, target))
    return all_shown(step, cpu_attention.on_cpu(step, apart, target))


def _gpu_attention(step: Attention, target: GpuTarget) -> Chosen:
    outputs = [b.name for b in step.outputs]
    steps = join(step.steps, outputs, gpu_products.fits)
    apart = tuple(x for each in steps for x in _on_gpu(each, target))
    return all_shown(step, gpu_attention.on_gpu(step, apart, target))


def _on_cpu(step: Step, target: CpuTarget) -> Chosen:
    return _ON_CPU[type(step)](step, target)


def _on_gpu(step: Step, target: GpuTarget) -> Chosen:
    return _ON_GPU[type(step)](step, target)


def _cpu_convolution(step: ConvolutionStep, target: CpuTarget) -> Chosen:
    (launch,) = one_launch(step, cpu_convolutions.alone(step, target))
    return (replace(launch, step=cpu_convolutions.generated(step, launch.schedule)),)


def _cpu_fused_convolution(step: FusedConvolution, target: CpuTarget) -> Chosen:
    apart = partial(_on_cpu, target=target)
    return all_shown(step, cpu_convolutions.with_end(step, apart, target))


def _gpu_fused_convolution(step: FusedConvolution, target: GpuTarget) -> Chosen:
    apart = partial(_on_gpu, target=target)
    return all_shown(step, gpu_convolutions.with_end(step, apart, target))


def _gpu_convolution(step: ConvolutionStep, target: GpuTarget) -> Chosen:
    return all_shown(step, gpu_convolutions.alone(step, target))


def _cpu_sort(step: Sort, target: CpuTarget) -> Chosen:
    if not step.rows * step.kept:
        return ()
    launch, candidates = cheapest(cpu_sorts.on_cpu(step, target), scope_of(step))
    return (replace(launch, candidates=candidates, cost_us=cost_of(candidates)),)


def _gpu_sort(step: Sort, target: GpuTarget) -> Chosen:
    """One launch, or several that hand on words."""
    return all_shown(step, gpu_sorts.on_gpu(step, target)) if step.rows * step.kept else ()


def _cpu_library(step: LibraryCall, target: CpuTarget) -> Chosen:
    return one_launch(step, control_choice.of_library(step, target.figures.levels[-1].shared))


def _gpu_library(step: LibraryCall, target: GpuTarget) -> Chosen:
    return one_launch(step, control_choice.of_library(step, target.bandwidth / 1e6))


# The strategies that generated C runs; the framework runs the others.
IN_C = frozenset(
    {*cpu.STRATEGIES, *cpu_sorts.IN_C, REGISTERS, ATTENTION, "direct", "blas", "control"}
)


def _cpu_control(step: Control, target: CpuTarget) -> Chosen:
    return one_launch(step, control_choice.on_cpu(step, IN_C))


def _gpu_control(step: Control, target: GpuTarget) -> Chosen:
    return one_launch(step, control_choice.on_gpu(step))


_ON_CPU: Mapping[type, Callable[[Any, CpuTarget], Chosen]] = {
    KernelStep: _cpu_kernel,
    Matmul: _cpu_matmul,
    FusedMatmul: _cpu_fused_matmul,
    ConvolutionStep: _cpu_convolution,
    Attention: _cpu_attention,
    FusedConvolution: _cpu_fused_convolution,
    LibraryCall: _cpu_library,
    Sort: _cpu_sort,
    Control: _cpu_control,
}
_ON_GPU: Mapping[type, Callable[[Any, GpuTarget], Chosen]] = {
    KernelStep: _gpu_kernel,
    Matmul: _gpu_matmul,
    FusedMatmul: _gpu_fused_matmul,
    ConvolutionStep: _gpu_convolution,
    Attention: _gpu_attention,
    FusedConvolution: _gpu_fused_convolution,
    LibraryCall: _gpu_library,
    Sort: _gpu_sort,
    Control: _gpu_control,
}
