"""Floating-point numbers that a program computes from sizes, such as `x.shape[-1] ** 0.5`: f64
scalars of the IR, as Python's floats, computed when the program is called."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

from compiler_core.capture.torch.symbols import dim_of_expression
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F64

# Operations that take a tensor in place of a number, with the positions of such arguments.
_TAKE_EITHER = {
    **dict.fromkeys(("add", "sub", "rsub", "mul", "div"), (0, 1)),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), (1,)),
    **dict.fromkeys(("clamp_min", "clamp_max"), (1,)),
    **dict.fromkeys(("full", "full_like", "fill"), (1,)),
    "clamp": (1, 2),
    "masked_fill": (2,),
    "new_full": (2,),
    "scalar_tensor": (0,),
}


def taken_by(func: Any, place: int) -> bool:
    """Whether an ATen operation accepts a scalar tensor instead of a number as its argument
    `place`."""
    return func.namespace == "aten" and place in _TAKE_EITHER.get(func.overloadpacket.__name__, ())


def scalar_of(b: Builder, number: torch.SymFloat) -> Value | torch.SymFloat:
    """The number as an f64 scalar value; the number itself, which fixes the size, if a function in
    its expression has no row below."""
    try:
        return _value(b, number.node.expr, number.node.shape_env)
    except KeyError:
        return number


def text_of(number: torch.SymFloat) -> str:
    """The number as the captured text shows it: `S2 ** 0.5`."""
    return _text(number.node.expr, number.node.shape_env)


def _text(expression: Any, environment: Any) -> str:
    if expression.is_number:
        return str(float(expression))
    if expression.is_integer:
        return str(dim_of_expression(expression, environment))
    parts = [_text(each, environment) for each in expression.args]
    name = type(expression).__name__
    if name == "ToFloat":
        return parts[0]
    if sign := _SIGNS.get(name):
        return f" {sign} ".join(f"({each})" if " " in each else each for each in parts)
    return f"{name.removeprefix('OpaqueUnaryFn_')}({', '.join(parts)})"


_SIGNS = {"Add": "+", "Mul": "*", "FloatPow": "**", "FloatTrueDiv": "/", "IntTrueDiv": "/"}


def _value(b: Builder, expression: Any, environment: Any) -> Value:
    if expression.is_number:
        return b.scalar(float(expression), F64)
    if expression.is_integer:
        return b.scalar(dim_of_expression(expression, environment), F64)
    rule = _RULES[type(expression).__name__]
    return rule(b, *(_value(b, each, environment) for each in expression.args))


def _op(name: str) -> Callable[..., Value]:
    def rule(b: Builder, *operands: Value) -> Value:
        if len(operands) == 1:
            return b.node(name, operands[0])
        return reduce(lambda x, y: b.node(name, x, y), operands)

    return rule


# By the class names of sympy's and torch's expressions.
_RULES: dict[str, Callable[..., Value]] = {
    "Add": _op("add"),
    "Mul": _op("multiply"),
    "FloatPow": _op("power"),
    "FloatTrueDiv": _op("divide"),
    "IntTrueDiv": _op("divide"),
    "ToFloat": lambda b, x: x,
    "OpaqueUnaryFn_sqrt": _op("sqrt"),
}
