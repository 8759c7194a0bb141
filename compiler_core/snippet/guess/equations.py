"""Unknown sizes, and which of them are multiples of each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm


@dataclass(frozen=True)
class Size:
    """`factor` times the unknown number `unknown`."""

    unknown: int
    factor: Fraction = Fraction(1)

    def times(self, factor: Fraction | int) -> "Size":
        """This size multiplied by `factor`."""
        return Size(self.unknown, self.factor * factor)


class Equations:
    """A system of unknown sizes, each a multiple of another one or of itself."""

    def __init__(self) -> None:
        self._is: list[Size] = []
        self._sums: list[tuple[Size, list[Size]]] = []
        self._numbers: dict[int, Fraction] = {}

    def fresh(self) -> Size:
        """A size of which nothing is known."""
        self._is.append(Size(len(self._is)))
        return self._is[-1]

    def same(self, one: Size, other: Size) -> None:
        """States that two sizes are equal; what contradicts what was stated before is ignored."""
        a, b = self.root(one), self.root(other)
        if a.unknown != b.unknown:
            self._is[a.unknown] = Size(b.unknown, b.factor / a.factor)

    def sum(self, sizes: Sequence[Size]) -> Size:
        """The sum of these sizes, as a new size."""
        total = self.fresh()
        self._sums.append((total, list(sizes)))
        self._add()
        return total

    def _add(self) -> None:
        """Follows what sums imply: of a total and its parts one is known by the others."""
        while (solved := next((s for s in self._sums if self._solves(*s)), None)) is not None:
            self._sums.remove(solved)

    def _solves(self, total: Size, parts: Sequence[Size]) -> bool:
        """Whether a sum says a size, which is stated then."""
        roots = [self.root(part) for part in parts]
        if len({root.unknown for root in roots}) == 1:
            self.same(total, Size(roots[0].unknown, Fraction(sum(r.factor for r in roots))))
            return True
        whole = self.root(total)
        others = [root for root in roots if root.unknown != whole.unknown]
        rest = whole.factor - sum(r.factor for r in roots if r.unknown == whole.unknown)
        if len(others) == 1 and rest > 0:
            self.same(others[0], Size(whole.unknown, rest))
        return len(others) == 1

    def settle(self) -> None:
        """Decides sums that are still open: their parts are taken to be equal."""
        self._add()
        while self._sums:
            parts = self._sums[0][1]
            for part in parts[1:]:
                self.same(parts[0], part)
            self._add()

    def number(self, size: Size, number: int) -> None:
        """States the value of a size, unless that of its root is already stated."""
        root = self.root(size)
        self._numbers.setdefault(root.unknown, number / root.factor)

    def solved(self, sizes: list[Size], least: int) -> list[int]:
        """Whole numbers for `sizes`. Among sizes that are multiples of each other, the least is a
        multiple of `least`, and `least` itself where it divides the others."""
        roots = [self.root(size) for size in sizes]
        return [int(r.factor * self._base(r.unknown, roots, least)) for r in roots]

    def _base(self, unknown: int, roots: list[Size], least: int) -> Fraction:
        factors = [r.factor for r in roots if r.unknown == unknown]
        known = self._numbers.get(unknown)
        if known is not None and all((known * f).denominator == 1 for f in factors):
            return known
        smallest = min(factors)
        return least * lcm(*((f / smallest).denominator for f in factors)) / smallest

    def root(self, size: Size) -> Size:
        """The size as a multiple of an unknown that is no multiple of another one."""
        known = self._is[size.unknown]
        if known.unknown == size.unknown:
            return size
        return self.root(known.times(size.factor))
