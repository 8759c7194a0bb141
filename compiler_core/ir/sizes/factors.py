"""The factors of which symbolic sizes are made, and the bounds of polynomials in them.

A factor is a symbol, or a quotient of a size that is rounded down (quotients.py). Each has a
range; from the ranges follow the bounds of a polynomial.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Union

from compiler_core.ir.sizes import polynomials
from compiler_core.ir.sizes.polynomials import Interval

if TYPE_CHECKING:
    from compiler_core.ir.sizes.symbolic import Dim, Size

# A symbol as a factor stands for the symbol divided by its `multiple`: 8 if B is 32, a multiple of
# 4.
Factor = Union["Symbol", "Quotient"]
# A product of factors, sorted by name; () is the constant term.
Monomial = tuple[Factor, ...]
# The monomials of a polynomial with their coefficients, in order.
Terms = tuple[tuple[Monomial, int], ...]
# The end of a symbol's range unless another is given: libraries that generated code calls count in
# 31 bits.
MOST = 2**31 - 1


class _Named:
    """Factors are ordered as they are written."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return str(self) < str(other)


@dataclass(frozen=True, slots=True)
class Symbol(_Named):
    """A size that may differ between calls, in `low` .. `high` (None: unbounded), a multiple of
    `multiple`.

    0 and 1 are special (nothing to do; broadcasting), as in torch.compile: `low` is 2 unless the
    creator of the symbol knows that the program treats 0 and 1 like all other sizes.
    """

    name: str
    hint: int
    low: int = 2
    high: int | None = None
    multiple: int = 1

    def __str__(self) -> str:
        return self.name

    @property
    def fault(self) -> str:
        """Why the symbol's hint contradicts its range or its multiple, in one sentence; "" if it
        does not."""
        high = "" if self.high is None else self.high
        if self.hint < self.low or (self.high is not None and self.hint > self.high):
            return (
                f"the size {self} is {self.hint} in the captured call, which is outside its range "
                f"{self.low}..{high}: give a number within"
            )
        if self.multiple < 1 or self.hint % self.multiple:
            return (
                f"the size {self} is {self.hint} in the captured call, which is no multiple of "
                f"{self.multiple}: give one"
            )
        return ""


@dataclass(frozen=True, slots=True)
class Quotient(_Named):
    """dividend / divisor rounded down; neither is ever negative (quotients.py)."""

    dividend: "Size"
    divisor: int

    def __str__(self) -> str:
        return f"floordiv({self.dividend}, {self.divisor})"


@lru_cache(maxsize=4096)
def bounds(terms: Terms) -> Interval:
    """A lower and an upper bound of the polynomial, None where there is none: the better of its
    bounds as it is written, and of those of a polynomial without quotients that encloses it."""
    factors = factors_of(terms)
    low, high = polynomials.bounds(dict(terms), {f: _range(f) for f in factors})
    scale = math.lcm(*(f.divisor for f in factors if isinstance(f, Quotient)))
    if scale == 1:
        return low, high
    least, most = bounds(_without_quotients(terms, scale))
    # Rounded towards the polynomial, which is whole.
    lows = [x for x in (low, least and -(-least // scale)) if x is not None]
    highs = [x for x in (high, most and most // scale) if x is not None]
    return max(lows, default=None), min(highs, default=None)


def _range(factor: Factor) -> tuple[int, int | None]:
    """Of a symbol: how often it has what it is a multiple of."""
    if isinstance(factor, Symbol):
        low, high, by = factor.low, factor.high, factor.multiple
    else:
        (least, high), by = bounds(terms_of(factor.dividend)), factor.divisor
        # Rounded up below.
        low = max(0, least or 0) // by * by
    return -(-low // by), None if high is None else high // by


def _without_quotients(terms: Terms, scale: int) -> Terms:
    """`scale` times the polynomial, with (dividend - rest) / divisor in the place of the first
    quotient of each term: a remainder, B - 2*floordiv(B, 2), is then its rest alone."""
    result: Mapping[Monomial, int] = {}
    for monomial, coefficient in terms:
        whole: Mapping[Monomial, int] = {(): coefficient * scale}
        others = list(monomial)
        first = next((f for f in monomial if isinstance(f, Quotient)), None)
        if first is not None:
            others.remove(first)
            rest = Symbol(f"{first} rest", 0, 0, first.divisor - 1)
            exact = polynomials.add(dict(terms_of(first.dividend)), {(rest,): -1})
            share = coefficient * scale // first.divisor
            whole = polynomials.multiply(exact, {(): share})
        result = polynomials.add(result, polynomials.multiply({tuple(others): 1}, whole))
    return polynomials.canonical(result)


def terms_of(dim: "Dim") -> Terms:
    """The terms of a size; a number is the constant term, and 0 none."""
    if isinstance(dim, int):
        return (((), dim),) if dim else ()
    return dim.terms


def factors_of(terms: Terms) -> set[Factor]:
    """The symbols and quotients that occur in a polynomial."""
    return {factor for monomial, _ in terms for factor in monomial}
