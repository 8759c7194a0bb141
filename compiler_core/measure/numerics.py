"""How far a program's outputs are from what its framework gives for it in float64.

max_abs_error   the largest |output - reference|
max_rel_error   the largest |output - reference| / max(|reference|, rms / 100), with rms the root
                mean square of that output's reference: an element that cancels to almost nothing
                has no meaningful error relative to itself
ok              for every output, one of:
                - no |output - reference| / max(|reference|, rms) is more than the type's tolerance;
                  integers and bools have none. NaN stands where the reference has NaN and nowhere
                  else, infinities likewise;
                - the same, with each element held against the reference or against eager's own,
                  whichever is nearer;
                - the largest absolute error is at most twice eager's, as far as eager's is one of
                  rounding: a few tolerances, or what eager's result changes by where the inputs,
                  or what it computes on the way, are rounded otherwise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from compiler_core import report
from compiler_core.interop.float8 import FLOAT8
from compiler_core.measure.output_error import Error, error_of, nearest, type_of
from compiler_core.measure.places import Places, Taken

RULE = "at most twice eager's error, or the type's tolerance; NaN where the reference has it"
IN_OWN_TYPES = "what eager gives, within the type's tolerance: "
ILL_CONDITIONED = (
    "at most twice eager's error, or what eager's own result changes by where the inputs are "
    "rounded otherwise; NaN where the reference has it"
)
ON_THE_WAY = (
    "at most twice eager's error, or what eager's own result changes by where all that it computes "
    "is rounded otherwise; NaN where the reference has it"
)
COARSE = (
    "at most twice eager's error, or what eager's own result changes by where the inputs are "
    "rounded as coarsely as the program computes; NaN where the reference has it"
)

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
# In tolerances: an error of eager's beyond it is not taken for one of rounding unasked.
_PLAIN = 10
# Rounding on the way may move a result more than that of the inputs does.
_ON_THE_WAY = 10


@dataclass(frozen=True)
class Reference:
    """The program's outputs in float64. `keys` are for outputs that are indices or are gathered at
    such indices, which are compared by the elements that they lead to. `rule` is the sentence on
    how outputs were compared. Each of `also` has outputs that the framework may give as well,
    element by element."""

    outputs: Sequence[torch.Tensor]
    keys: tuple[tuple[Places | Taken, Sequence[torch.Tensor]], ...] = ()
    rule: str = RULE
    also: Sequence[Sequence[torch.Tensor]] = ()

    def compared(self, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """`outputs` as they are compared: indices are replaced by the elements that they lead
        to."""
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
    """The errors of each compiler's outputs, by compiler. `outputs` must have "eager", with whose
    errors and types the others' are compared. Each of `moved` has eager's outputs for inputs that
    were rounded differently."""
    return Compared(outputs, reference).verdicts(moved)


class Compared:
    """The outputs of each compiler with their errors, which are computed once for all verdicts:
    these are asked for again with more of eager's outputs."""

    def __init__(self, outputs: Mapping[str, Sequence[torch.Tensor]], reference: Reference) -> None:
        self.reference, self.exact = reference, reference.compared(reference.outputs)
        given = {name: reference.compared(each) for name, each in outputs.items()}
        self.eager = given["eager"]
        self.outputs = {name: list(map(_numbers, x, self.eager)) for name, x in given.items()}
        self.errors = {
            name: [error_of(x, e) for x, e in zip(each, self.exact, strict=False)]
            for name, each in self.outputs.items()
        }

    def verdicts(self, moved: Sequence[Sequence[torch.Tensor]] = ()) -> dict[str, report.Numerics]:
        """By compiler, as `check` has them."""
        nothing: list[tuple[torch.Tensor, ...]] = [()] * len(self.eager)
        changes = list(zip(*map(self.reference.compared, moved), strict=False)) or nothing
        also = list(zip(*self.reference.also, strict=False)) or nothing
        each = zip(self.exact, self.eager, changes, also, strict=False)
        expected = [Expected(*one) for one in each]
        return {
            name: _verdict(given, self.errors[name], self.eager, expected, self.reference.rule)
            for name, given in self.outputs.items()
        }


@dataclass(frozen=True)
class Expected:
    """What one output is compared with: its values in float64, eager's, eager's for inputs that
    were rounded differently, and others that eager may give as well."""

    exact: torch.Tensor
    eager: torch.Tensor
    moved: Sequence[torch.Tensor]
    also: Sequence[torch.Tensor] = ()

    def has(self, x: torch.Tensor, error: Error) -> bool:
        """Whether `x`, whose error is `error`, is within tolerance, no more than twice as far off
        as eager is by rounding, or near what eager may give element by element."""
        if not error.wrong and (
            error.scaled <= _tolerance(x) or error.absolute <= 2 * self._by_rounding
        ):
            return True
        known = [y for y in self._known(x) if y.shape == x.shape == self.exact.shape]
        error = error_of(x, nearest(x, self.exact, known))
        return bool(known) and not error.wrong and error.scaled <= _tolerance(x)

    def _known(self, x: torch.Tensor) -> Sequence[torch.Tensor]:
        """What an element may be instead of the exact one: numbers that do not round are one or
        another. Eager is not held against itself."""
        others = (*self.also, *(() if x.is_floating_point() else self.moved))
        return others if x is self.eager else (self.eager, *others)

    @cached_property
    def _by_rounding(self) -> float:
        """How far eager's result is off by rounding."""
        if not self.eager.is_floating_point():
            return 0.0
        changes = [error_of(y, self.eager).absolute for y in self.moved]
        moved = max(filter(math.isfinite, changes), default=0.0)
        own = error_of(self.eager, self.exact)
        plain = not own.wrong and own.scaled <= _PLAIN * _tolerance(self.eager)
        return max(moved, own.absolute if plain else min(own.absolute, _ON_THE_WAY * moved))


def _numbers(x: torch.Tensor, eager: torch.Tensor) -> torch.Tensor:
    """An executable has 8-bit floats as their bytes."""
    is_bytes = x.dtype is torch.uint8 and eager.dtype in FLOAT8
    return x.view(eager.dtype) if is_bytes else x


def _tolerance(x: torch.Tensor) -> float:
    return TOLERANCES.get(x.dtype, 0.0)


def worse(a: report.Numerics, b: report.Numerics) -> report.Numerics:
    """Of one program at two sets of sizes: the one that is wrong, else the one with the larger
    error."""
    return max(a, b, key=lambda n: (not n.ok, n.max_abs_error or 0.0))


def _verdict(
    outputs: Sequence[torch.Tensor],
    errors: Sequence[Error],
    eager: Sequence[torch.Tensor],
    expected: Sequence[Expected],
    rule: str,
) -> report.Numerics:
    wrong = _misfit(outputs, eager)
    if not wrong:
        found = zip(outputs, errors, expected, strict=False)
        wrong = next((_words(i, *x) for i, x in enumerate(found) if not x[2].has(*x[:2])), "")
    return report.Numerics(
        max_abs_error=_finite(max((e.absolute for e in errors), default=0.0)),
        max_rel_error=_finite(max((e.relative for e in errors), default=0.0)),
        ok=not wrong,
        rule=rule,
        error=wrong,
    )


def _words(i: int, x: torch.Tensor, error: Error, expected: Expected) -> str:
    own = error_of(expected.eager, expected.exact)
    return error.wrong or f"output {i} is off by {error.absolute:.3g}, eager by {own.absolute:.3g}"


def _finite(error: float) -> float | None:
    return error if math.isfinite(error) else None


def _misfit(outputs: Sequence[torch.Tensor], eager: Sequence[torch.Tensor]) -> str:
    if len(outputs) != len(eager):
        return f"{len(outputs)} outputs instead of {len(eager)}"
    for i, (x, e) in enumerate(zip(outputs, eager, strict=True)):
        if x.shape != e.shape or x.dtype is not e.dtype:
            return f"output {i} is {type_of(x)} instead of {type_of(e)}"
    return ""
