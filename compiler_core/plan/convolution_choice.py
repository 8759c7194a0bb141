"""The candidates for running a convolution on a machine: one row each.

The CPU figures are those of two AMD Zen 5 cores with f32 (docs/decisions): tiles in registers do
190 operations per nanosecond and core, including those for positions that are no results; oneDNN,
which skips gaps in a dilated image, 140, after the 40 us that calling it through torch costs.
"""

from collections.abc import Callable
from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import hint, number
from compiler_core.ir.types import BF16, F16, F32, F64
from compiler_core.kernel.fragment import NoFragment
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution, extents, sides_of
from compiler_core.plan.plan import Launch
from compiler_core.plan.products import LibrarySchedule
from compiler_core.plan.steps import Step
from compiler_core.schedule import direct
from compiler_core.schedule.choice import Candidate, Option, Schedule
from compiler_core.schedule.direct import DirectSchedule
from compiler_core.schedule.gpu_matmul import choose_gpu_matmul
from compiler_core.schedule.model import CORES
from compiler_core.schedule.targets import CpuTarget, GpuTarget

Launches = tuple[Launch, ...]
# The framework's strategy for a convolution, and Triton's.
VENDOR = "convolution"
IMPLICIT = "implicit_gemm"
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
        cost += 2 * hint(layout.copied) * step.dtype.bytes / target.bytes_per_us
    schedule = DirectSchedule(packed, threads, reason)
    candidate = Candidate("direct", reason, cost, schedule.parameters)
    return Option(candidate, schedule)


def _onednn(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    flops = step.flops() / prod(step.sizes.lhs_dilation)
    rate = _ONEDNN_FLOPS_PER_US * CORES * F32.bytes / max(F32.bytes, step.dtype.bytes)
    moved = sum(step.traffic()) / target.bytes_per_us
    return _vendor("oneDNN, called through torch", max(flops / rate, moved) + _ONEDNN_CALL_US)


def with_end_on_cpu(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: CpuTarget
) -> list[Option[Launches]]:
    """The kernel on each tile of a generated convolution, or after either convolution."""
    end_us = sum(step.end.traffic()) / target.bytes_per_us
    between = 2 * step.conv.out.type.at_hint().bytes / target.bytes_per_us
    refusal = _no_end_in_c(step)
    options: list[Option[Launches]] = [Option(Candidate("direct", refusal))] * bool(refusal)
    for option in on_cpu(step.conv, target):
        candidate, schedule = option.candidate, option.result
        if schedule is None or candidate.cost_us is None:
            options.append(Option(candidate))
            continue
        conv = generated(step.conv, schedule)
        if isinstance(schedule, DirectSchedule) and not refusal:
            reason = f"{schedule.reason}; the kernel on each tile"
            one = replace(schedule, reason=reason)
            options.append(
                Option(
                    replace(candidate, reason=reason, cost_us=candidate.cost_us + end_us - between),
                    (Launch(replace(step, conv=conv), one),),
                )
            )
        after = replace(
            candidate,
            reason=f"{candidate.reason}; then the kernel",
            cost_us=candidate.cost_us + end_us,
        )
        options.append(Option(after, (Launch(conv, schedule), *launch(step.end))))
    return options


def generated(step: ConvolutionStep, schedule: Schedule) -> ConvolutionStep:
    """The step as the schedule runs it."""
    if not isinstance(schedule, DirectSchedule):
        return step
    copied = direct.Layout(step.sizes).copied if schedule.packed else 0
    return step.generated(schedule.reason, copied)


def _no_end_in_c(step: FusedConvolution) -> str:
    """Why the kernel is not computed on the tiles of C, "" where it is."""
    if isinstance(step.fragment, NoFragment):
        return step.fragment.reason
    v = step.conv.sizes
    sides = sides_of(v)
    if list(sides.places) != sorted(sides.places) or sides.batch not in ((), (0,)):
        return "the result's dimensions are in another order than the image's"
    axes = step.fragment.sides[2 if sides.features_first else 1]
    if len(axes) > 1 and axes[-1].extent != v.out[-1]:
        return "its loop does not follow the rows of the result"
    return ""


# -- on a GPU


def on_gpu(step: ConvolutionStep, target: GpuTarget) -> list[Option[Schedule]]:
    """Of a convolution alone, the vendor's library."""
    return [_vendor("the vendor's library, through torch", _us(step, target))]


def _us(step: Step, target: GpuTarget) -> float:
    moved = sum(step.traffic()) / target.bandwidth
    return max(moved, step.flops() / target.f32_flops) * 1e6 + target.launch_us


def with_end_on_gpu(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: GpuTarget
) -> list[Option[Launches]]:
    """One generated kernel, or the vendor's convolution and the kernel. Both are taken to compute
    at the same rate, as nothing has been measured on a GPU yet: so what decides is that the one
    kernel neither writes nor reads the convolution's result."""
    apart = (*launch(step.conv), *launch(step.end))
    title = "the vendor's convolution, then the kernel"
    both = sum(_us(s, target) for s in (step.conv, step.end))
    two = Option(Candidate(VENDOR, title, both), apart)
    refusal = _not_generated(step)
    if refusal:
        return [Option(Candidate(IMPLICIT, refusal)), two]
    v = step.conv.sizes
    batch, rows, columns = map(number, extents(v, sides_of(v)))
    rows, columns = (v.features, columns) if sides_of(v).features_first else (rows, v.features)
    # Tiles as for f32: the addresses of a patch take as many registers for any type.
    tiles = choose_gpu_matmul(F32, batch * v.groups, rows, columns, number(v.terms))
    reason = f"a matrix of patches that is never in memory: {tiles.reason}"
    schedule = replace(tiles, strategy=IMPLICIT, reason=reason)
    one = Candidate(IMPLICIT, reason, _us(step, target), schedule.parameters)
    conv = step.conv.generated(reason, copied=0)
    return [Option(one, (Launch(replace(step, conv=conv), schedule),)), two]


_GENERATED = frozenset({F32, F16, BF16})
# What tl.dot and its loads address with 32 bits, and how many programs a grid has along y.
_MOST_ELEMENTS, _MOST_PROGRAMS = 2**31 - 1, 2**16 - 1


def _not_generated(step: FusedConvolution) -> str:
    """Why Triton cannot compute a convolution and what follows, "" where it can."""
    if isinstance(step.fragment, NoFragment):
        return step.fragment.reason
    v = step.conv.sizes
    if step.symbols:
        names = ", ".join(map(str, step.symbols))
        return f"no generated convolution where a size is a symbol's: {names}"
    if step.conv.dtype not in _GENERATED:
        return f"no generated convolution of {step.conv.dtype}"
    if max(b.type.numel for b in (*step.inputs, *step.outputs)) > _MOST_ELEMENTS:
        return "a buffer has 2^31 elements or more"
    if number(extents(v, sides_of(v))[0]) * v.groups > _MOST_PROGRAMS:
        return f"more than {_MOST_PROGRAMS} images and groups"
    if v.is_depthwise:
        return "a product of one channel's patches would be mostly empty tiles"
    return ""


def _vendor(title: str, cost: float) -> Option[Schedule]:
    return Option(Candidate(VENDOR, title, cost), LibrarySchedule(VENDOR, title))
