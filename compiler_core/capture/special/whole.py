"""Functions of whole numbers."""

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.special.loops import repeated
from compiler_core.ir.graph import Value

# More steps than Euclid's algorithm takes for 64-bit numbers.
_ROUNDS = 96


def gcd(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """The greatest common divisor, by Euclid's algorithm; that of zeros is 0."""

    def left(a: Value, b: Value) -> Value:
        return ctx.compare(b, 0, "NE")

    def step(a: Value, b: Value) -> list[Value]:
        return [b, ctx.b.node("remainder", a, b)]

    return ctx.b.node("abs", repeated(ctx, [x, y], [], left, step, _ROUNDS)[0])


def lcm(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """The least common multiple; 0 where one is 0."""
    common = gcd(ctx, x, y)
    whole = ctx.select(ctx.compare(common, 0, "EQ"), 1, common)
    return ctx.b.node("abs", ctx.mul(ctx.div(x, whole), y))
