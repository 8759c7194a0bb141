"""ATen's matrix products as dot_general."""

from compiler_core.capture.lowering_context import LoweringContext, Number
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.ir.graph import Value


def _mm(ctx: LoweringContext, x: Value, y: Value, *_: object) -> Value:
    return ctx.b.dot_general(x, y, contract=((1,), (0,)))


def _int_mm(ctx: LoweringContext, x: Value, y: Value, *_: object) -> Value:
    """Of bytes, summed in the type of the result."""
    return _mm(ctx, *(ctx.cast(operand, ctx.out.dtype) for operand in (x, y)))


def _bmm(ctx: LoweringContext, x: Value, y: Value, *_: object) -> Value:
    return ctx.b.dot_general(x, y, batch=((0,), (0,)), contract=((2,), (1,)))


def _mv(ctx: LoweringContext, x: Value, y: Value) -> Value:
    return ctx.b.dot_general(x, y, contract=((1,), (0,)))


def _dot(ctx: LoweringContext, x: Value, y: Value) -> Value:
    return ctx.b.dot_general(x, y, contract=((0,), (0,)))


def _plus(product: TorchRule) -> TorchRule:
    """beta * bias + alpha * product; what is multiplied by 0 is not read."""

    def rule(
        ctx: LoweringContext, bias: Value, x: Value, y: Value, beta: Number = 1, alpha: Number = 1
    ) -> Value:
        result = product(ctx, x, y)
        if alpha == 0:
            result = ctx.b.scalar(0, result.type.dtype, result.type.shape)
        elif alpha != 1:
            result = ctx.mul(result, alpha)
        if beta == 0:
            return result
        (spread,) = ctx.operands(bias)
        return ctx.add(result, spread if beta == 1 else ctx.mul(spread, beta))

    return rule


def _addbmm_product(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """One product that sums over the batch too."""
    return ctx.b.dot_general(x, y, contract=((0, 2), (0, 1)))


TABLE: dict[str, TorchRule] = {
    "mm": _mm,
    "_int_mm": _int_mm,
    "bmm": _bmm,
    "mv": _mv,
    "dot": _dot,
    "vdot": _dot,
    "addmm": _plus(_mm),
    "addmv": _plus(_mv),
    "baddbmm": _plus(_bmm),
    "addbmm": _plus(_addbmm_product),
}
