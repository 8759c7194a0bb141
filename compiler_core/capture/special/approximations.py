"""Polynomials and Chebyshev series of a value. Coefficients are ordered as in `tables.py`."""

from collections.abc import Sequence

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value


def polynomial(ctx: LoweringContext, x: Value, coefficients: Sequence[float]) -> Value:
    """A polynomial of `x` by Horner's rule, the coefficient of the highest power first."""
    result = ctx.like(coefficients[0], x)
    for c in coefficients[1:]:
        result = ctx.add(ctx.mul(result, x), c)
    return result


def ratio(ctx: LoweringContext, x: Value, above: Sequence[float], below: Sequence[float]) -> Value:
    """The polynomial `above` divided by the polynomial `below`."""
    return ctx.div(polynomial(ctx, x, above), polynomial(ctx, x, below))


def chebyshev(ctx: LoweringContext, twice: Value, coefficients: Sequence[float]) -> Value:
    """c_0 / 2 + sum over k > 0 of c_k T_k(twice / 2), by Clenshaw's recurrence; the last
    coefficient is c_0."""
    last = ctx.like(coefficients[0], twice)
    before = earlier = ctx.like(0.0, twice)
    for c in coefficients[1:]:
        earlier, before = before, last
        last = ctx.add(ctx.sub(ctx.mul(twice, before), earlier), c)
    return ctx.mul(ctx.sub(last, earlier), 0.5)
