"""The share of a kernel's points at which each value is computed, if its loops are split where
masks change: concatenate(x[4], y[6]) loads x at four tenths of them and needs no select."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from math import prod

from compiler_core.ir.sizes import hint
from compiler_core.kernel.kernel import Axis, Compute, Kernel, Load, operands, roots
from compiler_core.kernel.ranges import Test, conjunction, parts


def shares(kernel: Kernel, split: Collection[Axis]) -> Mapping[str, float]:
    """The share, of all points, of each definition, if the loops along the axes `split` are. A
    value that several others read at different points is counted at each of theirs, up to all: an
    upper bound."""
    masks = [d.mask for d in kernel.defs if isinstance(d, Load) and d.mask]
    if not masks:
        return dict.fromkeys(kernel.definitions, 1.0)
    return _Shares(kernel, split).run()


class _Shares:
    def __init__(self, kernel: Kernel, split: Collection[Axis]) -> None:
        self.kernel = kernel
        self.lengths = {a.name: a.hint for a in split}
        self.cuts = {a.name: {low for low, _ in parts(kernel, a.name)} for a in split}
        self.needed: dict[str, float] = defaultdict(float)
        self.known: dict[str, float | None] = {}

    def run(self) -> dict[str, float]:
        self._read(roots(*self.kernel.effects), 1.0)
        found = dict[str, float]()
        for d in reversed(self.kernel.defs):
            share = min(1.0, self.needed[d.name])
            holds = self._where(d)
            if holds is None:
                self._read(operands(d), share)
            elif isinstance(d, Load):
                share = min(share, holds)
                self._read(d.access.values, share)
            else:
                _, inside, outside = operands(d)
                self._read((inside,), share * holds)
                self._read((outside,), share * (1 - holds))
                share = 0.0
            found[d.name] = share
        return found

    def _read(self, values: Collection[str], share: float) -> None:
        for value in values:
            self.needed[value] += share

    def _where(self, d: object) -> float | None:
        """The share of the points at which a masked load reads, or a select chooses its first; None
        if that is asked at each point, or `d` is none of both."""
        mask = ""
        if isinstance(d, Load):
            mask = d.mask or ""
        elif isinstance(d, Compute) and d.op == "select":
            mask = d.args[0]
        if mask and mask not in self.known:
            self.known[mask] = self._holds(conjunction(self.kernel, mask))
        return self.known[mask] if mask else None

    def _holds(self, tests: Collection[Test] | None) -> float | None:
        """The share of the points at which all `tests` hold; None where no loop is split so that it
        is known."""
        if tests is None or not all(map(self._is_split, tests)):
            return None
        return prod(self._length(axis, tests) / max(1, n) for axis, n in self.lengths.items())

    def _is_split(self, test: Test) -> bool:
        if test.axis not in self.lengths or test.turn is None:
            return False
        inside = 0 < test.turn < self.lengths[test.axis]
        return not inside or test.turn in self.cuts[test.axis]

    def _length(self, axis: str, tests: Collection[Test]) -> int:
        """How many points of an axis pass those of `tests` that are of it."""
        low, high = 0, self.lengths[axis]
        for test in tests:
            at = test.turn if test.axis == axis else None
            if at is None:
                continue
            if test.above == (hint(test.index.stride(axis)) > 0):
                low = max(low, at)
            else:
                high = min(high, at)
        return max(0, high - low)
