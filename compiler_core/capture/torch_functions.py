"""ATen's elementwise functions: transcendental functions, activations and their gradients.

Composites compute in single precision where the tensors are half, as torch's own kernels do.
"""

import math
from collections.abc import Callable
from typing import Any

from compiler_core.capture import formulas
from compiler_core.capture.formulas import power
from compiler_core.capture.rules import Number, Operand, Rule
from compiler_core.capture.torch_pointwise import TorchRule, composite
from compiler_core.ir.graph import Node

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)


def function(op: str) -> TorchRule:
    """One IR operation; integers become floats first, as the result's type says."""
    return composite(lambda c, x: c.b.node(op, x))


def relu(c: Rule, x: Node) -> Node:
    return c.op("maximum", x, 0)


def sigmoid(c: Rule, x: Node) -> Node:
    return c.b.node("logistic", x)


def tanh(c: Rule, x: Node) -> Node:
    return c.b.node("tanh", x)


def _gelu(c: Rule, x: Node, approximate: str = "none") -> Node:
    if approximate == "tanh":
        inner = c.mul(c.add(x, c.mul(power(c, x, 3), 0.044715)), _SQRT_2_OVER_PI)
        return c.mul(x, c.mul(c.add(tanh(c, inner), 1), 0.5))
    erf = c.b.node("erf", c.mul(x, _SQRT_HALF))
    return c.mul(c.mul(x, 0.5), c.add(erf, 1))


def _silu(c: Rule, x: Node) -> Node:
    return c.mul(x, sigmoid(c, x))


def _softplus_of(c: Rule, x: Node) -> Node:
    """log(1 + exp(x)) without overflow."""
    tail = c.b.node("log_plus_one", c.exp(c.neg(c.b.node("abs", x))))
    return c.add(relu(c, x), tail)


def _softplus(c: Rule, x: Node, beta: Number = 1, threshold: Number = 20) -> Node:
    scaled = x if beta == 1 else c.mul(x, beta)
    soft = _softplus_of(c, scaled)
    soft = soft if beta == 1 else c.div(soft, beta)
    return c.select(c.compare(scaled, threshold, "GT"), x, soft)


def _elu(c: Rule, x: Node, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Node:
    inner = x if input_scale == 1 else c.mul(x, input_scale)
    below = c.mul(c.b.node("exponential_minus_one", inner), alpha)
    chosen = c.select(c.compare(x, 0, "GT"), x, below)
    return chosen if scale == 1 else c.mul(chosen, scale)


def _selu(c: Rule, x: Node) -> Node:
    return _elu(c, x, 1.6732632423543772, 1.0507009873554805)


def _leaky_relu(c: Rule, x: Node, slope: Number = 0.01) -> Node:
    return c.select(c.compare(x, 0, "GT"), x, c.mul(x, slope))


def _prelu(c: Rule, x: Node, weight: Node) -> Node:
    x, weight = c.wide(x, weight)
    return c.narrow(c.select(c.compare(x, 0, "GT"), x, c.mul(x, weight)))


def clip(c: Rule, x: Node, low: Number, high: Number) -> Node:
    return c.op("minimum", c.op("maximum", x, low), high)


def _hardtanh(c: Rule, x: Node, low: Number = -1, high: Number = 1) -> Node:
    return clip(c, x, low, high)


def _hardsigmoid(c: Rule, x: Node) -> Node:
    return c.div(clip(c, c.add(x, 3), 0, 6), 6)


def _hardswish(c: Rule, x: Node) -> Node:
    return c.div(c.mul(x, clip(c, c.add(x, 3), 0, 6)), 6)


def _hardshrink(c: Rule, x: Node, lambd: Number = 0.5) -> Node:
    inside = c.compare(c.b.node("abs", x), lambd, "LE")
    return c.select(inside, 0, x)


def _softshrink(c: Rule, x: Node, lambd: Number = 0.5) -> Node:
    shrunk = c.select(c.compare(x, 0, "GT"), c.sub(x, lambd), c.add(x, lambd))
    return c.select(c.compare(c.b.node("abs", x), lambd, "LE"), c.mul(x, 0), shrunk)


def _mish(c: Rule, x: Node) -> Node:
    return c.mul(x, tanh(c, _softplus_of(c, x)))


def _log_sigmoid(c: Rule, x: Node) -> tuple[Node, Node]:
    (wide,) = c.wide(x)
    # torch's kernel keeps a buffer for its gradient, empty where the gradient does without.
    buffer = c.types[1]
    return c.narrow(c.neg(_softplus_of(c, c.neg(wide)))), c.b.scalar(
        0.0, buffer.dtype, buffer.shape
    )


def _threshold(c: Rule, x: Node, threshold: Number, value: Number) -> Node:
    return c.select(c.compare(x, threshold, "LE"), value, x)


def _logit(c: Rule, x: Node, eps: float | None = None) -> Node:
    if eps is not None:
        x = clip(c, x, eps, 1 - eps)
    return c.b.node("log", c.div(x, c.sub(c.like(1, x), x)))


def _log_base(base: float) -> Callable[[Rule, Node], Node]:
    return lambda c, x: c.div(c.b.node("log", x), math.log(base))


def _logaddexp(c: Rule, x: Node, y: Node) -> Node:
    x, y = c.wide(x, y)
    high, gap = c.op("maximum", x, y), c.sub(x, y)
    soft = c.add(high, c.b.node("log_plus_one", c.exp(c.neg(c.b.node("abs", gap)))))
    # inf - inf has no gap, and needs none.
    same = c.compare(x, y, "EQ")
    infinite = c.b.node("and", same, c.compare(c.b.node("abs", x), math.inf, "EQ"))
    return c.narrow(c.select(infinite, high, soft))


def _xlogy(c: Rule, x: Operand, y: Operand) -> Node:
    left, right = c.wide(x, y)
    product = c.mul(left, c.b.node("log", right))
    zero = c.b.node("and", c.compare(left, 0, "EQ"), c.b.node("not", c.is_nan(right)))
    return c.narrow(c.select(zero, 0, product))


def _hypot(c: Rule, x: Node, y: Node) -> Node:
    x, y = c.wide(x, y)
    return c.narrow(c.b.node("sqrt", c.add(c.mul(x, x), c.mul(y, y))))


# -- gradients


def gradient(formula: Callable[..., Node]) -> TorchRule:
    """`grad` times a formula over the other tensors."""

    def rule(c: Rule, grad: Node, x: Node, *args: Any) -> Node:
        wide_grad, wide_x = c.wide(grad, x)
        return c.narrow(formula(c, wide_grad, wide_x, *args))

    return rule


def _threshold_backward(c: Rule, grad: Node, x: Node, threshold: Number) -> Node:
    return c.select(c.compare(x, threshold, "LE"), 0, grad)


def _tanh_backward(c: Rule, grad: Node, y: Node) -> Node:
    return c.mul(grad, c.sub(c.like(1, y), c.mul(y, y)))


def _sigmoid_backward(c: Rule, grad: Node, y: Node) -> Node:
    return c.mul(c.mul(grad, c.sub(c.like(1, y), y)), y)


def _silu_backward(c: Rule, grad: Node, x: Node) -> Node:
    s = sigmoid(c, x)
    inner = c.add(c.mul(x, c.sub(c.like(1, s), s)), 1)
    return c.mul(c.mul(grad, s), inner)


def _gelu_backward(c: Rule, grad: Node, x: Node, approximate: str = "none") -> Node:
    if approximate == "tanh":
        inner = c.mul(c.add(x, c.mul(power(c, x, 3), 0.044715)), _SQRT_2_OVER_PI)
        t = tanh(c, inner)
        slope = c.mul(c.add(c.mul(c.mul(x, x), 3 * 0.044715), 1), _SQRT_2_OVER_PI)
        right = c.mul(c.mul(c.mul(x, 0.5), c.sub(c.like(1, t), c.mul(t, t))), slope)
        return c.mul(grad, c.add(c.mul(c.add(t, 1), 0.5), right))
    cdf = c.mul(c.add(c.b.node("erf", c.mul(x, _SQRT_HALF)), 1), 0.5)
    density = c.mul(c.exp(c.mul(c.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return c.mul(grad, c.add(cdf, c.mul(x, density)))


def _leaky_relu_backward(c: Rule, grad: Node, x: Node, slope: Number, result: bool = False) -> Node:
    return c.select(c.compare(x, 0, "GT"), grad, c.mul(grad, slope))


TABLE: dict[str, TorchRule] = {
    "sqrt": function("sqrt"),
    "rsqrt": function("rsqrt"),
    "exp": function("exponential"),
    "exp2": composite(lambda c, x: c.exp(c.mul(x, math.log(2)))),
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
    "hypot": _hypot,
    "relu": relu,
    "relu6": lambda c, x: clip(c, x, 0, 6),
    "gelu": composite(_gelu),
    "silu": composite(_silu),
    "mish": composite(_mish),
    "softplus": composite(_softplus),
    "elu": composite(_elu),
    "selu": composite(_selu),
    "leaky_relu": composite(_leaky_relu),
    "_prelu_kernel": _prelu,
    "hardtanh": lambda c, x, low=-1, high=1: _hardtanh(c, x, low, high),
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
