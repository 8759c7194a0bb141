"""How far one output is from its reference in float64, element by element."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

# Of the root mean square of an output's reference: elements below it have errors relative to it.
FLOOR = 0.01
# About a hundred units in the last place for f32: what another order of summation makes of it.
TOLERANCES = {
    torch.float64: 1e-10,
    torch.float32: 1.3e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
    # A unit in the last place: the nearest of two numbers may be either.
    torch.float8_e4m3fn: 0.125,
    torch.float8_e5m2: 0.25,
}
# A few elements that are so much larger than the others say nothing of these.
_OUTLYING = 1e3
_SAMPLE = 1024
# Elements compared at a time: 512 KiB in float64, less than a core's L2 cache.
_PIECE = 1 << 16
_NAN = "NaN where the reference has none, or none where it has"


@dataclass(frozen=True, slots=True)
class Error:
    """The error of one output, the largest over its elements. `wrong` says in words what no number
    can: another shape or type, a NaN."""

    absolute: float = 0.0
    relative: float = 0.0
    # Relative to the element or to what elements of the output are, whichever is larger.
    scaled: float = 0.0
    wrong: str = ""


# An infinity against anything else, or further off than float64 can say.
_INFINITE = Error(math.inf, math.inf, math.inf)


def error_of(output: torch.Tensor, reference: torch.Tensor) -> Error:
    """The error of an output of any dtype against its float64 reference."""
    if output.shape != reference.shape:
        return Error(wrong=f"{type_of(output)} instead of {type_of(reference)}")
    x, r = output.detach().cpu().reshape(-1), reference.detach().cpu().double().reshape(-1)
    if not r.numel():
        return Error()
    rms = root_mean_square(r)
    found = _of_finite(x, r, rms) if math.isfinite(rms) else None
    return found or _of_any(x, r)


def _of_finite(x: torch.Tensor, r: torch.Tensor, rms: float) -> Error | None:
    """Piece by piece, so that what is computed on the way stays in the cache; None where the
    output has an infinity or NaN."""
    least = torch.finfo(torch.float64).tiny
    floors = [floor or least for floor in (FLOOR * rms, size_of_elements(r, rms, x.dtype))]
    largest = [0.0, 0.0, 0.0]
    for part, exact in zip(x.split(_PIECE), r.split(_PIECE), strict=True):
        off, size = (part.double() - exact).abs_(), exact.abs()
        found = [off, *(off / size.clamp_min(floor) for floor in floors)]
        worst = [float(new.max()) for new in found]  # NaN of what has a NaN
        if not math.isfinite(worst[0]):
            return None
        largest = [*map(max, largest, worst)]
    return Error(largest[0], largest[1], largest[2])


def root_mean_square(r: torch.Tensor) -> float:
    """The root mean square of `r`, whose elements are finite; 0 if there are none."""
    return float(torch.linalg.vector_norm(r)) / math.sqrt(max(1, r.numel()))


def size_of_elements(r: torch.Tensor, rms: float, dtype: torch.dtype) -> float:
    """The root mean square of `r`, whose elements are finite; but at most a multiple of the median
    magnitude of those elements that are more than what rounding to `dtype` leaves of a cancelled
    sum. So a few much larger elements do not hide the errors of the others."""
    if not dtype.is_floating_point:
        return rms
    some = r.reshape(-1)[:: max(1, r.numel() // _SAMPLE)].abs()
    some = some[some > torch.finfo(dtype).eps * rms]
    return min(rms, _OUTLYING * float(some.median())) if some.numel() else rms


def _of_any(output: torch.Tensor, r: torch.Tensor) -> Error:
    """With infinities and NaN, each of which has its place. They are few, and apart from the other
    elements, which are compared as fast as those of an output without any."""
    both = (output.double() - r).abs_() < math.inf  # faster than asking for infinities and NaN
    rest, rests = output[~both], r[~both]
    if (there := _of_special(rest, rests)) is not None:
        return there
    finite = r[both]
    if not finite.numel():
        return Error()
    known = torch.cat((finite, rests[rests.isfinite()]))
    return _of_finite(output[both], finite, root_mean_square(known)) or _INFINITE


def _of_special(output: torch.Tensor, r: torch.Tensor) -> Error | None:
    """Where each element is NaN or infinite in one of both; None where they agree."""
    x = rounded_to_infinity(output, output.double(), r)
    if not torch.equal(x.isnan(), r.isnan()):
        return Error(math.inf, math.inf, math.inf, _NAN)
    return None if bool(((x == r) | r.isnan()).all()) else _INFINITE


def rounded_to_infinity(
    output: torch.Tensor, x: torch.Tensor, reference: torch.Tensor
) -> torch.Tensor:
    """`x`, which is `output` in float64, with the reference's number in place of an infinity where
    that number is beyond the range of the output's dtype: rounding it so is no error."""
    if not output.is_floating_point() or output.dtype is torch.float64:
        return x
    limit = torch.finfo(output.dtype).max
    rightly = x.isinf() & (reference.abs() > limit) & (x.sign() == reference.sign())
    return torch.where(rightly, reference, x)


def nearest(x: torch.Tensor, exact: torch.Tensor, known: Sequence[torch.Tensor]) -> torch.Tensor:
    """For each element that of `exact` or of one of `known`, whichever is nearest to `x`; float64,
    on the CPU, all of one shape."""
    x, best = x.detach().cpu().double(), exact.detach().cpu().double()
    for other in (y.detach().cpu().double() for y in known):
        best = torch.where(distance(x, other) < distance(x, best), other, best)
    return best


def distance(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """|x - y| element by element: 0 where both are NaN or the same infinity, infinite where only
    one is."""
    alike = (x == y) | (x.isnan() & y.isnan())
    return (x - y).abs().nan_to_num(nan=math.inf).masked_fill(alike, 0.0)


def tolerance(x: torch.Tensor) -> float:
    """The tolerance for the dtype of `x`: 0 for integers and bools."""
    return TOLERANCES.get(x.dtype, 0.0)


def type_of(x: torch.Tensor) -> str:
    """A tensor's type as a sentence has it: `float32[2, 3]`."""
    return f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}"
