"""ATen's elementwise functions: transcendental functions, activations and their gradients.

Formulas of several operations are computed in f32 for f16 and bf16, as torch's kernels do.
"""

import math
from collections.abc import Callable
from typing import Any

from compiler_core.capture import formulas
from compiler_core.capture.formulas import power
from compiler_core.capture.lowering_context import LoweringContext, Number, Operand
from compiler_core.capture.torch.pointwise import TorchRule, composite
from compiler_core.ir.graph import Value

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)


def function(op: str) -> TorchRule:
    """The rule of a function that is one operation of the IR; integer operands are converted to the
    result's floating-point type."""
    return composite(lambda ctx, x: ctx.b.node(op, x))


def relu(ctx: LoweringContext, x: Value) -> Value:
    """max(x, 0), elementwise; NaN stays NaN."""
    return ctx.op("maximum", x, 0)


def sigmoid(ctx: LoweringContext, x: Value) -> Value:
    """1 / (1 + exp(-x)), elementwise."""
    return ctx.b.node("logistic", x)


def tanh(ctx: LoweringContext, x: Value) -> Value:
    """The hyperbolic tangent, elementwise."""
    return ctx.b.node("tanh", x)


def _gelu(ctx: LoweringContext, x: Value, approximate: str = "none") -> Value:
    if approximate == "tanh":
        inner = ctx.mul(ctx.add(x, ctx.mul(power(ctx, x, 3), 0.044715)), _SQRT_2_OVER_PI)
        return ctx.mul(x, ctx.mul(ctx.add(tanh(ctx, inner), 1), 0.5))
    erf = ctx.b.node("erf", ctx.mul(x, _SQRT_HALF))
    return ctx.mul(ctx.mul(x, 0.5), ctx.add(erf, 1))


def _silu(ctx: LoweringContext, x: Value) -> Value:
    return ctx.mul(x, sigmoid(ctx, x))


def _softplus_of(ctx: LoweringContext, x: Value) -> Value:
    """log(1 + exp(x)) without overflow."""
    tail = ctx.b.node("log_plus_one", ctx.exp(ctx.neg(ctx.b.node("abs", x))))
    return ctx.add(relu(ctx, x), tail)


def _softplus(ctx: LoweringContext, x: Value, beta: Number = 1, threshold: Number = 20) -> Value:
    scaled = x if beta == 1 else ctx.mul(x, beta)
    soft = _softplus_of(ctx, scaled)
    soft = soft if beta == 1 else ctx.div(soft, beta)
    return ctx.select(ctx.compare(scaled, threshold, "GT"), x, soft)


def _elu(
    ctx: LoweringContext, x: Value, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1
) -> Value:
    inner = x if input_scale == 1 else ctx.mul(x, input_scale)
    below = ctx.mul(ctx.b.node("exponential_minus_one", inner), alpha)
    chosen = ctx.select(ctx.compare(x, 0, "GT"), x, below)
    return chosen if scale == 1 else ctx.mul(chosen, scale)


def _selu(ctx: LoweringContext, x: Value) -> Value:
    return _elu(ctx, x, 1.6732632423543772, 1.0507009873554805)


def _leaky_relu(ctx: LoweringContext, x: Value, slope: Number = 0.01) -> Value:
    return ctx.select(ctx.compare(x, 0, "GT"), x, ctx.mul(x, slope))


def _prelu(ctx: LoweringContext, x: Value, weight: Value) -> Value:
    x, weight = ctx.upcast(x, weight)
    return ctx.downcast(ctx.select(ctx.compare(x, 0, "GT"), x, ctx.mul(x, weight)))


def clip(ctx: LoweringContext, x: Value, low: Number, high: Number) -> Value:
    """min(max(x, low), high), elementwise; NaN stays NaN."""
    return ctx.op("minimum", ctx.op("maximum", x, low), high)


def _hardtanh(ctx: LoweringContext, x: Value, low: Number = -1, high: Number = 1) -> Value:
    return clip(ctx, x, low, high)


def _hardsigmoid(ctx: LoweringContext, x: Value) -> Value:
    return ctx.div(clip(ctx, ctx.add(x, 3), 0, 6), 6)


def _hardswish(ctx: LoweringContext, x: Value) -> Value:
    return ctx.div(ctx.mul(x, clip(ctx, ctx.add(x, 3), 0, 6)), 6)


def _hardshrink(ctx: LoweringContext, x: Value, lambd: Number = 0.5) -> Value:
    inside = ctx.compare(ctx.b.node("abs", x), lambd, "LE")
    return ctx.select(inside, 0, x)


def _softshrink(ctx: LoweringContext, x: Value, lambd: Number = 0.5) -> Value:
    shrunk = ctx.select(ctx.compare(x, 0, "GT"), ctx.sub(x, lambd), ctx.add(x, lambd))
    return ctx.select(ctx.compare(ctx.b.node("abs", x), lambd, "LE"), ctx.mul(x, 0), shrunk)


def _mish(ctx: LoweringContext, x: Value) -> Value:
    return ctx.mul(x, tanh(ctx, _softplus_of(ctx, x)))


def _log_sigmoid(ctx: LoweringContext, x: Value) -> tuple[Value, Value]:
    """Also e^-|x|, which the gradient reads; on a GPU torch keeps nothing for it."""
    (upcast,) = ctx.upcast(x)
    result = ctx.downcast(ctx.neg(_softplus_of(ctx, ctx.neg(upcast))))
    kept = ctx.types[1]
    if kept.shape != x.type.shape:
        return result, ctx.b.scalar(0.0, kept.dtype, kept.shape)
    buffer = ctx.b.node("exponential", ctx.neg(ctx.b.node("abs", upcast)))
    return result, ctx.b.convert(buffer, kept.dtype)


def _threshold(ctx: LoweringContext, x: Value, threshold: Number, value: Number) -> Value:
    return ctx.select(ctx.compare(x, threshold, "LE"), value, x)


def _logit(ctx: LoweringContext, x: Value, eps: float | None = None) -> Value:
    if eps is not None:
        x = clip(ctx, x, eps, 1 - eps)
    return ctx.b.node("log", ctx.div(x, ctx.sub(ctx.like(1, x), x)))


def _log_base(base: float) -> Callable[[LoweringContext, Value], Value]:
    return lambda ctx, x: ctx.div(ctx.b.node("log", x), math.log(base))


def _logaddexp(ctx: LoweringContext, x: Value, y: Value) -> Value:
    x, y = ctx.upcast(x, y)
    high, gap = ctx.op("maximum", x, y), ctx.sub(x, y)
    soft = ctx.add(high, ctx.b.node("log_plus_one", ctx.exp(ctx.neg(ctx.b.node("abs", gap)))))
    # inf - inf has no gap, and needs none.
    same = ctx.compare(x, y, "EQ")
    infinite = ctx.b.node("and", same, ctx.compare(ctx.b.node("abs", x), math.inf, "EQ"))
    return ctx.downcast(ctx.select(infinite, high, soft))


def _xlogy(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    left, right = ctx.upcast(x, y)
    product = ctx.mul(left, ctx.b.node("log", right))
    zero = ctx.b.node("and", ctx.compare(left, 0, "EQ"), ctx.b.node("not", ctx.is_nan(right)))
    return ctx.downcast(ctx.select(zero, 0, product))


# -- gradients


def gradient(formula: Callable[..., Value]) -> TorchRule:
    """The rule of a function's gradient: `formula` of the incoming gradient and the other tensors,
    computed in at least f32."""

    def rule(ctx: LoweringContext, grad: Value, x: Value, *args: Any) -> Value:
        upcast_grad, upcast_x = ctx.upcast(grad, x)
        return ctx.downcast(formula(ctx, upcast_grad, upcast_x, *args))

    return rule


def _threshold_backward(ctx: LoweringContext, grad: Value, x: Value, threshold: Number) -> Value:
    return ctx.select(ctx.compare(x, threshold, "LE"), 0, grad)


def _tanh_backward(ctx: LoweringContext, grad: Value, y: Value) -> Value:
    return ctx.mul(grad, ctx.sub(ctx.like(1, y), ctx.mul(y, y)))


def _sigmoid_backward(ctx: LoweringContext, grad: Value, y: Value) -> Value:
    return ctx.mul(ctx.mul(grad, ctx.sub(ctx.like(1, y), y)), y)


def _silu_backward(ctx: LoweringContext, grad: Value, x: Value) -> Value:
    s = sigmoid(ctx, x)
    inner = ctx.add(ctx.mul(x, ctx.sub(ctx.like(1, s), s)), 1)
    return ctx.mul(ctx.mul(grad, s), inner)


def _gelu_backward(ctx: LoweringContext, grad: Value, x: Value, approximate: str = "none") -> Value:
    if approximate == "tanh":
        inner = ctx.mul(ctx.add(x, ctx.mul(power(ctx, x, 3), 0.044715)), _SQRT_2_OVER_PI)
        t = tanh(ctx, inner)
        slope = ctx.mul(ctx.add(ctx.mul(ctx.mul(x, x), 3 * 0.044715), 1), _SQRT_2_OVER_PI)
        right = ctx.mul(ctx.mul(ctx.mul(x, 0.5), ctx.sub(ctx.like(1, t), ctx.mul(t, t))), slope)
        return ctx.mul(grad, ctx.add(ctx.mul(ctx.add(t, 1), 0.5), right))
    cdf = ctx.mul(ctx.add(ctx.b.node("erf", ctx.mul(x, _SQRT_HALF)), 1), 0.5)
    density = ctx.mul(ctx.exp(ctx.mul(ctx.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return ctx.mul(grad, ctx.add(cdf, ctx.mul(x, density)))


def _leaky_relu_backward(
    ctx: LoweringContext, grad: Value, x: Value, slope: Number, result: bool = False
) -> Value:
    return ctx.select(ctx.compare(x, 0, "GT"), grad, ctx.mul(grad, slope))


TABLE: dict[str, TorchRule] = {
    "sqrt": function("sqrt"),
    "rsqrt": function("rsqrt"),
    "exp": function("exponential"),
    "exp2": composite(lambda ctx, x: ctx.exp(ctx.mul(x, math.log(2)))),
    "expm1": function("exponential_minus_one"),
    "log": function("log"),
    "log1p": function("log_plus_one"),
    "log2": composite(_log_base(2)),
    "log10": composite(_log_base(10)),
    "sin": function("sine"),
    "cos": function("cosine"),
    "tan": function("tan"),
    "asin": composite(formulas.asin),
    "acos": composite(formulas.acos),
    "atan": composite(formulas.atan),
    "sinh": composite(formulas.sinh),
    "cosh": composite(formulas.cosh),
    "tanh": function("tanh"),
    "asinh": composite(formulas.asinh),
    "acosh": composite(formulas.acosh),
    "atanh": composite(formulas.atanh),
    "erf": function("erf"),
    "erfc": function("erfc"),
    "special_erfc": function("erfc"),
    "erfinv": function("erf_inv"),
    "sigmoid": function("logistic"),
    "logit": composite(_logit),
    "logaddexp": _logaddexp,
    "xlogy": _xlogy,
    "hypot": lambda ctx, x, y: ctx.downcast(formulas.hypot(ctx, *ctx.upcast(x, y))),
    "relu": relu,
    "relu6": lambda ctx, x: clip(ctx, x, 0, 6),
    "gelu": composite(_gelu),
    "silu": composite(_silu),
    "mish": composite(_mish),
    "softplus": composite(_softplus),
    "elu": composite(_elu),
    "selu": composite(_selu),
    "leaky_relu": composite(_leaky_relu),
    "_prelu_kernel": _prelu,
    "hardtanh": lambda ctx, x, low=-1, high=1: _hardtanh(ctx, x, low, high),
    "hardsigmoid": composite(_hardsigmoid),
    "hardswish": composite(_hardswish),
    "hardshrink": composite(_hardshrink),
    "softshrink": composite(_softshrink),
    "log_sigmoid_forward": _log_sigmoid,
    "threshold": _threshold,
    "threshold_backward": gradient(_threshold_backward),
    "tanh_backward": gradient(_tanh_backward),
    "sigmoid_backward": gradient(_sigmoid_backward),
    "silu_backward": gradient(_silu_backward),
    "gelu_backward": gradient(_gelu_backward),
    "leaky_relu_backward": gradient(_leaky_relu_backward),
}
