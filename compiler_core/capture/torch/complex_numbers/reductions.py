"""ATen's reductions and products of complex tensors."""

from typing import Any

from compiler_core.capture.complex_numbers import arithmetic
from compiler_core.capture.complex_numbers.products import Dims, dot_general
from compiler_core.capture.complex_numbers.rules import ComplexRule
from compiler_core.capture.complex_numbers.value import AnyOperand, Complex, ComplexContext
from compiler_core.capture.lowering_context import Number
from compiler_core.capture.torch import reductions
from compiler_core.capture.torch.reductions import dims_of, variance
from compiler_core.ir.graph import Value


def _variance(root: bool, with_mean: bool) -> ComplexRule:
    """The sum of the variances of both parts: the mean of |z - mean|^2."""

    def rule(
        ctx: ComplexContext, x: Complex, dims: Any = None, correction: Any = 1, *_: Any
    ) -> Any:
        correction = 1 if correction is None else float(correction)
        (re, mean), (im, turned) = (
            variance(ctx, part, dims_of(part, dims), correction) for part in (x.re, x.im)
        )
        both = ctx.b.reshape(ctx.add(re, im), ctx.out.shape)
        value = ctx.b.node("sqrt", both) if root else both
        if not with_mean:
            return value
        return value, Complex(mean, turned).each(lambda m: ctx.b.reshape(m, ctx.types[1].shape))

    return rule


def _norm(ctx: ComplexContext, x: Complex, *args: Any) -> Value:
    """That of the absolute values."""
    value: Value = reductions.TABLE["linalg_vector_norm"](ctx, arithmetic.absolute(ctx, x), *args)
    return value


def _parts(ctx: ComplexContext, x: Complex | Value) -> list[Value]:
    """The parts, in the type of the result; `x` may be real."""
    both = ctx.as_complex(x, ctx.out.dtype, x.type.shape)
    return [both.re, both.im]


def _product(ctx: ComplexContext, x: Complex | Value, dims: Any = None, *_: Any) -> Complex:
    re, im = _parts(ctx, x)
    dimensions = dims_of(re, dims)
    found = ctx.b.operation("reduce", [re, im], monoid="complex_product", dimensions=dimensions)
    return Complex(*(ctx.b.reshape(part, ctx.out.shape) for part in found))


def _running_product(ctx: ComplexContext, x: Complex | Value, dim: int, *_: Any) -> Complex:
    parts = _parts(ctx, x)
    if not x.type.rank:
        return Complex(*parts)
    dim %= x.type.rank
    return Complex(
        *ctx.b.operation(
            "cumulative", parts, monoid="complex_product", dimension=dim, reverse=False
        )
    )


def _truth(monoid: str) -> ComplexRule:
    def rule(ctx: ComplexContext, x: Complex, *args: Any) -> Value:
        true = ctx.b.node("not", arithmetic.is_zero(ctx, x))
        value: Value = reductions.TABLE[monoid](ctx, true, *args)
        return value

    return rule


# -- products


def _dot(contract: Dims, batch: Dims = ((), ()), *, conjugated: bool = False) -> ComplexRule:
    """The rule of a product of two complex tensors; `conjugated`: of the first one's conjugate."""

    def rule(ctx: ComplexContext, x: Complex, y: Complex, *_: Any) -> Complex:
        left = arithmetic.conj(ctx, x) if conjugated else x
        return dot_general(ctx, left, y, contract=contract, batch=batch)

    return rule


def _plus(product: ComplexRule) -> ComplexRule:
    """beta * bias + alpha * product."""

    def rule(
        ctx: ComplexContext, bias: AnyOperand, x: Complex, y: Complex,
        beta: Number | complex = 1, alpha: Number | complex = 1,
    ) -> Complex:  # fmt: skip
        result: Complex = product(ctx, x, y)
        if alpha != 1:
            result = arithmetic.mul(ctx, result, ctx.number(alpha, result))
        if beta == 0:
            return result
        (spread,) = ctx.complex_operands(bias)
        if beta != 1:
            spread = arithmetic.mul(ctx, spread, ctx.number(beta, spread))
        return arithmetic.add(ctx, result, spread)

    return rule


_MM = _dot(((1,), (0,)))
_BMM = _dot(((2,), (1,)), ((0,), (0,)))

TABLE: dict[str, ComplexRule] = {
    "var.correction": _variance(root=False, with_mean=False),
    "std.correction": _variance(root=True, with_mean=False),
    "var_mean.correction": _variance(root=False, with_mean=True),
    "std_mean.correction": _variance(root=True, with_mean=True),
    "linalg_vector_norm": _norm,
    "prod": lambda ctx, x, *_: _product(ctx, x),
    "prod.dim_int": _product,
    "cumprod": _running_product,
    "any": _truth("any"),
    "all": _truth("all"),
    "mm": _MM,
    "bmm": _BMM,
    "mv": _MM,
    "dot": _dot(((0,), (0,))),
    "vdot": _dot(((0,), (0,)), conjugated=True),
    "addmm": _plus(_MM),
    "addmv": _plus(_MM),
    "baddbmm": _plus(_BMM),
    "addbmm": _plus(_dot(((0, 2), (0, 1)))),
}
