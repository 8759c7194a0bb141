"""torch's expressions of symbolic sizes as ours: sums, products, quotients and comparisons of sympy
and torch. The caller says which of our symbols stands for each of theirs
(capture/torch/symbols.py)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from compiler_core.ir.quotients import floordiv, modulo
from compiler_core.ir.sizes import (
    Dim,
    Size,
    Symbol,
    Undecided,
    divided,
    is_proved,
    larger,
    one,
    product,
    smaller,
    sum_of,
)


def converted(expression: Any, known: Mapping[Any, Symbol]) -> Dim:
    """The expression as a size. Raises Undecided unless it is a sum of products and quotients."""
    # Of a multiple of four, torch takes the quarter out of an expression itself.
    whole = expression.xreplace({s: s * x.multiple for s, x in known.items() if x.multiple > 1})
    try:
        return _size_of(whole, {s: one(x) for s, x in known.items()})
    except KeyError:
        text = shown(expression, {str(s): x for s, x in known.items()})
        raise Undecided(f"a size is {text}, which is no sum, product or quotient") from None


def _size_of(expression: Any, units: Mapping[Any, Size]) -> Dim:
    """Raises KeyError for what a size is not made of."""
    if expression.is_Integer:
        return int(expression)
    if expression.is_Symbol:
        return units[expression]
    rule = _RULES[type(expression).__name__]
    return rule(*(_size_of(x, units) for x in expression.args))


def _divide(divide: Callable[[Dim, int], Dim]) -> Callable[..., Dim]:
    def rule(dim: Dim, by: Dim) -> Dim:
        if not isinstance(by, Size) and by > 0:
            return divide(dim, by)
        exact = divided(dim, by)
        if exact is None:
            raise KeyError("a quotient of two symbols")
        return exact if divide is floordiv else 0

    return rule


def _power(base: Dim, exponent: Dim) -> Dim:
    if isinstance(exponent, Size) or exponent < 0:
        raise KeyError("a power that is no product")
    return product([base] * exponent)


_QUOTIENTS = ("FloorDiv", "CleanDiv")
# By the names of sympy's and torch's expressions.
_RULES: dict[str, Callable[..., Dim]] = {
    "Add": lambda *terms: sum_of(terms),
    "Mul": lambda *factors: product(factors),
    "Pow": _power,
    **dict.fromkeys(_QUOTIENTS, _divide(floordiv)),
    **dict.fromkeys(("Mod", "PythonMod"), _divide(modulo)),
    # These raise Undecided where ranges do not say which it is.
    "Max": larger,
    "Min": smaller,
}


def exact_division(known: Any) -> tuple[Any, int] | None:
    """(dividend, divisor) of a division by a number that leaves no remainder, derived from a known
    fact about sizes: a remainder that is 0, or an equation such as 128 * (n // 2) = 64 * n, which a
    view of n rows of 64 as rows of 128 implies."""
    if type(known).__name__ in ("Mod", "PythonMod"):
        dividend, by = known.args
        return (dividend, int(by)) if by.is_Integer else None
    if type(known).__name__ != "Equality":
        return None
    left, right = known.args
    quotients = [*{q for q in _parts(left - right) if type(q).__name__ in _QUOTIENTS}]
    if len(quotients) != 1 or not quotients[0].args[1].is_Integer:
        return None
    dividend, by = quotients[0].args
    difference = (left - right).expand()
    # A product of sizes, which is not 0.
    factor = difference.coeff(quotients[0])
    exact = (factor * (quotients[0] - dividend / by)).expand() == difference
    return (dividend, int(by)) if exact and factor and not factor.is_Add else None


def _parts(expression: Any) -> list[Any]:
    """The expression and all that it is made of."""
    return [expression, *(part for arg in expression.args for part in _parts(arg))]


def is_of_float(expression: Any) -> bool:
    """Whether a size becomes a number with a point in it."""
    return any(type(part).__name__ == "ToFloat" for part in _parts(expression))


def shown(expression: Any, known: Mapping[str, Symbol]) -> str:
    """The expression as text, with our names of its symbols."""
    return re.sub(r"\w+", lambda m: str(known.get(m[0], m[0])), str(expression))


def proved(question: Any, known: Mapping[Any, Symbol]) -> bool:
    """Whether the answer to a comparison is yes for all values of the symbols."""
    ask = _RELATIONS.get(type(question).__name__)
    if ask is None:
        return False
    try:
        left, right = (converted(side, known) for side in question.args)
    except Undecided:
        return False
    return is_proved(lambda: ask(left, right))


_RELATIONS: dict[str, Callable[[Dim, Dim], bool]] = {
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: bool(a - b),
    "GreaterThan": lambda a, b: a >= b,
    "LessThan": lambda a, b: a <= b,
    "StrictGreaterThan": lambda a, b: a > b,
    "StrictLessThan": lambda a, b: a < b,
}
