"""Loop splitting by masks: where along an axis a kernel's masks change, and the kernel restricted
to a part where they do not.

concatenate(x[4], y[6]) reads x where i0 < 4 and y where i0 >= 4. Split at 4, both parts are loops
without a mask.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from compiler_core.ir.sizes import Dim, Size, Undecided, is_proved, sum_of
from compiler_core.ir.types import BOOL
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Phase
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel, Load
from compiler_core.kernel.renaming import reading, renamed

Range = tuple[Dim, Dim]  # low <= axis < high
Ranges = Mapping[str, Range]
_NONE: Mapping[str, bool] = {}


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of an index with a bound: index >= bound, or index < bound."""

    index: Affine
    bound: int
    above: bool

    @property
    def axis(self) -> str:
        """The single axis that the index depends on; "" if there is none, or several."""
        return self.index.terms[0][0] if len(self.index.terms) == 1 else ""

    @property
    def turn(self) -> int | None:
        """The first point of its axis at which the truth of the test changes; None if that depends
        on a symbol."""
        ((_, stride),), offset = self.index.terms, self.index.offset
        if isinstance(stride, Size) or isinstance(offset, Size):
            return None
        distance = self.bound - offset
        return -(-distance // stride) if stride > 0 else distance // stride + 1


def parts(kernel: Kernel, axis: str) -> tuple[Range, ...]:
    """The subranges of `axis` within which no load's mask changes because of that axis."""
    (extent,) = (a.extent for a in kernel.axes if a.name == axis)
    masks = [d.mask for d in kernel.defs if isinstance(d, Load) and d.mask]
    tests = (_test(kernel, d) for d in kernel.needed(masks))
    found = {test.turn for test in tests if test and test.axis == axis}
    cuts = sorted(c for c in found if c is not None and _inside(c, extent))
    return tuple(pairwise(dict.fromkeys((0, *cuts, extent))))


def _inside(cut: int, extent: Dim) -> bool:
    return cut > 0 and is_proved(lambda: cut < extent)


def _test(kernel: Kernel, d: Def) -> Test | None:
    """The test that a definition is, if it is one."""
    if not (isinstance(d, Compute) and d.op == "compare" and d.direction in ("GE", "LT")):
        return None
    index, bound = (kernel.definitions.get(a) for a in d.args)
    if isinstance(index, Index) and isinstance(bound, Const) and not index.access.indirect:
        return Test(index.access, int(bound.value), above=d.direction == "GE")
    return None


def conjunction(kernel: Kernel, mask: str) -> tuple[Test, ...] | None:
    """The comparisons whose conjunction is `mask`; None if it contains anything else."""
    tests, seen, waiting = list[Test](), set[str](), [mask]
    while waiting:
        name = waiting.pop()
        d = kernel.definitions.get(name)
        if name in seen:
            continue
        seen.add(name)
        if isinstance(d, Compute) and d.op == "and":
            waiting += reversed(d.args)
            continue
        found = _test(kernel, d) if d else None
        if found is None:
            return None
        tests.append(found)
    return tuple(tests)


def specialise(kernel: Kernel, ranges: Ranges, truths: Mapping[str, bool] = _NONE) -> Kernel:
    """`kernel` restricted to the points in `ranges` (an axis not named is complete) and to points
    where bool values have these `truths`. Comparisons that are constant there become constants,
    and so does what depends on them. The axes keep their extents."""
    whole = {a.name: (0, a.extent) for a in kernel.axes}
    return _Decided(kernel, {**whole, **ranges}, truths).run()


class _Decided:
    def __init__(self, kernel: Kernel, ranges: Ranges, truths: Mapping[str, bool]) -> None:
        self.kernel, self.ranges, self.truths = kernel, ranges, truths
        self.known: dict[str, bool] = {}
        self.same: dict[str, str] = {}  # a value that another one stands for now

    def run(self) -> Kernel:
        defs = tuple(definition for d in self.kernel.defs for definition in self._define(d))
        effects = (tuple(reading(e, self.same) for e in p.effects) for p in self.kernel.phases)
        return replace(self.kernel, defs=defs, phases=tuple(map(Phase, effects)))

    def _define(self, d: Def) -> Iterator[Def]:
        d = renamed(d, self.same)
        if isinstance(d, Load) and d.mask:
            yield self._load(d, d.mask)
            return
        answer = self._answer(d) if isinstance(d, Compute) else None
        if isinstance(answer, bool):
            self.known[d.name] = answer
            yield Const(d.name, BOOL, answer, d.origins)
        elif answer:
            self.same[d.name] = answer
        else:
            yield d

    def _load(self, d: Load, mask: str) -> Def:
        holds = self.known.get(mask)
        if holds is None:
            return d
        return replace(d, mask=None) if holds else Const(d.name, d.dtype, d.other, d.origins)

    def _answer(self, d: Compute) -> bool | str | None:
        """The constant that `d` has throughout the ranges: a truth value, or another value's
        name."""
        if d.name in self.truths:
            return self.truths[d.name]
        match d.op:
            case "compare":
                return self._compare(d)
            case "and":
                for a, b in (d.args, d.args[::-1]):
                    if a in self.known:
                        return b if self.known[a] else False
            case "select" if d.args[0] in self.known:
                return d.args[1] if self.known[d.args[0]] else d.args[2]
        return None

    def _compare(self, d: Compute) -> bool | None:
        test = _test(self.kernel, d)
        if test is None:
            return None
        access, bound = test.index, test.bound
        if any(axis not in self.ranges for axis, _ in access.terms):
            return None
        try:
            ends = [(s * self.ranges[a][0], s * (self.ranges[a][1] - 1)) for a, s in access.terms]
            least, most = (access.offset + sum_of(map(pick, ends)) for pick in (min, max))
        except Undecided:
            return None
        if is_proved(lambda: least >= bound):
            return test.above
        return not test.above if is_proved(lambda: most < bound) else None
