"""Ranges of the integer values of a kernel.

An index that is proved to be in bounds needs no clamp: an iota, a remainder by a constant, a byte
that indexes a table of 256.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from compiler_core.ir import sizes
from compiler_core.ir.ranges import RULES, of_type
from compiler_core.ir.sizes import Dim
from compiler_core.kernel import affine
from compiler_core.kernel.affine import Extents
from compiler_core.kernel.kernel import Compute, Const, Def, Index

Interval = tuple[int, int]
Definition = Callable[[str], Def | None]


def interval(name: str, definition: Definition, extents: Extents) -> Interval | None:
    """The least and the greatest value, inclusive; None for floats, and if nothing is known."""
    return intervals(definition, extents)(name)


def intervals(
    definition: Definition, extents: Extents, known: Mapping[str, Interval] = MappingProxyType({})
) -> Callable[[str], Interval | None]:
    """`interval` by name, of values some of which are `known` to lie in a range."""
    return _Intervals(definition, extents, known).of


@dataclass
class _Intervals:
    """Those of a value and of what it is computed from, each found once: a step of a search reads
    the one before it twice."""

    definition: Definition
    extents: Extents
    known: Mapping[str, Interval]
    found: dict[str, Interval | None] = field(default_factory=dict)

    def of(self, name: str) -> Interval | None:
        if name not in self.found:
            self.found[name] = _both(self._of(self.definition(name)), self.known.get(name))
        return self.found[name]

    def _of(self, d: Def | None) -> Interval | None:
        if d is None or d.dtype.is_float:
            return None
        own, whole = self._own(d), of_type(d.dtype)
        # An operation that may have left its type wraps round: then only the type is known.
        inside = own is not None and whole[0] <= own[0] <= own[1] <= whole[1]
        return own if inside else whole

    def _own(self, d: Def) -> Interval | None:
        match d:
            case Const():
                return int(d.value), int(d.value)
            case Index() if all(v in self.extents for v in d.access.values):
                return _numbers(affine.bounds(d.access, self.extents))
            case Compute() if d.op in RULES:
                operands = [self.of(a) for a in d.args]
                known = [x for x in operands if x is not None]
                found = RULES[d.op](*known) if len(known) == len(operands) else None
                return None if found is None else (int(found[0]), int(found[1]))
        return None


def _both(own: Interval | None, known: Interval | None) -> Interval | None:
    if own is None or known is None:
        return own or known
    return max(own[0], known[0]), min(own[1], known[1])


def _numbers(ends: tuple[Dim, Dim]) -> Interval | None:
    """Bounds that hold for all values of their symbols."""
    low, high = sizes.bounds(ends[0])[0], sizes.bounds(ends[1])[1]
    return None if low is None or high is None else (low, high)
