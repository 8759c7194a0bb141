"""Sizes of tensors: ints, or polynomials over symbols. Every question about a size is asked here;
how polynomials are added, divided and bounded is in ir/polynomials.py.

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
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from compiler_core.errors import FuselabError
from compiler_core.ir import polynomials
from compiler_core.ir.polynomials import Interval

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
        return _size(polynomials.add(_terms(self), _terms(other)))

    def __sub__(self, other: Dim) -> Dim:
        return self + other * -1

    def __rsub__(self, other: int) -> Dim:
        return self * -1 + other

    def __mul__(self, other: Dim) -> Dim:
        return _size(polynomials.multiply(_terms(self), _terms(other)))

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
        return polynomials.text(_terms(self))

    __repr__ = __str__


def _terms(dim: Dim) -> dict[Monomial, int]:
    return dict(dim.terms) if isinstance(dim, Size) else {(): dim} if dim else {}


def _size(terms: Mapping[Monomial, int]) -> Dim:
    """The number, where nothing but a constant is left."""
    ordered = polynomials.canonical(terms)
    if all(not monomial for monomial, _ in ordered):
        return ordered[0][1] if ordered else 0
    return Size(ordered)


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
    factor = str(dim)
    return factor if factor.isidentifier() or factor.isdecimal() else f"({factor})"


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


def bounds(dim: Dim) -> Interval:
    """A lower and an upper bound of the size; None where there is none."""
    return _bounds(dim) if isinstance(dim, Size) else (dim, dim)


@lru_cache(maxsize=4096)
def _bounds(dim: Size) -> Interval:
    return polynomials.bounds(_terms(dim), {s: (s.low, s.high) for s in symbols(dim)})


def divided(dim: Dim, by: Dim) -> Dim | None:
    """dim / by if the division is exact for all values of the symbols; else None."""
    if not isinstance(dim, Size) and not isinstance(by, Size):
        return dim // by if by and dim % by == 0 else None
    divisor = list(_terms(by).items())
    if len(divisor) != 1:
        return 1 if dim == by else None
    ((factor, coefficient),) = divisor
    quotient = polynomials.divide(_terms(dim), factor, coefficient)
    return None if quotient is None else _size(quotient)


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
