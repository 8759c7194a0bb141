"""The table of the torch front end for complex tensors: name of an ATen operation -> rule."""

import math
from typing import Any

import torch

from compiler_core.capture.complex_numbers import arithmetic, functions, inverses
from compiler_core.capture.complex_numbers.arithmetic import absolute, is_zero, turned
from compiler_core.capture.complex_numbers.packing import packed, unpacked
from compiler_core.capture.complex_numbers.rules import ComplexRule, by_parts, formula
from compiler_core.capture.complex_numbers.value import (
    AnyOperand,
    Complex,
    ComplexContext,
    parts_of,
)
from compiler_core.capture.lowering_context import Number
from compiler_core.capture.torch import table, views
from compiler_core.capture.torch.complex_numbers import reductions as complex_reductions
from compiler_core.capture.torch.types import part_dtype_of
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL

# -- arithmetic


def _plus(
    ctx: ComplexContext, x: AnyOperand, y: AnyOperand, alpha: Number | complex = 1
) -> Complex:
    left, right = ctx.complex_operands(x, y)
    if alpha != 1:
        right = arithmetic.mul(ctx, right, ctx.number(alpha, right))
    return arithmetic.add(ctx, left, right)


def _minus(
    ctx: ComplexContext, x: AnyOperand, y: AnyOperand, alpha: Number | complex = 1
) -> Complex:
    left, right = ctx.complex_operands(x, y)
    if alpha != 1:
        right = arithmetic.mul(ctx, right, ctx.number(alpha, right))
    return arithmetic.sub(ctx, left, right)


def _div(
    ctx: ComplexContext, x: AnyOperand, y: AnyOperand, mode: str | None = None
) -> Complex | None:
    return None if mode else arithmetic.div(ctx, *ctx.complex_operands(x, y))


# Exponents that torch's own kernel computes as products.
_PRODUCTS = (-2, -1, 0, 1, 2, 3)


def _pow(ctx: ComplexContext, x: AnyOperand, exponent: AnyOperand) -> Complex:
    (base,) = ctx.complex_operands(x)
    if isinstance(exponent, Complex | Value):
        return _power(ctx, base, *ctx.complex_operands(exponent))
    if exponent in _PRODUCTS:
        whole = int(complex(exponent).real)
        raised = arithmetic.whole_power(ctx, base, abs(whole))
        return arithmetic.reciprocal(ctx, raised) if whole < 0 else raised
    if exponent in (0.5, -0.5):
        root = functions.sqrt(ctx, base)
        return root if exponent == 0.5 else arithmetic.reciprocal(ctx, root)
    return _power(ctx, base, *ctx.complex_operands(exponent))


def _power(ctx: ComplexContext, z: Complex, exponent: Complex) -> Complex:
    return functions.exp_at_infinities(ctx, arithmetic.mul(ctx, exponent, functions.log(ctx, z)))


def _addcmul(
    ctx: ComplexContext, x: AnyOperand, y: AnyOperand, z: AnyOperand, value: complex = 1
) -> Complex:
    product = arithmetic.mul(ctx, *ctx.complex_operands(y, z))
    return _plus(ctx, x, product, value)


def _addcdiv(
    ctx: ComplexContext, x: AnyOperand, y: AnyOperand, z: AnyOperand, value: complex = 1
) -> Complex:
    quotient = arithmetic.div(ctx, *ctx.complex_operands(y, z))
    return _plus(ctx, x, quotient, value)


def _rsqrt(ctx: ComplexContext, z: Complex) -> Complex:
    return arithmetic.reciprocal(ctx, functions.sqrt(ctx, z))


def _sigmoid(ctx: ComplexContext, z: Complex) -> Complex:
    grown = functions.exp_at_infinities(ctx, arithmetic.neg(ctx, z))
    return arithmetic.reciprocal(ctx, Complex(ctx.add(grown.re, 1), grown.im))


def _exp2(ctx: ComplexContext, z: Complex) -> Complex:
    return functions.exp_at_infinities(ctx, arithmetic.scale(ctx, z, math.log(2)))


def _sinh(ctx: ComplexContext, z: Complex) -> Complex:
    return functions.odd_at_zero(ctx, z, functions.sinh(ctx, z))


def _cosh(ctx: ComplexContext, z: Complex) -> Complex:
    return functions.even_at_zero(ctx, z, functions.cosh(ctx, z))


def _tanh(ctx: ComplexContext, z: Complex) -> Complex:
    return functions.odd_at_zero(ctx, z, functions.tanh(ctx, z))


# -- to and from real tensors


def _same(ctx: ComplexContext, x: AnyOperand, *_: Any) -> Complex | Value:
    """As the type of the result: a real one is the real part."""
    if ctx.is_complex[0]:
        return ctx.complex_operands(x)[0]
    return ctx.fit(parts_of(x)[0], ctx.out.dtype, ctx.out.shape)


def _second(ctx: ComplexContext, x: AnyOperand, value: AnyOperand, *_: Any) -> Complex | Value:
    return _same(ctx, value)


def _constant(value: Number) -> ComplexRule:
    return lambda ctx, *_: _same(ctx, value)


def _view_as_complex(ctx: ComplexContext, x: Value) -> Complex:
    return unpacked(ctx.b, x)


def _view_as_real(ctx: ComplexContext, x: Complex) -> Value:
    return packed(ctx.b, x)


def _complex(ctx: ComplexContext, re: Value, im: Value) -> Complex:
    return Complex(*ctx.operands(re, im))


def _polar(ctx: ComplexContext, size: Value, angle: Value) -> Complex:
    return functions.polar(ctx, *ctx.operands(size, angle))


# -- truth and choice


def _compared(ctx: ComplexContext, x: AnyOperand, y: AnyOperand) -> tuple[Complex, Complex]:
    """In the type that torch compares in."""
    dtype = part_dtype_of(torch.result_type(ctx.raw[0], ctx.raw[1]))
    shape = ctx.out.shape
    return ctx.as_complex(x, dtype, shape), ctx.as_complex(y, dtype, shape)


def _eq(ctx: ComplexContext, x: AnyOperand, y: AnyOperand) -> Value:
    return ctx.cast(arithmetic.equal(ctx, *_compared(ctx, x, y)), ctx.out.dtype)


def _ne(ctx: ComplexContext, x: AnyOperand, y: AnyOperand) -> Value:
    return ctx.cast(arithmetic.not_equal(ctx, *_compared(ctx, x, y)), ctx.out.dtype)


def truth(ctx: ComplexContext, x: Complex | Value) -> Value:
    """bool values: whether `x` is not zero."""
    return ctx.b.node("not", is_zero(ctx, x)) if isinstance(x, Complex) else ctx.cast(x, BOOL)


def _logical(op: str) -> ComplexRule:
    return lambda ctx, x, y: ctx.cast(
        ctx.b.node(op, *(ctx.fit(truth(ctx, v), BOOL, ctx.out.shape) for v in (x, y))),
        ctx.out.dtype,
    )


def _logical_not(ctx: ComplexContext, x: Complex) -> Value:
    return ctx.cast(is_zero(ctx, x), ctx.out.dtype)


def _where(ctx: ComplexContext, condition: Value, x: AnyOperand, y: AnyOperand) -> Complex:
    left, right = ctx.complex_operands(x, y)
    return ctx.choose(ctx.fit(condition, BOOL, ctx.out.shape), left, right)


def _masked_fill(ctx: ComplexContext, x: AnyOperand, mask: Value, value: AnyOperand) -> Complex:
    return _where(ctx, mask, value, x)


def _real_of(function: Any) -> ComplexRule:
    """The rule of a real function of a complex tensor."""
    return lambda ctx, x: ctx.cast(function(ctx, x), ctx.out.dtype)


def _real_rule(name: str, places: tuple[int, ...] = (0,)) -> ComplexRule:
    return by_parts(table.TABLE[name], places)


# Operations that move or select elements, whatever these are.
MOVES = (
    *views.MOVES, "index_select", "embedding", "gather", "index.Tensor", "_unsafe_index.Tensor",
)  # fmt: skip
# Operations that apply a real tensor's rule to each part, with the positions of their tensors of
# values.
_BY_PARTS = (
    *MOVES, "embedding_dense_backward", "sum", "sum.dim_IntList", "mean", "mean.dim", "cumsum",
    "nan_to_num",
)  # fmt: skip
_BY_PARTS_OF_TWO = {
    "constant_pad_nd": (0, 2),
    **dict.fromkeys(("index_put", "_unsafe_index_put"), (0, 2)),
    **dict.fromkeys(
        ("index_add", "index_copy", "scatter.src", "scatter.value", "scatter_add"), (0, 3)
    ),
}

TABLE: dict[str, ComplexRule] = {
    "add": _plus,
    "sub": _minus,
    "rsub": lambda ctx, x, y, alpha=1: _minus(ctx, y, x, alpha),
    "mul": formula(arithmetic.mul),
    "div": _div,
    "true_divide": _div,
    "neg": formula(arithmetic.neg),
    "reciprocal": formula(arithmetic.reciprocal),
    "square": lambda ctx, x: _pow(ctx, x, 2),
    "pow": _pow,
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
    **dict.fromkeys(("_conj", "_conj_physical", "conj_physical"), formula(arithmetic.conj)),
    "_neg_view": formula(arithmetic.neg),
    "sgn": formula(arithmetic.sgn),
    "abs": _real_of(absolute),
    "angle": _real_of(arithmetic.angle),
    "isnan": _real_of(arithmetic.is_nan),
    "isinf": _real_of(arithmetic.is_infinite),
    "isfinite": _real_of(arithmetic.is_finite),
    "exp": formula(functions.exp_at_infinities),
    "exp2": formula(_exp2),
    "expm1": formula(functions.expm1),
    "log": formula(functions.log),
    "log1p": formula(functions.log1p),
    "log2": formula(functions.log_base(2)),
    "log10": formula(functions.log_base(10)),
    "sqrt": formula(functions.sqrt),
    "rsqrt": formula(_rsqrt),
    "sin": formula(turned(_sinh)),
    "cos": formula(turned(_cosh, back=False)),
    "tan": formula(turned(_tanh)),
    "sinh": formula(_sinh),
    "cosh": formula(_cosh),
    "tanh": formula(_tanh),
    "sigmoid": formula(_sigmoid),
    "asin": formula(inverses.asin),
    "acos": formula(inverses.acos),
    "atan": formula(inverses.atan),
    "asinh": formula(inverses.asinh),
    "acosh": formula(inverses.acosh),
    "atanh": formula(inverses.atanh),
    **dict.fromkeys(("clone", "_to_copy", "positive"), _same),
    **dict.fromkeys(("copy", "fill"), _second),
    **dict.fromkeys(("full", "full_like"), _second),
    "new_full": lambda ctx, x, size, value, *_: _same(ctx, value),
    "scalar_tensor": _same,
    **dict.fromkeys(
        ("zero", "zeros", "zeros_like", "new_zeros", "_efficientzerotensor", "empty", "empty_like",
         "new_empty", "empty_strided", "new_empty_strided"),
        _constant(0),
    ),
    **dict.fromkeys(("ones", "ones_like", "new_ones"), _constant(1)),
    "view_as_complex": _view_as_complex,
    "view_as_real": _view_as_real,
    "complex": _complex,
    "polar": _polar,
    "eq": _eq,
    "ne": _ne,
    "logical_and": _logical("and"),
    "logical_or": _logical("or"),
    "logical_xor": _logical("xor"),
    "logical_not": _logical_not,
    "where": _where,
    "masked_fill": _masked_fill,
    **{name: _real_rule(name) for name in _BY_PARTS},
    **{name: _real_rule(name, places) for name, places in _BY_PARTS_OF_TWO.items()},
    **complex_reductions.TABLE,
}  # fmt: skip
