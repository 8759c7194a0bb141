"""What an output may be: the exact values, eager's, and what rounding turns those into."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch

from compiler_core.measure import chaos
from compiler_core.measure.output_error import (
    Error,
    distance,
    error_of,
    nearest,
    root_mean_square,
    rounded_to_infinity,
    size_of_elements,
    tolerance,
)

# In tolerances: an error of eager's beyond it is not taken for one of rounding unasked.
_PLAIN = 10
# Rounding on the way may move a result more than that of the inputs does, and chance may have moved
# an element less than the others.
_ON_THE_WAY = 10


@dataclass(frozen=True)
class Expected:
    """What one output is compared with: its values in float64, eager's, eager's for inputs that
    were rounded differently, and others that eager may give as well."""

    exact: torch.Tensor
    eager: torch.Tensor
    moved: Sequence[torch.Tensor]
    also: Sequence[torch.Tensor] = ()
    # Errors that more of eager's outputs leave as they are, by what has which and against what.
    _kept: dict[tuple[int, str], Error] = field(default_factory=dict, repr=False)

    def and_moved(self, moved: Sequence[torch.Tensor]) -> "Expected":
        """The same with these of eager's outputs for inputs that were rounded differently."""
        return replace(self, moved=moved)

    def has(self, x: torch.Tensor, error: Error) -> bool:
        """Whether `x`, whose error is `error`, passes by one of the rules of numerics.py."""
        if not error.wrong and (error.scaled <= tolerance(x) or self._rounds_to(x, error)):
            return True
        return self._is_near(x) or (x is not self.eager and self._is_eagers(x))

    def _is_near(self, x: torch.Tensor) -> bool:
        """Whether each element is the exact one or what it may be instead."""
        known = [y for y in self._known(x) if y.shape == x.shape == self.exact.shape]
        if not known:
            return False

        def found() -> Error:
            return error_of(x, nearest(x, self.exact, known))

        error = self._once(x, "nearest", found) if x.is_floating_point() else found()
        return not error.wrong and error.scaled <= tolerance(x)

    def _once(self, x: torch.Tensor, against: str, found: Callable[[], Error]) -> Error:
        """Of `x`, which whoever asks holds on to."""
        key = id(x), against
        if key not in self._kept:
            self._kept[key] = found()
        return self._kept[key]

    def by_chance(self, x: torch.Tensor, error: Error) -> bool:
        """Whether `x`, whose error is `error`, is no further from eager than eager's own roundings
        are, but for chance; eager itself no further from the exact one."""
        if error.wrong or not self.eager.is_floating_point():
            return False
        eager, other = _upcast(self.eager), _upcast(self.exact if x is self.eager else x)
        moved = [distance(_upcast(y), eager) for y in self.moved]
        return chaos.by_chance(distance(other, eager), self._tolerated, moved, _ON_THE_WAY)

    def _is_eagers(self, x: torch.Tensor) -> bool:
        """Whether eager's is none of the exact one's roundings, and `x` is one of eager's."""
        if self._eager_is_right:
            return False
        error = self._once(x, "eager", lambda: error_of(x, self.eager))
        as_exact = Expected(_upcast(self.eager), self.eager, self.moved)
        return not error.wrong and as_exact._rounds_to(x, error)

    def _known(self, x: torch.Tensor) -> Sequence[torch.Tensor]:
        """What an element may be instead of the exact one: numbers that do not round are one or
        another. Eager is not held against itself."""
        others = (*self.also, *(() if x.is_floating_point() else self.moved))
        return others if x is self.eager else (self.eager, *others)

    def _rounds_to(self, x: torch.Tensor, error: Error) -> bool:
        """Whether `x` is what rounding makes of it."""
        if not self.eager.is_floating_point():
            return False
        own, twice = self.own, _at_most_twice(error, self.own)
        if twice and not own.wrong and own.scaled <= _PLAIN * tolerance(self.eager):
            return True
        return error.absolute <= self._most_of_rounding and self._each_changes(x)

    @cached_property
    def _most_of_rounding(self) -> float:
        """How far off the largest element may be by rounding. Of an output that is nothing but
        rounding, as the gradient of what a norm has made zero, no rounding is typical."""
        change, own = self._largest_change, self.own.absolute
        if change * tolerance(self.eager) >= root_mean_square(_upcast(self.exact)):
            return _ON_THE_WAY * change
        return 2 * max(change, min(own, _ON_THE_WAY * change))

    @cached_property
    def own(self) -> Error:
        """Eager's error against float64."""
        return self._once(self.eager, "exact", lambda: error_of(self.eager, self.exact))

    @cached_property
    def _eager_is_right(self) -> bool:
        return self.has(self.eager, self.own)

    @cached_property
    def _largest_change(self) -> float:
        eager = _upcast(self.eager)
        changes = (distance(_upcast(y), eager) for y in self.moved if y.numel())
        return max(
            (float(x[x < math.inf].amax()) for x in changes if (x < math.inf).any()), default=0.0
        )

    def _each_changes(self, x: torch.Tensor) -> bool:
        """Whether eager's result changes wherever `x` is off by more than the tolerance."""
        exact = _upcast(self.exact)
        off = distance(rounded_to_infinity(x.cpu(), _upcast(x), exact), exact)
        return bool((off <= self._allowed).all())

    @cached_property
    def _tolerated(self) -> torch.Tensor:
        """How far off each element may be unasked."""
        size = _upcast(self.exact).abs().nan_to_num(nan=0.0, posinf=0.0)
        least = size_of_elements(size, root_mean_square(size), self.eager.dtype)
        return tolerance(self.eager) * size.clamp_min(least)

    @cached_property
    def _allowed(self) -> torch.Tensor:
        """How far off each element may be."""
        eager, allowed = _upcast(self.eager), self._tolerated
        for y in self.moved:
            allowed = allowed.maximum(_ON_THE_WAY * distance(_upcast(y), eager))
        return allowed


def _at_most_twice(error: Error, own: Error) -> bool:
    """Of the largest elements, and of those that are off by most for their size."""
    return error.absolute <= 2 * own.absolute and error.scaled <= 2 * own.scaled


def _upcast(x: torch.Tensor) -> torch.Tensor:
    return x.detach().cpu().double()
