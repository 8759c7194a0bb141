"""Division of sizes with a remainder: floordiv(B + 1, 2) is a factor of a size, like a symbol, and
the remainder B - 2*floordiv(B, 2) a polynomial in both.

Dividends are brought to one form, so that quotients that are equal are mostly the same factor. No
dividend is ever negative: rounding down is then what the division of C and Triton does.
"""

import math
from functools import partial

from compiler_core.ir.sizes.factors import Quotient
from compiler_core.ir.sizes.symbolic import (
    Dim,
    Size,
    at_most,
    divided,
    is_proved,
    of_terms,
    one,
    sum_of,
    summands,
)
from compiler_core.ir.sizes.undecided import Undecided


def floordiv(dim: Dim, by: int) -> Dim:
    """dim / by rounded down, as in Python, for `by` > 0. Multiples of `by` are taken out of the
    dividend, and one form is chosen where two are equal: n - floordiv(n + 3, 4) stands for
    floordiv(3*n, 4)."""
    if not isinstance(dim, Size):
        return dim // by
    whole = of_terms({m: c // by for m, c in dim.terms})
    rest = of_terms({m: c % by for m, c in dim.terms})
    if not isinstance(rest, Size):
        return whole
    common = math.gcd(by, *(c for m, c in rest.terms if m))
    rest, by = of_terms({m: c // common for m, c in rest.terms}), by // common
    if isinstance(rest, Size) and rest.terms[0][1] * 2 > by > 1:
        return whole - floordiv(by - 1 - rest, by)
    return whole + _rounded(rest, by)


def _rounded(rest: Dim, by: int) -> Dim:
    """rest / by rounded down, of what no multiple of `by` can be taken out of."""
    if not isinstance(rest, Size) or by == 1:
        return rest // by
    if at_most(rest, by - 1):
        return 0
    ((first, coefficient), *more) = rest.terms
    if len(first) == coefficient == 1 and not any(m for m, _ in more):
        (factor,), plus = first, sum(c for _, c in more)
        if isinstance(factor, Quotient):
            return floordiv(factor.dividend + plus * factor.divisor, factor.divisor * by)
    return one(Quotient(rest, by))


def modulo(dim: Dim, by: int) -> Dim:
    """The remainder of `floordiv`, in 0 .. by - 1."""
    return dim - floordiv(dim, by) * by


def equality_as_division(a: Dim, b: Dim) -> tuple[Size, int] | None:
    """(dividend, divisor) of a division that leaves no remainder exactly where `a` equals `b`, for
    sizes that are equal for some values of their symbols only: (B, 2) for 2*floordiv(B, 2) and B.
    None if there is no such division."""
    difference = a - b
    terms = difference.terms if isinstance(difference, Size) else ()
    found = {f for monomial, _ in terms for f in monomial if isinstance(f, Quotient)}
    rests = ((q.dividend, q.divisor) for q in found)
    return next((r for r in rests if divided(difference, modulo(*r)) is not None), None)


def ceildiv(dim: Dim, by: int) -> Dim:
    """dim / by rounded up, for `by` > 0."""
    return floordiv(dim + by - 1, by)


def quotient(dim: Dim, by: Dim) -> tuple[Dim, Dim]:
    """(dim // by, dim % by) for `by` > 0. Raises Undecided if these are not polynomials."""
    if not isinstance(dim, Size) and not isinstance(by, Size):
        return divmod(dim, by)
    whole = divided(dim, by)
    if whole is not None:
        return whole, 0
    parts = [(term, divided(term, by)) for term in summands(dim)]
    whole = sum_of(part for _, part in parts if part is not None)
    rest = sum_of(term for term, part in parts if part is None)
    for less in (0, 1):
        moved = rest + by * less
        if is_proved(partial(_is_remainder, moved, by)):
            return whole - less, moved
    raise Undecided(f"{dim} // {by} depends on the size")


def _is_remainder(rest: Dim, by: Dim) -> bool:
    return 0 <= rest < by
