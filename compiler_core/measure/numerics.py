"""How far a program's outputs are from what its framework gives for it in float64.

max_abs_error   the largest |output - reference|
max_rel_error   the largest |output - reference| / max(|reference|, rms / 100), with rms the root
                mean square of that output's reference: an element that cancels to almost nothing
                has no meaningful error relative to itself
ok              for every output, one of:
                - no |output - reference| / max(|reference|, size) is more than the type's
                  tolerance; integers and bools have none. `size` is rms, or a thousand times the
                  median of elements where a few are so large that they alone make up rms. NaN
                  stands where the reference has NaN and nowhere else, infinities likewise;
                - the same, with each element held against the reference or against eager's own,
                  whichever is nearer;
                - the largest errors, absolute and as above, are at most twice eager's, as far as
                  eager's are of rounding: a few tolerances;
                - the largest absolute error is at most twice what eager's result changes by where
                  the inputs, or what it computes on the way, are rounded otherwise (ten times, if
                  what there is of it is nothing beside that); and each element that is off by more
                  than the tolerance is one that changes so: one that cancels excuses no other;
                - the same, held against eager's result in place of the reference, where eager's own
                  passes by none of these: it overflows, or loses all, where float64 does not;
                - eager's is further off than any rule above allows, no more elements are off by
                  more than eager's roundings explain than are of one of these by the others, and
                  with inputs so small that rounding does not decide all is within tolerance
                  (chaos.py).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import torch

from compiler_core import report
from compiler_core.interop.float8 import FLOAT8
from compiler_core.measure.expected import Expected
from compiler_core.measure.output_error import Error, error_of, type_of
from compiler_core.measure.sort_places import Places, Taken

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
CHAOTIC = (
    "rounding decides the result: no more of it is off than where eager's own numbers are rounded "
    "otherwise, and with inputs a 64th of their size all is within tolerance"
)
NOT_KNOWN = (
    "the type's tolerance: whether more than that is rounding alone is not known of eager, which "
    "takes too long to be run again and again"
)
UNSTEADY = (
    "eager itself gives another result at each call for the same inputs, as a program does that "
    "asks for the time: it cannot be checked"
)


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
        also = list(zip(*reference.also, strict=False)) or [()] * len(self.eager)
        each = zip(self.exact, self.eager, also, strict=False)
        self._expected = [Expected(exact, eager, (), other) for exact, eager, other in each]

    def verdicts(
        self, moved: Sequence[Sequence[torch.Tensor]] = (), *, chaotic: bool = False
    ) -> dict[str, report.Numerics]:
        """The verdicts by compiler, as `check` has them; `chaotic`: an output may be off by
        chance."""
        nothing: list[tuple[torch.Tensor, ...]] = [()] * len(self.eager)
        changes = list(zip(*map(self.reference.compared, moved), strict=False)) or nothing
        both = zip(self._expected, changes, strict=False)
        expected = [each.and_moved(moved) for each, moved in both]
        return {
            name: _verdict(
                given, self.errors[name], self.eager, expected, self.reference.rule, chaotic
            )
            for name, given in self.outputs.items()
        }


def is_same(outputs: Sequence[torch.Tensor], again: Sequence[torch.Tensor]) -> bool:
    """Whether two calls of a program on the same inputs gave the same, within the tolerances."""
    exact = [x.double() if x.is_floating_point() else x for x in outputs]
    return check({"eager": again}, Reference(exact))["eager"].ok


def unsteady(found: Mapping[str, report.Numerics]) -> dict[str, report.Numerics]:
    """The verdicts on a program whose calls differ from each other: who is right by its tolerance
    is so, and nothing that eager's result changes by excuses the others."""
    return {
        name: n if n.ok else msgspec.structs.replace(n, error=UNSTEADY) for name, n in found.items()
    }


def _numbers(x: torch.Tensor, eager: torch.Tensor) -> torch.Tensor:
    """An executable has 8-bit floats as their bytes."""
    is_bytes = x.dtype is torch.uint8 and eager.dtype in FLOAT8
    return x.view(eager.dtype) if is_bytes else x


def worse(a: report.Numerics, b: report.Numerics) -> report.Numerics:
    """The worse of two verdicts on one program at two sets of sizes: the one that is wrong, else
    the one with the larger error."""
    return max(a, b, key=lambda n: (not n.ok, n.max_abs_error or 0.0))


def as_before(
    before: Mapping[str, report.Numerics], timed: Mapping[str, report.Numerics]
) -> dict[str, report.Numerics]:
    """The verdicts on timed calls; who was wrong before is not right by those."""
    wrong = {name for name, n in before.items() if not n.ok}
    return {name: before[name] if name in wrong else n for name, n in timed.items()}


def _verdict(
    outputs: Sequence[torch.Tensor],
    errors: Sequence[Error],
    eager: Sequence[torch.Tensor],
    expected: Sequence[Expected],
    rule: str,
    chaotic: bool,
) -> report.Numerics:
    def right(x: torch.Tensor, error: Error, may_be: Expected) -> bool:
        return may_be.has(x, error) or (chaotic and may_be.by_chance(x, error))

    wrong = _misfit(outputs, eager)
    if not wrong:
        found = zip(outputs, errors, expected, strict=False)
        wrong = next((_words(i, *x) for i, x in enumerate(found) if not right(*x)), "")
    return report.Numerics(
        max_abs_error=_finite(max((e.absolute for e in errors), default=0.0)),
        max_rel_error=_finite(max((e.relative for e in errors), default=0.0)),
        ok=not wrong,
        rule=rule,
        error=wrong,
    )


def _words(i: int, x: torch.Tensor, error: Error, expected: Expected) -> str:
    other = "" if x is expected.eager else f", eager by {expected.own.absolute:.3g}"
    return error.wrong or f"output {i} is off by {error.absolute:.3g}{other}"


def _finite(error: float) -> float | None:
    return error if math.isfinite(error) else None


def _misfit(outputs: Sequence[torch.Tensor], eager: Sequence[torch.Tensor]) -> str:
    if len(outputs) != len(eager):
        return f"{len(outputs)} outputs instead of {len(eager)}"
    for i, (x, e) in enumerate(zip(outputs, eager, strict=True)):
        if x.shape != e.shape or x.dtype is not e.dtype:
            return f"output {i} is {type_of(x)} instead of {type_of(e)}"
    return ""
