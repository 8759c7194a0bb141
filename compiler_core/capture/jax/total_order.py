"""Comparisons in the total order of IEEE 754: -NaN < -inf < -0.0 < 0.0 < inf < NaN. The bits of a
float, those of negative numbers turned, are integers in that order."""

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.ir.graph import Value
from compiler_core.ir.types import DTYPES


def _compared(direction: str) -> JaxRule:
    def rule(ctx: LoweringContext, p: Params, x: Operand, y: Operand) -> Value:
        model = next(v for v in (x, y) if isinstance(v, Value))
        left, right = (ctx.fit(v, model.type.dtype, ctx.out.shape) for v in (x, y))
        return ctx.b.compare(_ordered(ctx, left), _ordered(ctx, right), direction)

    return rule


def _ordered(ctx: LoweringContext, x: Value) -> Value:
    if not x.type.dtype.is_float:
        return x
    bits = x.type.dtype.bits
    word = ctx.b.node("bitcast_convert", x, dtype=DTYPES[f"i{bits}"])
    sign = ctx.op("shift_right_arithmetic", word, bits - 1)
    turned = ctx.op("and", sign, (1 << (bits - 1)) - 1)
    return ctx.b.node("xor", word, turned)


TABLE: dict[str, JaxRule] = {
    "eq_to": _compared("EQ"), "lt_to": _compared("LT"), "le_to": _compared("LE"),
}  # fmt: skip
