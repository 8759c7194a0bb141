"""Polynomials with integer coefficients: what a symbolic size is (symbolic.py).

A polynomial is a mapping from monomials to coefficients; a monomial is the sorted tuple of its
variables, `()` that of the constant term: {("B", "T"): 2, (): 1} is 2*B*T + 1. Terms that cancel
stay with the coefficient 0 until `canonical` drops them.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar


class Variable(Protocol):
    """What a polynomial's variables have to support: an order, in which monomials are sorted."""

    def __lt__(self, other: Any, /) -> bool: ...


V = TypeVar("V", bound=Variable)
# A lower and an upper bound; None where there is none.
Interval = tuple[int | None, int | None]


def canonical(terms: Mapping[tuple[V, ...], int]) -> tuple[tuple[tuple[V, ...], int], ...]:
    """The terms in order, highest degree first, constant last; () for zero."""
    kept = ((monomial, c) for monomial, c in terms.items() if c)
    return tuple(sorted(kept, key=lambda term: (-len(term[0]), term[0])))


def add(a: Mapping[tuple[V, ...], int], b: Mapping[tuple[V, ...], int]) -> dict[tuple[V, ...], int]:
    """The sum of two polynomials, as coefficients by monomial."""
    return {m: a.get(m, 0) + b.get(m, 0) for m in (*a, *b)}


def multiply(
    a: Mapping[tuple[V, ...], int], b: Mapping[tuple[V, ...], int]
) -> dict[tuple[V, ...], int]:
    """The product of two polynomials, as coefficients by monomial."""
    result: dict[tuple[V, ...], int] = {}
    for left, x in a.items():
        for right, y in b.items():
            both = tuple(sorted((*left, *right)))
            result[both] = result.get(both, 0) + x * y
    return result


def divide(
    terms: Mapping[tuple[V, ...], int], factor: tuple[V, ...], coefficient: int
) -> dict[tuple[V, ...], int] | None:
    """The polynomial divided by the term `coefficient * factor`; None where a remainder is left."""
    result: dict[tuple[V, ...], int] = {}
    for monomial, c in terms.items():
        rest = _without(monomial, factor)
        if rest is None or not coefficient or c % coefficient:
            return None
        result[rest] = c // coefficient
    return result


def _without(monomial: tuple[V, ...], factor: tuple[V, ...]) -> tuple[V, ...] | None:
    rest = list(monomial)
    for variable in factor:
        if variable not in rest:
            return None
        rest.remove(variable)
    return tuple(rest)


# -- bounds


def bounds(
    terms: Mapping[tuple[V, ...], int], ranges: Mapping[V, tuple[int, int | None]]
) -> Interval:
    """Bounds of the polynomial where each variable, at least 0, is in its range: the better of
    interval arithmetic on it as it is, and on it as a polynomial in what each variable exceeds its
    lower bound by (B*T - T with both from 2 is 2 + 2*b + t + b*t)."""
    excess = {v: (0, None if high is None else high - low) for v, (low, high) in ranges.items()}
    found = [_interval(terms, ranges), _interval(_from_low(terms, ranges), excess)]
    lows, highs = ([x for x in ends if x is not None] for ends in zip(*found, strict=True))
    return max(lows, default=None), min(highs, default=None)


def _from_low(
    terms: Mapping[tuple[V, ...], int], ranges: Mapping[V, tuple[int, int | None]]
) -> dict[tuple[V, ...], int]:
    result: dict[tuple[V, ...], int] = {}
    for monomial, coefficient in terms.items():
        expanded: dict[tuple[V, ...], int] = {(): coefficient}
        for variable in monomial:
            expanded = multiply(expanded, {(variable,): 1, (): ranges[variable][0]})
        result = add(result, expanded)
    return result


def _interval(
    terms: Mapping[tuple[V, ...], int], ranges: Mapping[V, tuple[int, int | None]]
) -> Interval:
    lows: list[int | None] = []
    highs: list[int | None] = []
    for monomial, coefficient in canonical(terms):
        low: int | None = math.prod(ranges[v][0] for v in monomial)
        ends = [ranges[v][1] for v in monomial]
        high = None if None in ends else math.prod(e for e in ends if e is not None)
        low, high = (None if x is None else x * coefficient for x in (low, high))
        lows.append(low if coefficient > 0 else high)
        highs.append(high if coefficient > 0 else low)
    return _total(lows), _total(highs)


def _total(ends: Iterable[int | None]) -> int | None:
    ends = list(ends)
    return None if None in ends else sum(e for e in ends if e is not None)


# -- text


def text(terms: Mapping[tuple[V, ...], int]) -> str:
    """A polynomial as text: 2*B*T - T + 1."""
    return " + ".join(_term(m, c) for m, c in canonical(terms)).replace("+ -", "- ") or "0"


def _term(monomial: tuple[V, ...], coefficient: int) -> str:
    factors = [str(variable) for variable in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors).replace("-1*", "-")
