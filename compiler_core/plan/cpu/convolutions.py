"""How a convolution runs on a CPU: the candidates, one row each.

The figures are those of two AMD Zen 5 cores with f32 (docs/decisions): tiles in registers do 190
operations per nanosecond and core, including those for positions that are no results; oneDNN,
which skips gaps in a dilated image, 140, after the 40 us that calling it through torch costs.
"""

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Literal

from compiler_core.ir.sizes import Dim, hint
from compiler_core.ir.types import BF16, F16, F32, F64
from compiler_core.kernel.fragment import NoFragment
from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.convolution import VENDOR, ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution, sides_of
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import KernelStep, Step
from compiler_core.plan.windowed_convolution import is_thin, of_windows
from compiler_core.schedule.choice import Candidate, Option, Schedule
from compiler_core.schedule.cpu import direct
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.direct import DirectSchedule
from compiler_core.schedule.cpu.schedule import CpuSchedule, register
from compiler_core.schedule.targets import CpuTarget

Launches = tuple[Launch, ...]
_DIRECT_FLOPS_PER_US = 190e3
_ONEDNN_FLOPS_PER_US = 140e3
_ONEDNN_CALL_US = 40.0
# The dtypes that oneDNN convolves; torch's own code for other types reached 3 to 9 operations a
# nanosecond of f64, where tiles and sums over windows took a third to a thirtieth of its time.
_ONEDNN = frozenset({F32, BF16, F16})
_TORCH_FLOPS_PER_US = 9e3


def alone(step: ConvolutionStep, target: CpuTarget) -> list[Option[Schedule]]:
    """The ways to convolve on a CPU, with the model's cost: generated loops, and oneDNN."""
    return [_direct(step, target), *_windows(step, target), _library(step, target)]


def _direct(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    v = step.sizes
    refusal = direct.refusal(v)
    if step.dtype not in (F32, F64) and not target.rates.multiplies_by_loops(step.dtype):
        refusal = f"no generated convolution of {step.dtype}"
    if refusal:
        return Option(Candidate("direct", refusal))
    layout, flops = direct.Layout(v), 2 * direct.computed(v)
    rows, columns = direct.tiles(v)
    in_place = layout.reads_in_place(step.lhs.strides[2:])
    computed = register(step.dtype)
    packed = not in_place or layout.length < columns or computed is not step.dtype
    copied = ", of a copy of the image with its edges" if packed else ""
    reason = f"{rows} features by {columns} places at a time in registers{copied}"
    alone = flops * computed.bytes / F32.bytes / _DIRECT_FLOPS_PER_US
    shared = alone / target.figures.cores + target.waking_us
    # How large a symbolic batch is, is known at the call only.
    threads, cost = shared < alone or bool(step.symbols), min(shared, alone)
    if packed:
        cost += target.figures.moving_us(2 * hint(layout.copied) * computed.bytes) / (
            target.figures.cores if threads else 1
        )
    kept = hint(v.channels) * layout.channel * computed.bytes <= direct.KEPT_BYTES
    outer: Literal["places", "features"] = "features" if kept and v.features > rows else "places"
    schedule = DirectSchedule(packed, threads, reason, rows, columns, outer)
    candidate = Candidate("direct", reason, cost, schedule.parameters)
    return Option(candidate, schedule)


def _windows(step: ConvolutionStep | FusedConvolution, target: CpuTarget) -> list[Option[Schedule]]:
    """The step as a reduction over windows; no candidate where a group has many features."""
    if not is_thin(step.conv):
        return []
    kernel = of_windows(step, skipping=True)
    if isinstance(kernel, NoFragment):
        return [Option(Candidate("columns", kernel.reason))]
    schedule, candidates = choose_cpu(kernel, target)
    chosen = next(x for x in candidates if x.chosen)
    reason = f"each element is the sum over its window; {chosen.reason}"
    return [Option(replace(chosen, reason=reason, chosen=False), replace(schedule, reason=reason))]


def _library(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    if step.dtype not in _ONEDNN or target.rates.multiplies_by_loops(step.dtype):
        us = step.flops() / _TORCH_FLOPS_PER_US + _ONEDNN_CALL_US
        return _vendor(f"torch's own, as oneDNN convolves no {step.dtype}", us)
    flops = step.flops() / prod(step.sizes.lhs_dilation)
    cores = target.figures.cores
    rate = _ONEDNN_FLOPS_PER_US * cores * F32.bytes / max(F32.bytes, step.dtype.bytes)
    moved = target.figures.moving_us(sum(step.traffic())) / cores
    return _vendor("oneDNN, called through torch", max(flops / rate, moved) + _ONEDNN_CALL_US)


def with_end(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: CpuTarget
) -> list[Option[Launches]]:
    """The candidates for a convolution with an epilogue: generated loops with the epilogue in them,
    or any way to convolve followed by a separate kernel, whose launches `launch` gives."""
    refusal = _no_end_in_c(step)
    found: list[Option[Launches]] = [Option(Candidate("direct", refusal))] if refusal else []
    found += [_summed(step, option) for option in _windows(step, target)]
    for option in alone(step.conv, target):
        if isinstance(option.result, DirectSchedule) and not refusal:
            found.append(_on_tiles(step, option.candidate, option.result, target))
        found.append(_then(step, option, launch, target))
    return found


def _on_tiles(
    step: FusedConvolution, of: Candidate, schedule: DirectSchedule, target: CpuTarget
) -> Option[Launches]:
    """The kernel on the tiles of a convolution in registers, which saves its result in memory."""
    reason = f"{schedule.reason}; the kernel on each tile"
    saved = target.figures.moving_us(2 * step.conv.out.type.at_hint().bytes) / target.figures.cores
    cost = (of.cost_us or 0.0) + _end_us(step, target) - saved
    fused = step.generated(_copied(step.conv, schedule))
    launch = Launch(fused, replace(schedule, reason=reason))
    return Option(replace(of, reason=reason, cost_us=cost), (launch,))


def _then(
    step: FusedConvolution,
    option: Option[Schedule],
    launch: Callable[[Step], Launches],
    target: CpuTarget,
) -> Option[Launches]:
    """The convolution as `option` has it, and the kernel as launches of its own; as a refusal, that
    of the convolution."""
    of, schedule = option.candidate, option.result
    if schedule is None or of.cost_us is None:
        return Option(of)
    cost, reason = of.cost_us + _end_us(step, target), f"{of.reason}; then the kernel"
    conv = Launch(generated(step.conv, schedule), schedule)
    return Option(replace(of, reason=reason, cost_us=cost), (conv, *launch(step.end)))


def _end_us(step: FusedConvolution, target: CpuTarget) -> float:
    """What the kernel takes to move its operands, in microseconds."""
    return target.figures.moving_us(sum(step.end.traffic())) / target.figures.cores


def _summed(step: FusedConvolution, option: Option[Schedule]) -> Option[Launches]:
    if option.result is None:
        return Option(option.candidate)
    launch = Launch(_of_windows(step), option.result)
    return Option(option.candidate, (launch,))


def _of_windows(step: ConvolutionStep | FusedConvolution) -> KernelStep:
    kernel = of_windows(step, skipping=True)
    assert isinstance(kernel, Kernel)
    return KernelStep(kernel)


def generated(step: ConvolutionStep, schedule: Schedule) -> ConvolutionStep | KernelStep:
    """The step as the schedule runs it."""
    if isinstance(schedule, CpuSchedule):
        return _of_windows(step)
    if not isinstance(schedule, DirectSchedule):
        return step
    return step.generated(_copied(step, schedule))


def _copied(step: ConvolutionStep, schedule: DirectSchedule) -> Dim:
    """Elements of the copy, with the weights behind it where these are converted."""
    weights = step.rhs.buffer.type.elements if register(step.dtype) is not step.dtype else 0
    return direct.Layout(step.sizes).copied + weights if schedule.packed else 0


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
        return "the epilogue's loops do not follow the rows of the result"
    return ""


def _vendor(title: str, cost: float) -> Option[Schedule]:
    return Option(Candidate(VENDOR, title, cost), LibrarySchedule(VENDOR, title))
