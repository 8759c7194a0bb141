"""The table of the JAX front end for complex arrays: primitive -> rule."""

import math
from collections.abc import Callable
from typing import Any

from compiler_core.capture.complex_numbers import arithmetic, functions, inverses, products
from compiler_core.capture.complex_numbers.arithmetic import turned
from compiler_core.capture.complex_numbers.rules import (
    ComplexRule,
    by_parts,
    formula,
    in_parts,
    packed_results,
    parts_context,
)
from compiler_core.capture.complex_numbers.value import (
    AnyOperand,
    Complex,
    ComplexContext,
    common_type,
)
from compiler_core.capture.jax import indexing, table, views
from compiler_core.capture.jax.identities import IDENTITIES
from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.interop.packed import is_complex
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def of_formula(function: Callable[..., Any]) -> ComplexRule:
    """The rule of a formula of operands with the type of the result."""
    rule = formula(function)
    return lambda ctx, p, *xs: rule(ctx, *xs)


def _real_of(function: Callable[..., Any]) -> ComplexRule:
    """The rule of a real function of complex operands."""

    def rule(ctx: ComplexContext, p: Params, *xs: AnyOperand) -> Value:
        dtype, _ = common_type(*xs)
        return function(ctx, *(ctx.as_complex(x, dtype, ctx.out.shape) for x in xs))

    return rule


def _complex(ctx: ComplexContext, p: Params, re: Operand, im: Operand) -> Complex:
    return Complex(*ctx.operands(re, im))


def _same(ctx: ComplexContext, p: Params, *xs: AnyOperand) -> list[Complex | Value]:
    listed = zip(xs, ctx.types, ctx.is_complex, strict=True)
    return [_as(ctx, x, type_, is_complex) for x, type_, is_complex in listed]


def _as(ctx: ComplexContext, x: AnyOperand, type_: Any, wanted: bool) -> Complex | Value:
    if wanted:
        return ctx.as_complex(x, type_.dtype, type_.shape)
    real = x.re if isinstance(x, Complex) else x.real if isinstance(x, complex) else x
    return ctx.fit(real, type_.dtype, type_.shape)


def _converted(ctx: ComplexContext, p: Params, x: AnyOperand) -> Any:
    """To bool, where it is not zero; to a real type, its real part."""
    if ctx.is_complex[0]:
        return ctx.complex_operands(x)[0]
    if ctx.out.dtype is BOOL and isinstance(x, Complex):
        return ctx.b.node("not", arithmetic.is_zero(ctx, x))
    return table.TABLE["convert_element_type"](ctx, p, x.re if isinstance(x, Complex) else x)


def _integer_pow(ctx: ComplexContext, p: Params, x: AnyOperand) -> Complex:
    (base,) = ctx.complex_operands(x)
    raised = arithmetic.whole_power(ctx, base, abs(p["y"]))
    return _inverse(ctx, raised) if p["y"] < 0 else raised


def _at_cuts(function: Callable[..., Complex]) -> Callable[..., Complex]:
    """XLA has no signed zeros at branch cuts."""
    return lambda ctx, z: function(ctx, functions.with_positive_zeros(ctx, z))


def _inverse(ctx: ComplexContext, z: Complex) -> Complex:
    return arithmetic.div_recovering(ctx, ctx.number(1, z), z)


def _rsqrt(ctx: ComplexContext, z: Complex) -> Complex:
    return _inverse(ctx, functions.sqrt(ctx, z))


def _logistic(ctx: ComplexContext, z: Complex) -> Complex:
    grown = functions.exp(ctx, arithmetic.neg(ctx, z))
    return _inverse(ctx, Complex(ctx.add(grown.re, 1), grown.im))


def _exp2(ctx: ComplexContext, z: Complex) -> Complex:
    return functions.exp(ctx, arithmetic.mul(ctx, z, ctx.number(math.log(2), z)))


def _pow(ctx: ComplexContext, z: Complex, exponent: Complex) -> Complex:
    """1 where the exponent is 0, and 0 of 0 where it is positive."""
    zero, one = ctx.number(0, z), ctx.number(1, z)
    positive = ctx.b.node(
        "and", ctx.compare(exponent.re, 0, "GT"), ctx.compare(exponent.im, 0, "EQ")
    )
    none = ctx.b.node("and", arithmetic.is_zero(ctx, z), positive)
    value = ctx.choose(none, zero, functions.power(ctx, z, exponent))
    return ctx.choose(arithmetic.is_zero(ctx, exponent), one, value)


def _select_n(ctx: ComplexContext, p: Params, which: Value, *cases: AnyOperand) -> Any:
    """By parts, the cases at least."""
    operands = ctx.complex_operands(*cases)
    places = range(2, 2 + len(operands))
    return by_parts(table.TABLE["select_n"], places)(ctx, p, which, *operands)


def _dot_general(ctx: ComplexContext, p: Params, x: Complex | Value, y: Complex | Value) -> Complex:
    contract, batch = p["dimension_numbers"]
    left, right = (ctx.as_complex(v, ctx.out.dtype, v.type.shape) for v in (x, y))
    return products.dot_general(ctx, left, right, batch=batch, contract=contract)


def _sort(ctx: ComplexContext, p: Params, *xs: Complex | Value) -> list[Complex | Value]:
    """Complex keys by their real parts, then by their imaginary ones."""
    keys = sum(2 if isinstance(x, Complex) else 1 for x in xs[: p["num_keys"]])
    flat = [part for x in xs for part in ((x.re, x.im) if isinstance(x, Complex) else (x,))]
    given = iter(indexing.sort(ctx, {**p, "num_keys": keys}, *flat))
    return [
        Complex(next(given), next(given)) if isinstance(x, Complex) else next(given) for x in xs
    ]


def _product(ctx: ComplexContext, p: Params, x: Complex) -> Complex:
    attrs = {"monoid": "complex_product", "dimensions": p["axes"]}
    return Complex(*ctx.b.operation("reduce", [x.re, x.im], **attrs))


def _running_product(ctx: ComplexContext, p: Params, x: Complex) -> Complex:
    attrs = {"dimension": p["axis"], "reverse": bool(p["reverse"])}
    return Complex(*ctx.b.operation("cumulative", [x.re, x.im], monoid="complex_product", **attrs))


def _real_rule(name: str, places: tuple[int, ...] = (0,)) -> ComplexRule:
    """A real array's rule; `places` are those of its arrays of values."""
    return by_parts(table.TABLE[name], [1 + place for place in places])


# Primitives that apply a real array's rule to each part.
_BY_PARTS = (*views.MOVES, "dynamic_slice", "reduce_sum", "cumsum")
# Primitives with several array operands that do so; the values are these operands' positions.
_BY_PARTS_OF_TWO = {"pad": (0, 1), "dynamic_update_slice": (0, 1), **dict.fromkeys(
    ("scatter", "scatter-add"), (0, 2))}  # fmt: skip


def _joined(name: str) -> ComplexRule:
    """Of any number of arrays of values."""
    return lambda ctx, p, *xs: by_parts(table.TABLE[name], range(1, 1 + len(xs)))(ctx, p, *xs)


def _gather(ctx: ComplexContext, p: Params, x: AnyOperand, indices: Value) -> Complex | None:
    """Out of bounds NaN, and no imaginary part, where JAX is not told what to read there."""
    if not isinstance(x, Complex):
        return None
    fill, rule = p["fill_value"], table.TABLE["gather"]
    fills = (None, 0) if fill is None else (complex(fill).real, complex(fill).imag)
    pairs = zip((x.re, x.im), fills, strict=True)
    re, im = (rule(ctx, {**p, "fill_value": v}, part, indices) for part, v in pairs)
    return Complex(re, im) if isinstance(re, Value) and isinstance(im, Value) else None


TABLE: dict[str, ComplexRule] = {
    "add": of_formula(arithmetic.add),
    "add_any": of_formula(arithmetic.add),
    "sub": of_formula(arithmetic.sub),
    "mul": of_formula(arithmetic.mul),
    "div": of_formula(arithmetic.div_recovering),
    "neg": of_formula(arithmetic.neg),
    "square": of_formula(arithmetic.square),
    "integer_pow": _integer_pow,
    "pow": of_formula(_pow),
    "sign": of_formula(arithmetic.sgn),
    "conj": of_formula(arithmetic.conj),
    "complex": _complex,
    "real": lambda ctx, p, x: x.re,
    "imag": lambda ctx, p, x: x.im,
    "abs": _real_of(arithmetic.absolute),
    "is_finite": _real_of(arithmetic.is_finite),
    "eq": _real_of(arithmetic.equal),
    "ne": _real_of(arithmetic.not_equal),
    "exp": of_formula(functions.exp),
    "exp2": of_formula(_exp2),
    "expm1": of_formula(functions.expm1),
    "log": of_formula(functions.log),
    "log1p": of_formula(functions.log1p),
    "sqrt": of_formula(_at_cuts(functions.sqrt)),
    "rsqrt": of_formula(_rsqrt),
    "logistic": of_formula(_logistic),
    "sin": of_formula(turned(functions.sinh)),
    "cos": of_formula(turned(functions.cosh, back=False)),
    "tan": of_formula(turned(functions.tanh)),
    "sinh": of_formula(functions.sinh),
    "cosh": of_formula(functions.cosh),
    "tanh": of_formula(functions.tanh),
    "asin": of_formula(_at_cuts(inverses.asin)),
    "acos": of_formula(_at_cuts(inverses.acos)),
    "atan": of_formula(inverses.atan),
    "asinh": of_formula(_at_cuts(inverses.asinh)),
    "acosh": of_formula(_at_cuts(inverses.acosh)),
    "atanh": of_formula(inverses.atanh),
    "reduce_prod": _product,
    "cumprod": _running_product,
    "select_n": _select_n,
    "convert_element_type": _converted,
    **dict.fromkeys(IDENTITIES, _same),
    "gather": _gather,
    "dot_general": _dot_general,
    "sort": _sort,
    **{name: _real_rule(name) for name in _BY_PARTS},
    **{name: _real_rule(name, places) for name, places in _BY_PARTS_OF_TWO.items()},
    **{name: _joined(name) for name in ("concatenate", "stack")},
}


def rule_of(eqn: Any) -> JaxRule | None:
    """The rule of an equation with complex operands or results, as one of packed values."""
    rule = TABLE.get(eqn.primitive.name)
    if rule is None:
        return None
    given = [is_complex(v.aval) for v in eqn.invars]
    results = [is_complex(v.aval) for v in eqn.outvars]

    def run(ctx: LoweringContext, p: Params, *operands: Any) -> list[Value] | None:
        inner = parts_context(ctx, results)
        pairs = zip(operands, given, strict=True)
        return packed_results(ctx, rule(inner, p, *(in_parts(ctx, x, c) for x, c in pairs)))

    return run
