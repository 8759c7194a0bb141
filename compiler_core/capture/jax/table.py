"""The table of the JAX front end: primitive -> rule.

A rule takes the context, the equation's parameters, and its operands: values, or numbers where the
operand is a literal.
"""

from collections.abc import Callable

from compiler_core.capture import formulas
from compiler_core.capture.formulas import extreme_with_index, power
from compiler_core.capture.jax import (
    convolutions,
    indexing,
    platforms,
    random,
    special,
    total_order,
    views,
    windows,
)
from compiler_core.capture.jax.identities import IDENTITIES
from compiler_core.capture.jax.types import dtype_of
from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand, upcast_dtype
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, I32, I64, U16, U32, U64

# -- elementwise


def elementwise(op: str) -> JaxRule:
    """The rule of a primitive that is one elementwise operation of the IR."""
    return lambda ctx, p, *xs: ctx.b.node(op, *ctx.operands(*xs))


def formula(rule: Callable[[LoweringContext, Value], Value]) -> JaxRule:
    """The rule of a primitive that is a formula of one operand, computed in at least f32."""
    return lambda ctx, p, x: ctx.downcast(rule(ctx, *ctx.upcast(x)))


def comparison(direction: str) -> JaxRule:
    """The rule of a comparison; `direction` is StableHLO's: "EQ", "NE", "LT", "LE", "GT", "GE"."""

    def rule(ctx: LoweringContext, p: Params, x: Operand, y: Operand) -> Value:
        model = next(v for v in (x, y) if isinstance(v, Value))
        left, right = (ctx.fit(v, model.type.dtype, ctx.out.shape) for v in (x, y))
        return ctx.b.compare(left, right, direction)

    return rule


def _add(ctx: LoweringContext, p: Params, x: Operand, y: Operand) -> Value:
    return ctx.b.node("or" if ctx.out.dtype is BOOL else "add", *ctx.operands(x, y))


def _mul(ctx: LoweringContext, p: Params, x: Operand, y: Operand) -> Value:
    return ctx.b.node("and" if ctx.out.dtype is BOOL else "multiply", *ctx.operands(x, y))


def _integer_pow(ctx: LoweringContext, p: Params, x: Value) -> Value:
    if not ctx.out.dtype.is_float or abs(p["y"]) <= 4:
        return ctx.downcast(_product_power(ctx, ctx.upcast(x)[0], p["y"]))
    return ctx.downcast(power(ctx, ctx.upcast(x)[0], p["y"]))


def _product_power(ctx: LoweringContext, x: Value, exponent: int) -> Value:
    """Repeated squaring."""
    result: Value | None = None
    factor, left = x, abs(exponent)
    while left:
        if left & 1:
            result = factor if result is None else ctx.mul(result, factor)
        left >>= 1
        factor = ctx.mul(factor, factor) if left else factor
    whole = ctx.like(1, x) if result is None else result
    return ctx.div(ctx.like(1, whole), whole) if exponent < 0 else whole


def _size(ctx: LoweringContext, p: Params) -> Value:
    """A size as a value."""
    return ctx.cast(p["dim"], ctx.out.dtype)


def _square(ctx: LoweringContext, p: Params, x: Value) -> Value:
    return ctx.mul(x, x)


def _round(ctx: LoweringContext, p: Params, x: Value) -> Value:
    return ctx.b.node("round_nearest_even" if int(p["rounding_method"]) else "round_nearest_afz", x)


def _select_n(ctx: LoweringContext, p: Params, which: Operand, *cases: Operand) -> Value:
    """Cases from the last: `which` picks by its value."""
    nodes = ctx.operands(*cases)
    if not isinstance(which, Value):
        return nodes[int(which)]
    if which.type.dtype is BOOL:
        return ctx.select(ctx.fit(which, BOOL, ctx.out.shape), nodes[1], nodes[0])
    result = nodes[-1]
    for number in reversed(range(len(nodes) - 1)):
        hit = ctx.compare(ctx.b.broadcast(which, ctx.out.shape), number, "EQ")
        result = ctx.select(hit, nodes[number], result)
    return result


def _clamp(ctx: LoweringContext, p: Params, low: Operand, x: Value, high: Operand) -> Value:
    low, x, high = ctx.operands(low, x, high)
    return ctx.op("minimum", ctx.op("maximum", x, low), high)


def _convert(ctx: LoweringContext, p: Params, x: Operand) -> Value:
    if isinstance(x, Value) and x.type.dtype.is_float and ctx.out.dtype.is_integer:
        return _saturated(ctx, ctx.cast(x, upcast_dtype(x.type.dtype)))
    return ctx.fit(x, ctx.out.dtype, ctx.out.shape)


def _saturated(ctx: LoweringContext, x: Value) -> Value:
    """As XLA converts to integers: to the nearest end of the type's range, and NaN to 0."""
    dtype = ctx.out.dtype
    span = 2 ** (dtype.bits - (dtype.kind == "int"))
    least, most = (-span if dtype.kind == "int" else 0), span - 1
    if dtype.bits <= x.type.dtype.bits // 2:  # the float has both ends
        number = ctx.select(ctx.is_nan(x), 0, x)
        return ctx.cast(ctx.op("minimum", ctx.op("maximum", number, least), most), dtype)
    # The next after the most is a power of two, which every floating-point type has.
    inside = ctx.b.node("and", ctx.compare(x, least, "GT"), ctx.compare(x, span, "LT"))
    whole = ctx.cast(ctx.select(inside, x, 0), dtype)
    ends = ctx.select(ctx.compare(x, 0, "GT"), most, least, like=whole)
    return ctx.select(inside, whole, ctx.select(ctx.is_nan(x), 0, ends))


def _same(ctx: LoweringContext, p: Params, *xs: Operand) -> list[Value]:
    return [ctx.fit(x, t.dtype, t.shape) for x, t in zip(xs, ctx.types, strict=True)]


def _is_finite(ctx: LoweringContext, p: Params, x: Value) -> Value:
    return ctx.b.node("is_finite", x)


def _exp2(ctx: LoweringContext, x: Value) -> Value:
    return ctx.exp(ctx.mul(x, 0.6931471805599453))


def _reduce_precision(ctx: LoweringContext, p: Params, x: Value) -> Value | None:
    """A round trip through the type that has these bits."""
    sizes = {(8, 7): "bfloat16", (5, 10): "float16", (8, 23): "float32", (11, 52): "float64"}
    name = sizes.get((p["exponent_bits"], p["mantissa_bits"]))
    return None if name is None else ctx.b.convert(ctx.b.convert(x, dtype_of(name)), x.type.dtype)


# -- reductions, scans, products


def reduction(monoid: str) -> JaxRule:
    """The rule of a reduction over `axes` with a monoid; sums and products of f16 and bf16 are
    accumulated in f32."""

    def rule(ctx: LoweringContext, p: Params, x: Value) -> Value:
        upcast = ctx.cast(x, upcast_dtype(ctx.out.dtype)) if monoid in ("add", "multiply") else x
        return ctx.downcast(ctx.b.reduce(upcast, monoid, p["axes"]))

    return rule


def _arg(monoid: str) -> JaxRule:
    def rule(ctx: LoweringContext, p: Params, x: Value) -> Value:
        index = I64 if ctx.out.dtype.bits == 64 else I32
        _, place = extreme_with_index(ctx, x, p["axes"][0], monoid, index)
        return ctx.cast(place, ctx.out.dtype)

    return rule


def scan(monoid: str) -> JaxRule:
    """The rule of a cumulative operation along `axis`, as `reduction` accumulates."""

    def rule(ctx: LoweringContext, p: Params, x: Value) -> Value:
        attrs = {"monoid": monoid, "dimension": p["axis"], "reverse": bool(p["reverse"])}
        upcast = ctx.cast(x, upcast_dtype(ctx.out.dtype)) if monoid in ("add", "multiply") else x
        return ctx.downcast(ctx.b.node("cumulative", upcast, **attrs))

    return rule


# The types of products that libraries have, for those that they do not: sums of products have the
# same lowest bits in both.
_MULTIPLIED = {BOOL: I32, U16: I32, U32: I32, U64: I64}


def _dot_general(ctx: LoweringContext, p: Params, x: Value, y: Value) -> Value:
    """In the type that is preferred, where the operands are narrower."""
    contract, batch = p["dimension_numbers"]
    dtype = _MULTIPLIED.get(ctx.out.dtype, ctx.out.dtype)
    left, right = (ctx.cast(ctx.cast(v, ctx.out.dtype), dtype) for v in (x, y))
    return ctx.downcast(ctx.b.dot_general(left, right, batch=batch, contract=contract))


def _reduce(ctx: LoweringContext, p: Params, x: Value, *rest: Operand) -> Value | None:
    """One operand, by a function that is a monoid's, from a start on."""
    if len(rest) != 1:
        return None
    (start,), function = rest, p["jaxpr"]
    monoid = windows.monoid_of(getattr(function, "jaxpr", function), x.type.dtype)
    if monoid is None:
        return None
    total = ctx.b.reduce(x, monoid, p["dimensions"])
    return ctx.b.node(monoid, total, ctx.fit(start, x.type.dtype, total.type.shape))


TABLE: dict[str, JaxRule] = {
    "add": _add,
    "add_any": _add,
    "sub": elementwise("subtract"),
    "mul": _mul,
    "div": elementwise("divide"),
    "rem": elementwise("remainder"),
    "dim_as_value": _size,
    "max": elementwise("maximum"),
    "min": elementwise("minimum"),
    "pow": lambda ctx, p, x, y: ctx.b.node("power", *ctx.operands(x, y)),
    "integer_pow": _integer_pow,
    "square": _square,
    "atan2": elementwise("atan2"),
    "and": elementwise("and"),
    "or": elementwise("or"),
    "xor": elementwise("xor"),
    "not": elementwise("not"),
    "shift_left": elementwise("shift_left"),
    "shift_right_arithmetic": elementwise("shift_right_arithmetic"),
    "shift_right_logical": elementwise("shift_right_logical"),
    "neg": elementwise("negate"),
    "abs": elementwise("abs"),
    "sign": elementwise("sign"),
    "floor": elementwise("floor"),
    "ceil": elementwise("ceil"),
    "round": _round,
    "exp": elementwise("exponential"),
    "exp2": formula(_exp2),
    "expm1": elementwise("exponential_minus_one"),
    "log": elementwise("log"),
    "log1p": elementwise("log_plus_one"),
    "sqrt": elementwise("sqrt"),
    "rsqrt": elementwise("rsqrt"),
    "cbrt": elementwise("cbrt"),
    "logistic": elementwise("logistic"),
    "tanh": elementwise("tanh"),
    "sin": elementwise("sine"),
    "cos": elementwise("cosine"),
    "tan": elementwise("tan"),
    "asin": formula(formulas.asin),
    "acos": formula(formulas.acos),
    "atan": formula(formulas.atan),
    "sinh": formula(formulas.sinh),
    "cosh": formula(formulas.cosh),
    "asinh": formula(formulas.asinh),
    "acosh": formula(formulas.acosh),
    "atanh": formula(formulas.atanh),
    "erf": elementwise("erf"),
    "erfc": elementwise("erfc"),
    "erf_inv": elementwise("erf_inv"),
    "is_finite": _is_finite,
    "eq": comparison("EQ"),
    "ne": comparison("NE"),
    "lt": comparison("LT"),
    "le": comparison("LE"),
    "gt": comparison("GT"),
    "ge": comparison("GE"),
    "select_n": _select_n,
    "clamp": _clamp,
    "convert_element_type": _convert,
    "reduce_precision": _reduce_precision,
    **dict.fromkeys(IDENTITIES, _same),
    **views.TABLE,
    **indexing.TABLE,
    **random.TABLE,
    **special.TABLE,
    **platforms.TABLE,
    **total_order.TABLE,
    "reduce_sum": reduction("add"),
    "reduce_prod": reduction("multiply"),
    "reduce_max": reduction("maximum"),
    "reduce_min": reduction("minimum"),
    "reduce_and": reduction("and"),
    "reduce_or": reduction("or"),
    # Over an axis that jax.vmap has made one of the array's own.
    "psum": reduction("add"),
    "pmax": reduction("maximum"),
    "pmin": reduction("minimum"),
    "argmax": _arg("argmax"),
    "argmin": _arg("argmin"),
    "cumsum": scan("add"),
    "cumprod": scan("multiply"),
    "cummax": scan("maximum"),
    "cummin": scan("minimum"),
    "reduce": _reduce,
    "dot_general": _dot_general,
    **convolutions.TABLE,
    **windows.TABLE,
}
