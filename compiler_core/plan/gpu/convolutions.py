"""How a convolution runs on a GPU: as tiles of an implicit matrix product, as a reduction over its
windows, or by the vendor's library.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import Dim, hint
from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel.fragment import NoFragment
from compiler_core.kernel.kernel import Kernel, Load
from compiler_core.plan.convolution import VENDOR, ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution, extents, sides_of
from compiler_core.plan.gpu.fused import Launches, launches_of, moving_us
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Step
from compiler_core.plan.windowed_convolution import is_thin, of_windows
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu.matmul import choose_gpu_matmul
from compiler_core.schedule.gpu.schedule import WINDOWS
from compiler_core.schedule.gpu.tiles import Extents, Rate, tiles_us, vendor_us
from compiler_core.schedule.targets import GpuTarget

# Triton's strategy.
IMPLICIT = "implicit_gemm"
# The instructions of a thread for each product of a sum over windows, including its share of
# addresses and masks: 6.4 and 6.5 for windows of 7 x 7 and 3 x 3, as compiled for sm_90
# (docs/decisions/0027-depthwise-convolutions.md).
_INSTRUCTIONS = 7
# The L2 cache's bandwidth as a multiple of memory's (schedule/gpu/tiles.py).
_L2 = 2.0
# The most elements of a tile: a patch's addresses take as many registers for any type.
_MOST_TILE = 64 * 64


def alone(step: ConvolutionStep, target: GpuTarget) -> list[Option[Launches]]:
    """The candidates for a convolution without an epilogue: generated kernels, and the vendor's
    library."""
    refusal = _not_generated(step)
    own = _refused(refusal) if refusal else _implicit(step, target)
    return [own, *_windows(step, target), _vendors(step, refusal, target)]


def with_end(
    step: FusedConvolution, launch: Callable[[Step], Launches], target: GpuTarget
) -> list[Option[Launches]]:
    """The candidates for a convolution with an epilogue: one generated kernel, which neither writes
    nor reads the convolution's result, or any convolution followed by a separate kernel."""
    refusal = _not_generated(step.conv)
    without = step.fragment.reason if isinstance(step.fragment, NoFragment) else refusal
    one = _refused(without) if without else _implicit(step, target)
    end = launch(step.end)
    end_us = sum(x.cost_us for x in end)
    after = []
    for option in alone(step.conv, target):
        found, launches = option.candidate, option.result
        if launches is None or found.cost_us is None:
            continue
        reason = f"{found.reason}; then {step.end.name}"
        both = replace(found, reason=reason, cost_us=found.cost_us + end_us)
        after.append(Option(both, (*launches, *end)))
    return [one, *_windows(step, target), *after]


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


# -- windows as reduce axes


def _windows(step: ConvolutionStep | FusedConvolution, target: GpuTarget) -> list[Option[Launches]]:
    """The step as a reduction over windows; no candidate where tiles would be full."""
    if not is_thin(step.conv):
        return []
    kernel = of_windows(step)
    if isinstance(kernel, NoFragment):
        return [Option(Candidate(WINDOWS, kernel.reason))]
    own = launches_of(kernel, WINDOWS, "each element is the sum over its window", target)
    computing = _summing_us(step.conv, kernel, target)
    computing += (step.flops() - step.conv.flops()) / target.f32_flops * 1e6
    cost = max(_moving_us(own, target), computing) + len(own) * target.launch_us
    candidate = Candidate(WINDOWS, own[0].schedule.reason, cost, own[0].schedule.parameters)
    return [Option(candidate, own)]


def _moving_us(launches: Sequence[Launch], target: GpuTarget) -> float:
    return sum(moving_us(x.step, target) for x in launches)


def _summing_us(conv: ConvolutionStep, kernel: Kernel, target: GpuTarget) -> float:
    """Microseconds of the instructions of a sum over windows; or of the L2 cache, where the windows
    that share elements are of different programs."""
    computing = _INSTRUCTIONS * conv.flops() / target.f32_flops
    if kernel.kind == "column":
        return computing * 1e6
    points = prod(a.hint for a in kernel.axes)
    loaded = points * sum(d.dtype.bytes for d in kernel.defs if isinstance(d, Load))
    return max(computing, loaded / (_L2 * target.bandwidth)) * 1e6


# -- the vendor's


def _vendors(conv: ConvolutionStep, refusal: str, target: GpuTarget) -> Option[Launches]:
    """The vendor's; `refusal` says why it is no implicit product, "" where it could be."""
    own, other = (f(conv.dtype, target).share for f in (Rate.vendor, Rate.generated))
    why = refusal or f"its tiles reach {own:.0%} of the peak, generated ones {other:.0%}"
    tiles = vendor_us(Extents(*map(hint, _sides(conv))), conv.dtype, target)
    us = max(tiles, sum(conv.traffic()) / target.bandwidth * 1e6)
    if is_thin(conv):
        why = "taken to be as fast as a sum over windows, but to skip gaps in the image"
        us = min(us, _vendors_windows_us(conv, target))
    reason = f"the vendor's library, through torch: {why}"
    launch = Launch(conv, LibrarySchedule(VENDOR, reason))
    return Option(Candidate(VENDOR, reason, us + target.launch_us), (launch,))


def _vendors_windows_us(conv: ConvolutionStep, target: GpuTarget) -> float:
    """Its kernels for groups of few features, without the launch."""
    kernel = of_windows(conv)
    assert isinstance(kernel, Kernel)
    computing = _summing_us(conv, kernel, target) / prod(conv.sizes.lhs_dilation)
    return max(_moving_us(launches_of(kernel, WINDOWS, "", target), target), computing)


def _sides(conv: ConvolutionStep) -> tuple[Dim, Dim, Dim, Dim]:
    """(batch, m, n, k) of the product that it is, one for each group of an image."""
    v = conv.sizes
    sides = sides_of(v)
    batch, rows, columns = extents(v, sides)
    rows, columns = (v.features, columns) if sides.features_first else (rows, v.features)
    return batch * v.groups, rows, columns, v.terms


_GENERATED = frozenset({F32, F16, BF16})
# The most elements that tl.dot and its loads can address with 32 bits.
_MOST_ELEMENTS = 2**31 - 1


def _not_generated(conv: ConvolutionStep) -> str:
    """Why Triton cannot compute a convolution, "" where it can."""
    v = conv.sizes
    if conv.dtype not in _GENERATED:
        return f"no generated convolution of {conv.dtype}"
    if not conv.flops():
        return "a size of the convolution is 0, so there is nothing to sum"
    if max(hint(b.type.elements) for b in (*conv.inputs, *conv.outputs)) > _MOST_ELEMENTS:
        return "a buffer has 2^31 elements or more"
    if v.is_depthwise:
        return "a product of one channel's patches would be mostly empty tiles"
    return ""
