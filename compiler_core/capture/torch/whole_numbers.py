"""Integers of a program that are no sizes: given to it, or counted, as the `n + 1` of a loop. They
are i64 scalars of the IR, computed when the program is called."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import torch

from compiler_core.capture.torch.symbols import dim_of_expression
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Undecided
from compiler_core.ir.types import I64

# The inputs of a graph that are numbers: by the names of torch's expressions, what returns the
# value.
Known = Mapping[str, Callable[[], Value]]


def scalar_of(b: Builder, number: torch.SymInt, known: Known) -> Value:
    """The number as an i64 scalar, computed from `known` numbers and sizes. Raises Undecided if it
    depends on another number or on a function that has no row below."""
    try:
        return _value(b, number.node.expr, number.node.shape_env, known)
    except KeyError:
        raise Undecided(
            "a number is computed of numbers, and by more than sums, products and quotients"
        ) from None


def _value(b: Builder, expression: Any, environment: Any, known: Known) -> Value:
    if str(expression) in known:
        return known[str(expression)]()
    if expression.is_Integer or expression.is_Symbol:
        return b.scalar(dim_of_expression(expression, environment), I64)
    operands = [_value(b, each, environment, known) for each in _factors(expression)]
    return _RULES[type(expression).__name__](b, *operands)


def _factors(expression: Any) -> Sequence[Any]:
    """What the expression is made of: a power of a number, of itself again and again."""
    if type(expression).__name__ != "Pow":
        return tuple(expression.args)
    base, exponent = expression.args
    return [base] * (int(exponent) if exponent.is_Integer and exponent > 0 else 0)


def _op(name: str) -> Callable[..., Value]:
    def rule(b: Builder, *operands: Value) -> Value:
        if not operands:
            raise KeyError("a power that is no product")
        return reduce(lambda x, y: b.node(name, x, y), operands)

    return rule


def _rest(b: Builder, x: Value, y: Value) -> Value:
    """Python's, with the sign of the divisor; the IR's has that of the dividend."""
    rest, zero = b.node("remainder", x, y), b.scalar(0, I64)
    signs = (b.compare(each, zero, "LT") for each in (rest, y))
    differs = b.node("and", b.node("xor", *signs), b.compare(rest, zero, "NE"))
    return b.node("select", differs, b.node("add", rest, y), rest)


def _quotient(b: Builder, x: Value, y: Value) -> Value:
    """Python's, which is rounded down; torch itself has asked that the divisor is not 0."""
    return b.node("divide", b.node("subtract", x, _rest(b, x, y)), y)


# By the class names of sympy's and torch's expressions.
_RULES: dict[str, Callable[..., Value]] = {
    "Add": _op("add"),
    **dict.fromkeys(("Mul", "Pow"), _op("multiply")),
    "Max": _op("maximum"),
    "Min": _op("minimum"),
    "PythonMod": _rest,
    "FloorDiv": _quotient,
}
