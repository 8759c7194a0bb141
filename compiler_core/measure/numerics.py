"""How far a program's outputs are from the same program computed in float64.

max_abs_error   the largest |output - reference|
max_rel_error   the largest |output - reference| / max(|reference|, rms / 100), with rms the root
                mean square of that output's reference: an element that cancels to almost nothing
                has no meaningful error relative to itself
ok              for every output: the largest absolute error is at most twice eager's (or twice what
                eager's result changes by where the inputs are rounded otherwise), or no
                |output - reference| / max(|reference|, rms) is more than the type's tolerance;
                integers and bools have none. NaN stands where the reference has NaN and nowhere
                else, infinities likewise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from compiler_core import report
from compiler_core.measure.places import Places, Taken

RULE = "at most twice eager's error, or the type's tolerance; NaN where the reference has it"
ILL_CONDITIONED = (
    "at most twice eager's error, or what eager's own result changes by where the inputs are "
    "rounded otherwise; NaN where the reference has it"
)

# About a hundred units in the last place for f32: what another order of summation makes of it.
TOLERANCES = {
    torch.float64: 1e-10,
    torch.float32: 1.3e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}
_FLOOR = 0.01
_PIECE = 1 << 16
_NAN = "NaN where the reference has none, or none where it has"


@dataclass(frozen=True, slots=True)
class Error:
    """Of one output against the reference, the largest over its elements. `wrong` says in words
    what no number can: a shape, a type, a NaN."""

    absolute: float = 0.0
    relative: float = 0.0
    # Relative to the element or to the output's root mean square, whichever is larger.
    scaled: float = 0.0
    wrong: str = ""


@dataclass(frozen=True)
class Reference:
    """The outputs in float64; for those that are indices of elements, also these elements."""

    outputs: Sequence[torch.Tensor]
    keys: tuple[tuple[Places | Taken, Sequence[torch.Tensor]], ...] = ()

    def compared(self, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """`outputs` as they are compared: places as the elements that they lead to."""
        given = list(outputs)
        for places, keys in self.keys:
            if places.output < len(given):
                exact = self.outputs[places.output]
                x = given[places.output].detach().to(exact.device)
                given[places.output] = places.compared(x, exact, *keys)
        return given


def check(
    outputs: Mapping[str, Sequence[torch.Tensor]],
    reference: Reference,
    moved: Sequence[Sequence[torch.Tensor]] = (),
) -> dict[str, report.Numerics]:
    """The errors of each compiler's outputs, by compiler. `outputs` has "eager", with whose errors
    and types the others' are compared. Each of `moved` has eager's outputs for inputs that are
    rounded otherwise: eager's error counts as at least what that changes."""
    exact = reference.compared(reference.outputs)
    outputs = {name: reference.compared(given) for name, given in outputs.items()}
    errors = {
        name: [_error(x, r) for x, r in zip(given, exact, strict=False)]
        for name, given in outputs.items()
    }
    own = errors["eager"]
    for other in moved:
        changed = zip(own, outputs["eager"], reference.compared(other), strict=False)
        own = [_at_least(error, x, y) for error, x, y in changed]
    return {name: _verdict(errors[name], outputs[name], own, outputs["eager"]) for name in outputs}


def _at_least(error: Error, x: torch.Tensor, moved: torch.Tensor) -> Error:
    """Of a floating-point output: numbers of other kinds do not round."""
    if not x.is_floating_point():
        return error
    return replace(error, absolute=max(error.absolute, _error(moved, x).absolute))


def worse(a: report.Numerics, b: report.Numerics) -> report.Numerics:
    """Of one program at two sets of sizes: the one that is wrong, else the larger error."""
    return max(a, b, key=lambda n: (not n.ok, n.max_abs_error or 0.0))


def _verdict(
    errors: list[Error],
    outputs: Sequence[torch.Tensor],
    eager_errors: list[Error],
    eager: Sequence[torch.Tensor],
) -> report.Numerics:
    wrong = _misfit(outputs, eager) or next((e.wrong for e in errors if e.wrong), "")
    bad = next(
        (i for i, (e, own, x) in enumerate(zip(errors, eager_errors, outputs, strict=False))
         if not _within(e, own, x.dtype)),
        None,
    )  # fmt: skip
    if not wrong and bad is not None:
        e, own = errors[bad], eager_errors[bad]
        wrong = f"output {bad} is off by {e.absolute:.3g}, eager by {own.absolute:.3g}"
    return report.Numerics(
        max_abs_error=_finite(max((e.absolute for e in errors), default=0.0)),
        max_rel_error=_finite(max((e.relative for e in errors), default=0.0)),
        ok=not wrong,
        rule=RULE,
        error=wrong,
    )


def _finite(error: float) -> float | None:
    return error if math.isfinite(error) else None


def _within(error: Error, eager: Error, dtype: torch.dtype) -> bool:
    return (
        error.absolute <= 2 * eager.absolute
        or error.scaled <= TOLERANCES.get(dtype, 0.0)
    )  # fmt: skip


def _misfit(outputs: Sequence[torch.Tensor], eager: Sequence[torch.Tensor]) -> str:
    if len(outputs) != len(eager):
        return f"{len(outputs)} outputs instead of {len(eager)}"
    for i, (x, e) in enumerate(zip(outputs, eager, strict=True)):
        if x.shape != e.shape or x.dtype is not e.dtype:
            return f"output {i} is {_type(x)} instead of {_type(e)}"
    return ""


def _type(x: torch.Tensor) -> str:
    return f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}"


def _error(output: torch.Tensor, reference: torch.Tensor) -> Error:
    if output.shape != reference.shape:
        return Error(wrong=f"{_type(output)} instead of {_type(reference)}")
    x, r = output.detach().cpu().reshape(-1), reference.detach().cpu().double().reshape(-1)
    if not r.numel():
        return Error()
    rms = float(torch.linalg.vector_norm(r)) / math.sqrt(r.numel())
    found = _of_finite(x, r, rms) if math.isfinite(rms) else None
    return found or _of_any(x, r)


def _of_finite(x: torch.Tensor, r: torch.Tensor, rms: float) -> Error | None:
    """Piece by piece, so that what is computed on the way stays in the cache; None where the
    output has an infinity or NaN."""
    floors = [floor or torch.finfo(torch.float64).tiny for floor in (_FLOOR * rms, rms)]
    largest = [0.0, 0.0, 0.0]
    for part, exact in zip(x.split(_PIECE), r.split(_PIECE), strict=True):
        off, size = (part.double() - exact).abs_(), exact.abs()
        found = [off, *(off / size.clamp_min(floor) for floor in floors)]
        largest = [max(old, float(new.max())) for old, new in zip(largest, found, strict=True)]
        # The maximum of what has a NaN is NaN, which no comparison keeps.
        if not math.isfinite(float(off.sum())):
            return None
    return Error(largest[0], largest[1], largest[2])


def _of_any(output: torch.Tensor, r: torch.Tensor) -> Error:
    """With infinities and NaN, each of which has its place."""
    x = _rounded_to_infinity(output, output.double(), r)
    if not torch.equal(x.isnan(), r.isnan()):
        return Error(math.inf, math.inf, math.inf, _NAN)
    known = ~r.isnan() & (x != r)
    if not bool(known.any()):
        return Error()
    difference, size = (x - r).abs()[known], r.abs()[known]
    finite = r[r.isfinite()]
    rms = float(finite.square().mean().sqrt()) if finite.numel() else 0.0
    return Error(
        float(difference.max()),
        _largest_ratio(difference, size, _FLOOR * rms),
        _largest_ratio(difference, size, rms),
    )


def _largest_ratio(difference: torch.Tensor, size: torch.Tensor, floor: float) -> float:
    """An infinity against anything else is an infinite error, also relative to itself."""
    least = floor or torch.finfo(torch.float64).tiny
    ratios = torch.where(difference.isinf(), difference, difference / size.clamp_min(least))
    return float(ratios.max())


def _rounded_to_infinity(
    output: torch.Tensor, x: torch.Tensor, reference: torch.Tensor
) -> torch.Tensor:
    """An infinity where the reference is beyond the output's own range is no error."""
    if not output.is_floating_point() or output.dtype is torch.float64:
        return x
    limit = torch.finfo(output.dtype).max
    rightly = x.isinf() & (reference.abs() > limit) & (x.sign() == reference.sign())
    return torch.where(rightly, reference, x)
