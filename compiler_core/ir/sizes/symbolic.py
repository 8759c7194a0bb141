"""Sizes of tensors: ints, or polynomials over symbols and over quotients of these. Every question
about a size is asked here; what symbols and quotients are is in factors.py, how polynomials are
added and divided in polynomials.py, how sizes are divided with a remainder in quotients.py.

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
from typing import Union

from compiler_core.ir.sizes import factors, polynomials
from compiler_core.ir.sizes.factors import Factor, Monomial, Quotient, Symbol
from compiler_core.ir.sizes.polynomials import Interval
from compiler_core.ir.sizes.undecided import Depends, Undecided

Dim = Union[int, "Size"]


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """A sum of coefficient * product of factors; never a plain number (see `of_terms`)."""

    terms: tuple[tuple[Monomial, int], ...]

    # -- arithmetic

    def __add__(self, other: Dim) -> Dim:
        return of_terms(polynomials.add(_terms(self), _terms(other)))

    def __sub__(self, other: Dim) -> Dim:
        return self + other * -1

    def __rsub__(self, other: int) -> Dim:
        return self * -1 + other

    def __mul__(self, other: Dim) -> Dim:
        return of_terms(polynomials.multiply(_terms(self), _terms(other)))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return self * -1

    def __floordiv__(self, other: Dim) -> Dim:
        """Exact division only: raises Undecided where a remainder may be left. See quotients.py."""
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
        raise _depends(self, other)

    def __bool__(self) -> bool:
        return self > 0 or self < 0

    def __int__(self) -> int:
        """Raises Undecided, as do float() and range()."""
        raise Undecided(f"a number is needed, and a size is {self}")

    __index__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __str__(self) -> str:
        return polynomials.text(dict(_named(*term) for term in self.terms))

    __repr__ = __str__


def _depends(size: Size, other: Dim) -> Depends:
    rest = size - other
    answer = hint(rest) >= 0
    return Depends(
        f"whether {size} >= {other} depends on the size",
        sorted(symbols(rest), key=lambda s: s.name),
        lambda values: (evaluate(rest, values) >= 0) == answer,
    )


def _terms(dim: Dim) -> dict[Monomial, int]:
    return dict(factors.terms_of(dim))


def _named(monomial: Monomial, coefficient: int) -> tuple[tuple[str, ...], int]:
    """As it is written: 4 * B where B counts fours is B, and B alone a quotient."""
    names = []
    for factor in monomial:
        text, by = str(factor), factor.multiple if isinstance(factor, Symbol) else 1
        if coefficient % by:
            text, by = f"floordiv({text}, {by})", 1
        names.append(text)
        coefficient //= by
    return tuple(names), coefficient


def of_terms(terms: Mapping[Monomial, int]) -> Dim:
    """The size with these terms; an int if only a constant is left."""
    ordered = polynomials.canonical(terms)
    if all(not monomial for monomial, _ in ordered):
        return ordered[0][1] if ordered else 0
    return Size(ordered)


# -- what every room asks


def size(symbol: Symbol) -> Size:
    """The size that consists of one symbol."""
    return Size((((symbol,), symbol.multiple),))


def one(factor: Factor) -> Size:
    """The size that is a single factor. For a symbol with `multiple` m, that factor is the symbol
    divided by m."""
    return Size((((factor,), 1),))


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions; 1 for none."""
    result: Dim = 1
    for dim in dims:
        result = result * dim
    return result


def hint(dim: Dim) -> int:
    """The value in the captured call. For costs and choices, never for what is computed."""
    return evaluate(dim, {s: s.hint for s in symbols(dim)}) if isinstance(dim, Size) else dim


def number(dim: Dim, what: str = "") -> int:
    """The size as an int. Raises Undecided if it depends on a symbol; `what` names, for the
    message, what needs a number."""
    if isinstance(dim, Size):
        needed = f"{what} are made for numbers" if what else "a number is needed"
        raise Undecided(f"{needed}, and a size is {dim}")
    return dim


def atom(dim: Dim) -> str:
    """The size as text that can stand as a factor: 512, B, (2*B + 1)."""
    factor = str(dim)
    return factor if factor.isidentifier() or factor.isdecimal() else f"({factor})"


def is_symbol(dim: Dim) -> bool:
    """Whether the size is exactly one symbol, whose value can then be read off a tensor's shape."""
    return isinstance(dim, Size) and str(dim) in {s.name for s in symbols(dim)}


def symbols(dim: Dim) -> frozenset[Symbol]:
    """The symbols in a size, also within its quotients; none in a number."""
    if not isinstance(dim, Size):
        return frozenset()
    found = factors.factors_of(dim.terms)
    inner = (symbols(f.dividend) for f in found if isinstance(f, Quotient))
    return frozenset(f for f in found if isinstance(f, Symbol)).union(*inner)


def evaluate(dim: Dim, values: Mapping[Symbol, int]) -> int:
    """The size for given values of the symbols. Raises KeyError for a symbol without a value."""
    if not isinstance(dim, Size):
        return dim
    return sum(c * math.prod(_value(f, values) for f in monomial) for monomial, c in dim.terms)


def _value(factor: Factor, values: Mapping[Symbol, int]) -> int:
    if isinstance(factor, Symbol):
        return values[factor] // factor.multiple
    return evaluate(factor.dividend, values) // factor.divisor


def bounds(dim: Dim) -> Interval:
    """A lower and an upper bound of the size; None where there is none."""
    return factors.bounds(factors.terms_of(dim))


def divided(dim: Dim, by: Dim) -> Dim | None:
    """dim / by if the division is exact for all values of the symbols; else None."""
    if not isinstance(dim, Size) and not isinstance(by, Size):
        return dim // by if by and dim % by == 0 else None
    divisor = list(_terms(by).items())
    if len(divisor) != 1:
        if not divisor or not _terms(dim):
            return 0 if divisor else None
        first = divided(*(summands(x)[0] for x in (dim, by)))
        return first if first is not None and by * first == dim else None
    ((factor, coefficient),) = divisor
    quotient = polynomials.divide(_terms(dim), factor, coefficient)
    return None if quotient is None else of_terms(quotient)


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


def larger(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes. Raises Undecided if that depends on a symbol."""
    return b if is_proved(lambda: b >= a) or not a >= b else a


def smaller(a: Dim, b: Dim) -> Dim:
    """The smaller of two sizes. Raises Undecided if that depends on a symbol."""
    return a if larger(a, b) is b else b


def at_most(dim: Dim, limit: int) -> bool:
    """Whether `dim` is never larger, for all values of the symbols."""
    high = bounds(dim)[1]
    return high is not None and high <= limit


def at_least(dim: Dim, limit: int) -> bool:
    """Whether `dim` is never smaller, for all values of the symbols."""
    low = bounds(dim)[0]
    return low is not None and low >= limit


def summands(dim: Dim) -> list[Dim]:
    """The terms, in the order in which they are written."""
    return [of_terms({monomial: c}) for monomial, c in _terms(dim).items()]


def sum_of(dims: Iterable[Dim]) -> Dim:
    """The sum of sizes; 0 of none."""
    result: Dim = 0
    for dim in dims:
        result = result + dim
    return result
