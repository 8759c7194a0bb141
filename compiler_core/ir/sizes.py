"""Sizes of tensors: ints, or polynomials with integer coefficients over symbols. All size
arithmetic is here.

A symbol stands for a size that is known only when a program is called, such as a batch size. It has
a range, and a hint: its value in the captured call, by which costs are estimated. One compilation
serves every value in the range. A dimension is an `int` wherever it is known, so `4 * 8` stays a
number and only what depends on a symbol is a `Size`.

Equality is equality of polynomials: `B * 2 == B + B` is true, and `B == 64` is false whatever value
B will have. Comparisons (`B < 64`) are decided from the ranges and raise Undecided where these do
not suffice: callers must then handle both cases, or use `hint` if only speed depends on the answer.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Union

from compiler_core.errors import FuselabError

# A product of symbols, sorted by name; () is the constant term.
Monomial = tuple["Symbol", ...]
Dim = Union[int, "Size"]
# The end of a symbol's range where nobody says another: libraries that generated code calls count
# in 31 bits.
MOST = 2**31 - 1


class Undecided(FuselabError):
    """The answer to a question about a symbolic size depends on the value of a symbol."""

    stage = "capture"


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A size that may differ between calls, in `low` .. `high` (None: unbounded).

    0 and 1 are special (nothing to do; broadcasting), as in torch.compile: `low` is 2 unless the
    creator of the symbol knows that the program treats 0 and 1 like all other sizes.
    """

    name: str
    hint: int
    low: int = 2
    high: int | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """A sum of coefficient * product of symbols; never a plain number (see `_size`)."""

    terms: tuple[tuple[Monomial, int], ...]

    # -- arithmetic

    def __add__(self, other: Dim) -> Dim:
        return _size(_sum(_terms(self), _terms(other)))

    def __sub__(self, other: Dim) -> Dim:
        return self + other * -1

    def __rsub__(self, other: int) -> Dim:
        return self * -1 + other

    def __mul__(self, other: Dim) -> Dim:
        products: dict[Monomial, int] = {}
        for a, x in _terms(self).items():
            for b, y in _terms(other).items():
                both = tuple(sorted((*a, *b)))
                products[both] = products.get(both, 0) + x * y
        return _size(products)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return self * -1

    def __floordiv__(self, other: Dim) -> Dim:
        """Exact division only: raises Undecided where a rest may be left."""
        quotient = divided(self, other)
        if quotient is None:
            raise Undecided(f"{self} // {other} has no value that holds for every size")
        return quotient

    def __mod__(self, other: Dim) -> int:
        if divided(self, other) is None:
            raise Undecided(f"{self} % {other} depends on the size")
        return 0

    def __abs__(self) -> Dim:
        return self if self >= 0 else -self

    # -- questions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __lt__(self, other: Dim) -> bool:
        return not self >= other

    def __le__(self, other: Dim) -> bool:
        return not self > other

    def __gt__(self, other: Dim) -> bool:
        return self >= other + 1

    def __ge__(self, other: Dim) -> bool:
        low, high = bounds(self - other)
        if low is not None and low >= 0:
            return True
        if high is not None and high < 0:
            return False
        raise Undecided(f"whether {self} >= {other} depends on the size")

    def __bool__(self) -> bool:
        return self > 0 or self < 0

    def __int__(self) -> int:
        """Raises Undecided, as do float() and range()."""
        raise Undecided(f"a number is needed, and a size is {self}")

    __index__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __str__(self) -> str:
        return " + ".join(_term(*t) for t in self.terms).replace("+ -", "- ")

    __repr__ = __str__


def _terms(dim: Dim) -> dict[Monomial, int]:
    return dict(dim.terms) if isinstance(dim, Size) else {(): dim} if dim else {}


def _sum(a: dict[Monomial, int], b: dict[Monomial, int]) -> dict[Monomial, int]:
    return {m: a.get(m, 0) + b.get(m, 0) for m in (*a, *(m for m in b if m not in a))}


def _size(terms: Mapping[Monomial, int]) -> Dim:
    """The number, where nothing but a constant is left."""
    kept = {m: c for m, c in terms.items() if c}
    if not set(kept) - {()}:
        return kept.get((), 0)
    # Symbols first, the constant last: "2*B + 1".
    return Size(tuple(sorted(kept.items(), key=lambda t: (-len(t[0]), t[0]))))


def _term(monomial: Monomial, coefficient: int) -> str:
    factors = [s.name for s in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors).replace("-1*", "-")


# -- what every room asks


def size(symbol: Symbol) -> Size:
    """The size that consists of one symbol."""
    return Size((((symbol,), 1),))


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions; 1 for none."""
    result: Dim = 1
    for dim in dims:
        result = result * dim
    return result


def hint(dim: Dim) -> int:
    """The value in the captured call. For costs and choices, never for what is computed."""
    return evaluate(dim, {s: s.hint for s in symbols(dim)})


def number(dim: Dim, what: str = "") -> int:
    """The size as an int, which `what` has to be. Raises Undecided if it depends on a symbol."""
    if isinstance(dim, Size):
        needed = f"{what} are made for numbers" if what else "a number is needed"
        raise Undecided(f"{needed}, and a size is {dim}")
    return dim


def atom(dim: Dim) -> str:
    """The size as text that can stand as a factor: 512, B, (2*B + 1)."""
    text = str(dim)
    return text if text.isidentifier() or text.isdecimal() else f"({text})"


def is_symbol(dim: Dim) -> bool:
    """Whether the size is exactly one symbol, so that a tensor's dimension gives the symbol's
    value."""
    return isinstance(dim, Size) and str(dim) in {s.name for s in symbols(dim)}


def symbols(dim: Dim) -> frozenset[Symbol]:
    if not isinstance(dim, Size):
        return frozenset()
    return frozenset(s for monomial, _ in dim.terms for s in monomial)


def evaluate(dim: Dim, values: Mapping[Symbol, int]) -> int:
    """The size for given values of the symbols. Raises KeyError for a symbol without a value."""
    if not isinstance(dim, Size):
        return dim
    return sum(c * math.prod(values[s] for s in monomial) for monomial, c in dim.terms)


def bounds(dim: Dim) -> tuple[int | None, int | None]:
    """A lower and an upper bound of the size; None where there is none."""
    return _bounds(dim) if isinstance(dim, Size) else (dim, dim)


@lru_cache(maxsize=4096)
def _bounds(dim: Size) -> tuple[int | None, int | None]:
    """By interval arithmetic, of the polynomial as it is and as one of what every symbol exceeds
    its least value by: B*T - T is then 2 + 2*b + t + b*t."""
    found = [_interval(dim), _interval(_from_low(dim))]
    lows, highs = ([x for x in ends if x is not None] for ends in zip(*found, strict=True))
    return max(lows, default=None), min(highs, default=None)


def _from_low(dim: Size) -> Dim:
    result: Dim = 0
    for monomial, coefficient in dim.terms:
        factors = (size(replace(s, low=0, high=_less(s.high, s.low))) + s.low for s in monomial)
        result = result + product(factors) * coefficient
    return result


def _less(end: int | None, by: int) -> int | None:
    return None if end is None else end - by


def _interval(dim: Dim) -> tuple[int | None, int | None]:
    if not isinstance(dim, Size):
        return dim, dim
    lows: list[int | None] = []
    highs: list[int | None] = []
    for monomial, coefficient in dim.terms:
        low: int | None = math.prod(s.low for s in monomial)
        ends = [s.high for s in monomial]
        high = None if None in ends else math.prod(e for e in ends if e is not None)
        low, high = (None if x is None else x * coefficient for x in (low, high))
        lows.append(low if coefficient > 0 else high)
        highs.append(high if coefficient > 0 else low)
    return _total(lows), _total(highs)


def _total(ends: Iterable[int | None]) -> int | None:
    ends = list(ends)
    return None if None in ends else sum(e for e in ends if e is not None)


def divided(dim: Dim, by: Dim) -> Dim | None:
    """dim / by if the division is exact for all values of the symbols; else None."""
    if not isinstance(dim, Size) and not isinstance(by, Size):
        return dim // by if by and dim % by == 0 else None
    divisor = list(_terms(by).items())
    if len(divisor) != 1:
        return 1 if dim == by else None
    ((factor, coefficient),) = divisor
    quotient: dict[Monomial, int] = {}
    for monomial, c in _terms(dim).items():
        rest = _without(monomial, factor)
        if rest is None or not coefficient or c % coefficient:
            return None
        quotient[rest] = c // coefficient
    return _size(quotient)


def is_multiple(dim: Dim, of: Dim) -> bool:
    """Whether `dim` is a multiple of `of` for all values of the symbols."""
    return divided(dim, of) is not None


def is_unit(stride: Dim) -> bool:
    """Whether a stride is 1, so that neighbours along it are adjacent in memory."""
    return stride in (1, -1)


def is_proved(question: Callable[[], bool]) -> bool:
    """Whether the comparison holds for all values of the symbols."""
    try:
        return question()
    except Undecided:
        return False


def at_most(dim: Dim, limit: int) -> bool:
    """Whether `dim` is never larger, for all values of the symbols."""
    high = bounds(dim)[1]
    return high is not None and high <= limit


def at_least(dim: Dim, limit: int) -> bool:
    """Whether `dim` is never smaller, for all values of the symbols."""
    low = bounds(dim)[0]
    return low is not None and low >= limit


def quotient(dim: Dim, by: Dim) -> tuple[Dim, Dim]:
    """(dim // by, dim % by) for `by` > 0. Raises Undecided if these are not polynomials."""
    if not isinstance(dim, Size) and not isinstance(by, Size):
        return divmod(dim, by)
    whole = divided(dim, by)
    if whole is not None:
        return whole, 0
    parts = [(term, divided(term, by)) for term in _summands(dim)]
    whole = sum_of(part for _, part in parts if part is not None)
    rest = sum_of(term for term, part in parts if part is None)
    for less in (0, 1):
        moved = rest + by * less
        if is_proved(lambda: 0 <= moved < by):  # noqa: B023 - asked at once
            return whole - less, moved
    raise Undecided(f"{dim} // {by} depends on the size")


def _summands(dim: Dim) -> list[Dim]:
    return [_size({monomial: c}) for monomial, c in _terms(dim).items()]


def sum_of(dims: Iterable[Dim]) -> Dim:
    result: Dim = 0
    for dim in dims:
        result = result + dim
    return result


def _without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    rest = list(monomial)
    for symbol in factor:
        if symbol not in rest:
            return None
        rest.remove(symbol)
    return tuple(rest)
