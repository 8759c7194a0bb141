"""torch's expressions of symbolic sizes as ours: sums, products, quotients and comparisons of sympy
and torch. The caller says which of our symbols stands for each of theirs
(capture/torch/symbols.py)."""

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from compiler_core.ir.sizes import (
    Dim,
    Size,
    Symbol,
    Undecided,
    ceildiv,
    divided,
    floordiv,
    hint,
    is_proved,
    larger,
    modulo,
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
    name = type(expression).__name__
    if name in _ROUNDED:
        return _of_ratio(_ROUNDED[name], *_ratio(expression.args[0]), units)
    rule = _RULES[name]
    return rule(*(_size_of(x, units) for x in expression.args))


def _divide(divide: Callable[[Dim, int], Dim]) -> Callable[..., Dim]:
    def rule(dim: Dim, by: Dim) -> Dim:
        if not isinstance(by, Size) and by > 0:
            return divide(dim, by)
        quotient = divided(dim, by)
        if quotient is None:
            quotient = _rounded_down(dim, by)
        return quotient if divide is floordiv else dim - quotient * by

    return rule


def _rounded_down(dim: Dim, by: Dim) -> int:
    """The quotient of two sizes that is the same number for all values of their symbols: that of
    this call, if what is left is proved to be a remainder. Raises KeyError if it is not."""
    found = hint(dim) // max(1, hint(by))
    rest = dim - by * found
    if is_proved(lambda: 0 <= rest < by):
        return found
    raise KeyError("a quotient of two symbols")


def _power(base: Dim, exponent: Dim) -> Dim:
    if isinstance(exponent, Size) or exponent < 0:
        raise KeyError("a power that is no product")
    return product([base] * exponent)


def _ratio(expression: Any) -> tuple[Any, Fraction]:
    """A number with a point as a whole one times a ratio. Raises KeyError for what is none, or may
    be rounded to the other side of a whole number: sizes are below 2^31."""
    name = type(expression).__name__
    if name == "ToFloat":
        return expression.args[0], Fraction(1)
    if name == "IntTrueDiv" and expression.args[1].is_Integer and 0 < expression.args[1] < _COARSE:
        return expression.args[0], Fraction(1, int(expression.args[1]))
    if name == "Mul" and len(expression.args) == 2 and expression.args[0].is_number:
        by = Fraction(float(expression.args[0]))
        if type(expression.args[1]).__name__ == "ToFloat" and by.denominator < _COARSE > by > 0:
            return expression.args[1].args[0], by
    raise KeyError("a number with a point")


def _of_ratio(
    rounded: Callable[[Dim, int], Dim], whole: Any, by: Fraction, units: Mapping[Any, Size]
) -> Dim:
    return rounded(_size_of(whole, units) * by.numerator, by.denominator)


# Quotients by less than this are exact beyond the last integer.
_COARSE = 1 << 20
_ROUNDED: dict[str, Callable[[Dim, int], Dim]] = {
    "FloorToInt": floordiv, "TruncToInt": floordiv, "CeilToInt": ceildiv,
}  # fmt: skip
_QUOTIENTS = ("FloorDiv", "CleanDiv")
# By the class names of sympy's and torch's expressions.
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
    fact about sizes: a remainder that is 0; that of a size by its own quotient, as where n is cut
    into n // 4 rows; or an equation such as 128 * (n // 2) = 64 * n, which a view of n rows of 64
    as rows of 128 implies, (n + 1) // 2 = n - (n + 1) // 2, as of two equal chunks, and n // 2 =
    (n + 1) // 2, as where every other element is written."""
    kind = type(known).__name__
    if kind in ("Mod", "PythonMod"):
        return _without_rest(*known.args)
    if kind != "Equality":
        return None
    left, right = known.args
    if type(left).__name__ in ("Mod", "PythonMod") and right == 0:
        return _without_rest(*left.args)
    quotients = [*{q for q in _parts(left - right) if type(q).__name__ in _QUOTIENTS}]
    if {left, right} == {*quotients}:
        return _rounded_alike(left, right)
    if len(quotients) != 1 or not quotients[0].args[1].is_Integer:
        return None
    return _by_equation(quotients[0], (left - right).expand())


def _without_rest(dividend: Any, by: Any) -> tuple[Any, int] | None:
    if by.is_Integer:
        return dividend, int(by)
    own = type(by).__name__ in _QUOTIENTS and by.args[0] == dividend and by.args[1].is_Integer
    return (dividend, int(by.args[1])) if own else None


def _rounded_alike(one: Any, other: Any) -> tuple[Any, int] | None:
    """Rounded up and rounded down, a division gives one number where there is no rest."""
    (a, by), (b, of) = one.args, other.args
    if not by.is_Integer or by != of or abs(a - b) != by - 1:
        return None
    return (a if (b - a).is_positive else b), int(by)


def _by_equation(quotient: Any, difference: Any) -> tuple[Any, int] | None:
    """What leaves no remainder where `difference`, in which there is no other quotient, is 0."""
    dividend, by = quotient.args
    # A number, or a product of sizes, which is not 0.
    factor = difference.coeff(quotient)
    if not factor or factor.is_Add:
        return None
    rest = (dividend - by * (quotient - difference / factor)).expand()
    is_rest = rest.is_Integer and 0 <= rest < by
    return (dividend - rest, int(by)) if is_rest else None


def _parts(expression: Any) -> list[Any]:
    """The expression and all that it is made of."""
    return [expression, *(part for arg in expression.args for part in _parts(arg))]


def is_of_float(expression: Any) -> bool:
    """Whether an expression converts a size to a floating-point number."""
    return any(type(part).__name__ == "ToFloat" for part in _parts(expression))


def shown(expression: Any, known: Mapping[str, Symbol]) -> str:
    """The expression as Python text, with our names of its symbols."""
    sign = _SIGNS.get(type(expression).__name__)
    if sign is not None:
        return f" {sign} ".join(shown(side, known) for side in expression.args)
    plain = _REST.sub(r"\1 % \2", str(expression))
    plain = _RATIO.sub(r"(\1 / \2)", plain)
    plain = _FLOAT.sub(lambda m: _IN_PYTHON[m[0]], plain)
    return re.sub(r"\w+", lambda m: str(known.get(m[0], m[0])), plain)


# By the class names of sympy's relations; it prints the others as Python does.
_SIGNS = {"Equality": "==", "Unequality": "!="}
_RATIO = re.compile(r"\bIntTrueDiv\((\w+), (\w+)\)")
_IN_PYTHON = {"ToFloat": "", "TruncToInt": "int", "FloorToInt": "floor", "CeilToInt": "ceil"}
_FLOAT = re.compile("|".join(_IN_PYTHON))
_REST = re.compile(r"\b(?:Python)?Mod\((\w+), (\w+)\)")


def proved(question: Any, known: Mapping[Any, Symbol]) -> bool:
    """Whether the answer to a comparison is yes for all values of the symbols."""
    several = _SEVERAL.get(type(question).__name__)
    if several is not None:
        return several(proved(each, known) for each in question.args)
    ask = _RELATIONS.get(type(question).__name__)
    if ask is None:
        return False
    try:
        left, right = (converted(side, known) for side in question.args)
    except Undecided:
        return False
    return is_proved(lambda: ask(left, right))


_SEVERAL: dict[str, Callable[[Iterable[bool]], bool]] = {"And": all, "Or": any}
_RELATIONS: dict[str, Callable[[Dim, Dim], bool]] = {
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: bool(a - b),
    "GreaterThan": lambda a, b: a >= b,
    "LessThan": lambda a, b: a <= b,
    "StrictGreaterThan": lambda a, b: a > b,
    "StrictLessThan": lambda a, b: a < b,
}
