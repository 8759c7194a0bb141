"""The candidates for running a convolution on a machine: one row each.

The CPU figures are those of two AMD Zen 5 cores with f32 (docs/decisions): tiles in registers do
190 operations per nanosecond and core, including those for positions that are no results; oneDNN,
which skips gaps in a dilated image, 140, after the 40 us that calling it through torch costs.
"""

from collections.abc import Callable
from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import Dim, hint
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
from compiler_core.schedule.gpu_tiles import Extents, Rate, tiles_us, vendor_us
from compiler_core.schedule.model import CORES, moving_us
from compiler_core.schedule.targets import CpuTarget, GpuTarget

Launches = tuple[Launch, ...]
# The framework's strategy for a convolution, and Triton's.
VENDOR = "convolution"
IMPLICIT = "implicit_gemm"
_DIRECT_FLOPS_PER_US = 190e3
_ONEDNN_FLOPS_PER_US = 140e3
_ONEDNN_CALL_US = 40.0


def on_cpu(step: ConvolutionStep, target: CpuTarget) -> list[Option[Schedule]]:
    """The ways to convolve on a CPU, with the model's cost: generated loops, and oneDNN."""
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
    rows, columns = direct.tiles(v)
    copied = ", of a copy of the image with its edges" if packed else ""
    reason = f"{rows} features by {columns} places at a time in registers{copied}"
    alone = flops * step.dtype.bytes / F32.bytes / _DIRECT_FLOPS_PER_US
    shared = alone / CORES + target.waking_us
    # How large a symbolic batch is, is known at the call only.
    threads, cost = shared < alone or bool(step.symbols), min(shared, alone)
    if packed:
        cost += moving_us(2 * hint(layout.copied) * step.dtype.bytes) / (CORES if threads else 1)
    schedule = DirectSchedule(packed, threads, reason, rows, columns)
    candidate = Candidate("direct", reason, cost, schedule.parameters)
    return Option(candidate, schedule)


def _onednn(step: ConvolutionStep, target: CpuTarget) -> Option[Schedule]:
    flops = step.flops() / prod(step.sizes.lhs_dilation)
    rate = _ONEDNN_FLOPS_PER_US * CORES * F32.bytes / max(F32.bytes, step.dtype.bytes)
    moved = moving_us(sum(step.traffic())) / CORES
    return _vendor("oneDNN, called through torch", max(flops / rate, moved) + _ONEDNN_CALL_US)


def with_end_on_cpu(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: CpuTarget
) -> list[Option[Launches]]:
    """The kernel on each tile of a generated convolution, or after either convolution."""
    end_us = moving_us(sum(step.end.traffic())) / CORES
    between = moving_us(2 * step.conv.out.type.at_hint().bytes) / CORES
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
    return step.generated(copied)


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

# Elements of a tile: the addresses of a patch take as many registers for any type.
_MOST_TILE = 64 * 64


def on_gpu(step: ConvolutionStep, target: GpuTarget) -> list[Option[Launches]]:
    """A convolution alone: generated, or the vendor's."""
    refusal = _not_generated(step)
    own = _refused(refusal) if refusal else _implicit(step, target)
    return [own, _vendor_on_gpu(step, refusal, target)]


def with_end_on_gpu(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: GpuTarget
) -> list[Option[Launches]]:
    """One generated kernel, or the kernel after either convolution: the one kernel neither writes
    nor reads the convolution's result."""
    refusal = _not_generated(step.conv)
    without = step.fragment.reason if isinstance(step.fragment, NoFragment) else refusal
    one = _refused(without) if without else _implicit(step, target)
    end = launch(step.end)
    end_us = sum(x.cost_us for x in end)
    after = []
    for option in on_gpu(step.conv, target):
        found, launches = option.candidate, option.result
        if launches is None or found.cost_us is None:
            continue
        reason = f"{found.reason}; then {step.end.name}"
        both = replace(found, reason=reason, cost_us=found.cost_us + end_us)
        after.append(Option(both, (*launches, *end)))
    return [one, *after]


def _refused(reason: str) -> Option[Launches]:
    return Option(Candidate(IMPLICIT, reason))


def _implicit(step: ConvolutionStep | FusedConvolution, target: GpuTarget) -> Option[Launches]:
    """The step as one generated kernel."""
    conv = step.conv
    dims = _sides(conv)
    size = Extents(*map(hint, dims))
    tiles = choose_gpu_matmul(conv.dtype, dims, target, _MOST_TILE)
    reason = f"a matrix of patches that is never in memory: {tiles.reason}"
    schedule = replace(tiles, strategy=IMPLICIT, reason=reason)
    computing = tiles_us(size, tiles.tile, Rate.generated(conv.dtype, target), target)
    computing += (step.flops() - conv.flops()) / target.f32_flops * 1e6
    cost = max(computing, sum(step.traffic()) / target.bandwidth * 1e6) + target.launch_us
    candidate = Candidate(IMPLICIT, reason, cost, schedule.parameters)
    return Option(candidate, (Launch(step.generated(), schedule),))


def _vendor_on_gpu(conv: ConvolutionStep, refusal: str, target: GpuTarget) -> Option[Launches]:
    """The vendor's; `refusal` says why it is not generated, "" where it could be."""
    own, other = (f(conv.dtype, target).share for f in (Rate.vendor, Rate.generated))
    why = refusal or f"its tiles reach {own:.0%} of the peak, generated ones {other:.0%}"
    reason = f"the vendor's library, through torch: {why}"
    tiles = vendor_us(Extents(*map(hint, _sides(conv))), conv.dtype, target)
    cost = max(tiles, sum(conv.traffic()) / target.bandwidth * 1e6) + target.launch_us
    return Option(Candidate(VENDOR, reason, cost), (Launch(conv, LibrarySchedule(VENDOR, reason)),))


def _sides(conv: ConvolutionStep) -> tuple[Dim, Dim, Dim, Dim]:
    """(batch, m, n, k) of the product that it is, one for each group of an image."""
    v = conv.sizes
    sides = sides_of(v)
    batch, rows, columns = extents(v, sides)
    rows, columns = (v.features, columns) if sides.features_first else (rows, v.features)
    return batch * v.groups, rows, columns, v.terms


_GENERATED = frozenset({F32, F16, BF16})
# What tl.dot and its loads address with 32 bits.
_MOST_ELEMENTS = 2**31 - 1


def _not_generated(conv: ConvolutionStep) -> str:
    """Why Triton cannot compute a convolution, "" where it can."""
    v = conv.sizes
    if conv.dtype not in _GENERATED:
        return f"no generated convolution of {conv.dtype}"
    if not conv.flops():
        return "there is nothing to sum"
    if max(hint(b.type.elements) for b in (*conv.inputs, *conv.outputs)) > _MOST_ELEMENTS:
        return "a buffer has 2^31 elements or more"
    if v.is_depthwise:
        return "a product of one channel's patches would be mostly empty tiles"
    return ""


def _vendor(title: str, cost: float) -> Option[Schedule]:
    return Option(Candidate(VENDOR, title, cost), LibrarySchedule(VENDOR, title))
