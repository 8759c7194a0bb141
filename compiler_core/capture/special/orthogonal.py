"""Orthogonal polynomials whose order is a value too: by their recurrences (Abramowitz and Stegun,
"Handbook of Mathematical Functions", 1964, table 22.7), in as many iterations as the highest order
needs; those of Chebyshev within [-1, 1] by their trigonometric form."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.capture import formulas
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64

# P(k + 1) from k, x, P(k) and P(k - 1), all of one type.
Step = Callable[[LoweringContext, Value, Value, Value, Value], Value]


def recurrence(ctx: LoweringContext, x: Value, order: Value, first: Value, step: Step) -> Value:
    """P_order(x) by its recurrence `step`, where P_0 is 1 and P_1 is `first`; 0 for negative
    orders. `order` is i64."""
    b, one = ctx.b, ctx.like(1.0, x)
    most = b.reduce(order, "maximum", range(order.type.rank))
    operands = [b.scalar(1, I64), one, first, most, order, x]
    types = [v.type for v in operands]

    def left(k: Value, p: Value, q: Value, most: Value, *_: Value) -> list[Value]:
        return [ctx.compare(k, most, "LT")]

    def body(k: Value, p: Value, q: Value, _: Value, order: Value, x: Value) -> list[Value]:
        more = b.compare(b.broadcast(k, order.type.shape), order, "LT")
        following = step(ctx, ctx.like(k, x), x, q, p)
        return [ctx.add(k, 1), ctx.select(more, q, p), ctx.select(more, following, q)]

    regions = [b.region("cond", types, left), b.region("body", types, body)]
    _, _, last = b.operation("while", operands, regions, carried=3)
    value = ctx.select(ctx.compare(order, 0, "EQ"), one, last)
    return ctx.select(ctx.compare(order, 0, "LT"), 0.0, value)


# -- Chebyshev's, of four kinds


@dataclass(frozen=True)
class Chebyshev:
    """Chebyshev polynomials of one kind. P_1(x) is 2^doubled x + shift. At 1 and -1, order n has
    the values `at_one`(n) and (-1)^n `at_minus_one`(n); between them, orders above `low` are `wave`
    of the angle whose cosine is x. All others are computed by the recurrence."""

    doubled: bool
    shift: float
    at_one: Callable[[LoweringContext, Value], Value]
    at_minus_one: Callable[[LoweringContext, Value], Value]
    wave: Callable[[LoweringContext, Value, Value], Value]
    # Orders above it are taken from the wave.
    low: int

    def __call__(self, ctx: LoweringContext, x: Value, order: Value) -> Value:
        n = ctx.like(order, x)
        first = ctx.mul(x, 2.0) if self.doubled else x
        first = ctx.add(first, self.shift) if self.shift else first
        value = recurrence(ctx, x, order, first, _chebyshev_step)
        inside = ctx.compare(ctx.b.node("abs", x), 1.0, "LT")
        high = ctx.b.node("and", inside, ctx.compare(order, self.low, "GT"))
        value = ctx.select(high, self.wave(ctx, formulas.acos(ctx, x), n), value)
        one = ctx.compare(x, 1.0, "EQ")
        value = ctx.select(one, self.at_one(ctx, n), value)
        odd = ctx.compare(ctx.b.node("and", order, ctx.like(1, order)), 1, "EQ")
        end = self.at_minus_one(ctx, n)
        end = ctx.select(odd, ctx.neg(end), end)
        value = ctx.select(ctx.compare(x, -1.0, "EQ"), end, value)
        return ctx.select(ctx.compare(order, 0, "LT"), 0.0, value)


def _chebyshev_step(ctx: LoweringContext, k: Value, x: Value, q: Value, p: Value) -> Value:
    return ctx.sub(ctx.mul(ctx.add(x, x), q), p)


def _one(ctx: LoweringContext, n: Value) -> Value:
    return ctx.like(1.0, n)


def _next(ctx: LoweringContext, n: Value) -> Value:
    return ctx.add(n, 1.0)


def _odd(ctx: LoweringContext, n: Value) -> Value:
    return ctx.add(ctx.add(n, n), 1.0)


def _first_wave(ctx: LoweringContext, angle: Value, n: Value) -> Value:
    return ctx.b.node("cosine", ctx.mul(n, angle))


def _second_wave(ctx: LoweringContext, angle: Value, n: Value) -> Value:
    above = ctx.b.node("sine", ctx.mul(ctx.add(n, 1.0), angle))
    return ctx.div(above, ctx.b.node("sine", angle))


def _half_wave(op: str) -> Callable[[LoweringContext, Value, Value], Value]:
    """cos((n + 1/2) a) / cos(a / 2), or that of sines."""

    def wave(ctx: LoweringContext, angle: Value, n: Value) -> Value:
        above = ctx.b.node(op, ctx.mul(ctx.add(n, 0.5), angle))
        return ctx.div(above, ctx.b.node(op, ctx.mul(angle, 0.5)))

    return wave


def first_kind(low: int) -> Chebyshev:
    """Chebyshev's T_n."""
    return Chebyshev(False, 0.0, _one, _one, _first_wave, low)


def second_kind(low: int) -> Chebyshev:
    """Chebyshev's U_n."""
    return Chebyshev(True, 0.0, _next, _next, _second_wave, low)


def third_kind(low: int) -> Chebyshev:
    """Chebyshev's V_n."""
    return Chebyshev(True, -1.0, _one, _odd, _half_wave("cosine"), low)


def fourth_kind(low: int) -> Chebyshev:
    """Chebyshev's W_n."""
    return Chebyshev(True, 1.0, _odd, _one, _half_wave("sine"), low)


# -- others


def hermite(scale: float) -> Callable[[LoweringContext, Value, Value], Value]:
    """The physicists' polynomials for `scale` 2, the probabilists' for 1:
    P(k + 1) = scale (x P(k) - k P(k - 1))."""

    def formula(ctx: LoweringContext, x: Value, order: Value) -> Value:
        def step(ctx: LoweringContext, k: Value, x: Value, q: Value, p: Value) -> Value:
            return ctx.sub(ctx.mul(ctx.mul(x, scale), q), ctx.mul(ctx.mul(k, scale), p))

        value = recurrence(ctx, x, order, ctx.mul(x, scale), step)
        # Higher ones overflow: torch computes none.
        limit = 128 if x.type.dtype.bits == 32 else 512
        return ctx.select(ctx.compare(order, limit, "GT"), float("nan"), value)

    return formula


def laguerre(ctx: LoweringContext, x: Value, order: Value) -> Value:
    """L_order(x): (k + 1) L(k + 1) = (2k + 1 - x) L(k) - k L(k - 1)."""

    def step(ctx: LoweringContext, k: Value, x: Value, q: Value, p: Value) -> Value:
        factor = ctx.sub(ctx.add(ctx.add(k, k), 1.0), x)
        return ctx.div(ctx.sub(ctx.mul(factor, q), ctx.mul(k, p)), ctx.add(k, 1.0))

    return recurrence(ctx, x, order, ctx.sub(ctx.like(1.0, x), x), step)


def legendre(ctx: LoweringContext, x: Value, order: Value) -> Value:
    """P_order(x): (k + 1) P(k + 1) = (2k + 1) x P(k) - k P(k - 1)."""

    def step(ctx: LoweringContext, k: Value, x: Value, q: Value, p: Value) -> Value:
        factor = ctx.mul(ctx.add(ctx.add(k, k), 1.0), x)
        return ctx.div(ctx.sub(ctx.mul(factor, q), ctx.mul(k, p)), ctx.add(k, 1.0))

    return recurrence(ctx, x, order, x, step)
