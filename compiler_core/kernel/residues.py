"""Masks that depend on an axis modulo a number, as those of interleaved operands do: `(i0 - 1) % 2
== 0` is true at every second point. A loop over the points of one residue class needs no such
mask."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import lcm

from compiler_core.kernel.kernel import Compute, Const, Index, Kernel

# The most residues, each of which has a loop of its own: with more, the text costs more than the
# masks.
_MOST = 8


@dataclass(frozen=True, slots=True)
class Residues:
    """The residues modulo `count` of `axis` decide masks of a kernel."""

    axis: str
    count: int


@dataclass(frozen=True, slots=True)
class _Test:
    """(stride * axis + offset) % count == 0, of the definition `name`."""

    name: str
    axis: str
    stride: int
    offset: int
    count: int


def residues(kernel: Kernel, axes: Iterable[str]) -> Residues | None:
    """The modulus of the first of `axes` whose residues decide a mask; None if there is no such
    axis, or only with more residues than deserve loops of their own."""
    found = tuple(_tests(kernel))
    for axis in axes:
        count = lcm(*(test.count for test in found if test.axis == axis))
        if 1 < count <= _MOST:
            return Residues(axis, count)
    return None


def decided(kernel: Kernel, of: Residues, residue: int) -> Mapping[str, bool]:
    """The truth, by name, of each mask that is decided where `of.axis` modulo `of.count` is
    `residue`."""
    tests = (t for t in _tests(kernel) if t.axis == of.axis and of.count % t.count == 0)
    return {t.name: (t.stride * residue + t.offset) % t.count == 0 for t in tests}


def _tests(kernel: Kernel) -> Iterator[_Test]:
    for d in kernel.defs:
        if not (isinstance(d, Compute) and d.op == "compare" and d.direction == "EQ"):
            continue
        rest, zero = map(kernel.definitions.get, d.args)
        if not (_number(zero) == 0 and isinstance(rest, Compute) and rest.op == "remainder"):
            continue
        at, by = map(kernel.definitions.get, rest.args)
        count = _number(by)
        if isinstance(at, Index) and len(at.access.terms) == 1 and count and count > 0:
            ((axis, stride),), offset = at.access.terms, at.access.offset
            if isinstance(stride, int) and isinstance(offset, int) and not at.access.indirect:
                yield _Test(d.name, axis, stride, offset, count)


def _number(d: object) -> int | None:
    """The whole number that a definition is; None of another."""
    return d.value if isinstance(d, Const) and type(d.value) is int else None
