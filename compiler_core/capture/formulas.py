"""Functions that the IR has no operation for, as formulas over those that it has.

Both front doors use them, so that a function is the same IR whichever framework it came from.
"""

import math

from compiler_core.capture.rules import Number, Rule
from compiler_core.ir.graph import Node
from compiler_core.ir.types import I64


def floor(c: Rule, x: Node) -> Node:
    return c.b.node("floor", x)


def trunc(c: Rule, x: Node) -> Node:
    """Towards zero."""
    magnitude = floor(c, c.b.node("abs", x))
    return c.select(c.compare(x, 0, "LT"), c.neg(magnitude), magnitude)


def power(c: Rule, x: Node, exponent: Number) -> Node:
    """Small whole powers as products, the roots as roots."""
    if float(exponent).is_integer() and 0 < abs(exponent) <= 4:
        n = abs(int(exponent))
        square = c.mul(x, x) if n > 1 else x
        raised = {1: x, 2: square}.get(n) or c.mul(square, x if n == 3 else square)
        return raised if exponent > 0 else c.div(c.like(1, x), raised)
    if exponent == 0:
        return c.like(1, x)
    if exponent in (0.5, -0.5):
        return c.b.node("sqrt" if exponent > 0 else "rsqrt", x)
    return c.op("power", x, exponent)


def sinh(c: Rule, x: Node) -> Node:
    """From expm1 of |x|, which keeps the digits near zero."""
    grown = c.b.node("exponential_minus_one", c.b.node("abs", x))
    ratio = c.div(grown, c.add(grown, 1))
    # exp(x) overflows long before its ratio to itself does: that is 1 there.
    safe = c.select(c.compare(grown, math.inf, "EQ"), 1.0, ratio)
    value = c.mul(c.add(grown, safe), 0.5)
    return c.select(c.compare(x, 0, "LT"), c.neg(value), value)


def cosh(c: Rule, x: Node) -> Node:
    return c.mul(c.add(c.exp(x), c.exp(c.neg(x))), 0.5)


def asin(c: Rule, x: Node) -> Node:
    return c.b.node("atan2", x, _opposite(c, x))


def acos(c: Rule, x: Node) -> Node:
    return c.b.node("atan2", _opposite(c, x), x)


def atan(c: Rule, x: Node) -> Node:
    return c.b.node("atan2", x, c.like(1, x))


def _opposite(c: Rule, x: Node) -> Node:
    """sqrt((1 - x)(1 + x)): the other side of a right triangle with hypotenuse 1."""
    one = c.like(1, x)
    return c.b.node("sqrt", c.mul(c.sub(one, x), c.add(one, x)))


def asinh(c: Rule, x: Node) -> Node:
    """log1p(a + a^2 / (1 + sqrt(a^2 + 1))), with the sign of x."""
    a = c.b.node("abs", x)
    square = c.mul(a, a)
    root = c.b.node("sqrt", c.add(square, 1))
    value = c.b.node("log_plus_one", c.add(a, c.div(square, c.add(root, 1))))
    return c.mul(c.b.node("sign", x), value)


def acosh(c: Rule, x: Node) -> Node:
    root = c.mul(c.b.node("sqrt", c.sub(x, 1)), c.b.node("sqrt", c.add(x, 1)))
    return c.b.node("log", c.add(x, root))


def atanh(c: Rule, x: Node) -> Node:
    return c.mul(c.sub(c.b.node("log_plus_one", x), c.b.node("log_plus_one", c.neg(x))), 0.5)


def index_of(c: Rule, x: Node, dim: int, monoid: str, keepdims: bool = True) -> Node:
    """The first place of the extreme along `dim`; NaN is the extreme where there is one."""
    best = c.b.reduce(x, monoid, (dim,), keepdims=True)
    hit = c.compare(x, best, "EQ")
    if x.type.dtype.is_float:
        hit = c.b.node("or", hit, c.is_nan(x))
    place = c.b.iota(I64, x.type.shape, dim)
    return c.b.reduce(c.select(hit, place, x.type.shape[dim]), "minimum", (dim,), keepdims)
