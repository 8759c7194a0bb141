"""What every operation means in jax.lax: what XLA is given for a program of torch's."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax

from compiler_core.errors import Unsupported
from compiler_core.ir.eval_numpy import DTYPES
from compiler_core.ir.evaluate import foreign_call, identity, walk
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.types import BF16, BOOL, F16, F32, DType

Array = Any
Rule = Callable[..., Array]


def refusal(graph: Graph) -> str | None:
    """Why XLA cannot run the graph; None where it can."""
    return foreign_call(graph, "jax", "XLA")


def wide(graph: Graph) -> bool:
    """Whether the graph has 64-bit types, which JAX has only under `jax.enable_x64(True)`."""
    types = (t for operation in graph.walk() for t in operation.types)
    return any(t.dtype.bits == 64 for t in (*types, *(x.type for x in graph.inputs)))


def function(graph: Graph) -> Callable[..., list[Array]]:
    """A function of the flat inputs, for jax.jit; to be traced under `jax.enable_x64` where the
    graph is `wide`. `refusal` must have said None."""

    def run(*inputs: Array) -> list[Array]:
        return walk(graph, inputs, apply)

    run.__name__ = graph.name if graph.name.isidentifier() else "program"
    return run


def evaluate(graph: Graph, inputs: Sequence[Any]) -> list[Array]:
    """The outputs' values, compiled by XLA as one program."""
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(x) for x in inputs]
        return jax.jit(function(graph))(*arrays)


def apply(operation: Operation, *operands: Array) -> Sequence[Array]:
    """The values of one operation's results."""
    if operation.op in SEVERAL:
        return SEVERAL[operation.op](operation, *operands)
    return (TABLE[operation.op](operation.result, *operands),)


def _dtype(node: Value) -> Any:
    return DTYPES[node.type.dtype.name]


# -- elementwise


def _plain(function: Callable[..., Any]) -> Rule:
    return lambda _, *xs: function(*xs)


def _whole(function: Callable[..., Any]) -> Rule:
    """Rounding: nothing to do for an integer."""
    return lambda n, x: function(x) if n.type.dtype.is_float else x


def _arithmetic(function: Callable[..., Any], of_bools: Callable[..., Any]) -> Rule:
    return lambda n, x, y: (of_bools if n.type.dtype is BOOL else function)(x, y)


def _positive(function: Callable[..., Any]) -> Rule:
    """Nothing to do for values that are never negative."""
    return lambda n, x: x if n.type.dtype.kind in ("bool", "uint") else function(x)


def _sign(n: Value, x: Array) -> Array:
    return x if n.type.dtype is BOOL else lax.sign(x)


def _is_finite(n: Value, x: Array) -> Array:
    if n.operands[0].type.dtype.is_float:
        return lax.is_finite(x)
    return lax.full(n.type.shape, True)


def _power(n: Value, x: Array, y: Array) -> Array:
    return lax.pow(x, y) if n.type.dtype.is_float else _integer_power(x, y, n.type.dtype)


def _integer_power(x: Array, n: Array, dtype: DType) -> Array:
    """By squaring, wrapping; a negative power of anything but 1 and -1 is 0."""
    one = lax.full_like(x, 1)

    def step(_: int, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        result, base, rest = state
        odd = (rest & one) != 0
        return lax.select(odd, result * base, result), base * base, rest >> one

    result, _, _ = lax.fori_loop(0, dtype.bits, step, (one, x, n))
    if dtype.kind == "uint":
        return result
    of_minus_one = lax.select((n & one) != 0, x, one)
    zero = lax.full_like(x, 0)
    inverse = lax.select(x == one, x, lax.select(x == -one, of_minus_one, zero))
    return lax.select(n < zero, inverse, result)


COMPARISONS: dict[str, Callable[..., Any]] = {
    "EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le, "GT": lax.gt, "GE": lax.ge,
}  # fmt: skip


# -- reductions, scans, contractions

_MONOIDS: dict[str, Callable[..., Any]] = {
    "add": lax.add, "multiply": lax.mul, "maximum": lax.max, "minimum": lax.min,
    "and": lax.bitwise_and, "or": lax.bitwise_or,
}  # fmt: skip
_OF_BOOLS = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}
_SCANS: dict[str, Callable[..., Any]] = {
    "add": lax.cumsum, "multiply": lax.cumprod, "maximum": lax.cummax, "minimum": lax.cummin,
}  # fmt: skip


def _monoid(n: Value) -> str:
    name: str = n["monoid"]
    return _OF_BOOLS.get(name, name) if n.type.dtype is BOOL else name


def _in_f32(rule: Rule) -> Rule:
    """Half-precision sums are accumulated in f32 and rounded once, as jax.numpy does."""

    def wrapped(n: Value, x: Array) -> Array:
        if n.type.dtype not in (F16, BF16):
            return rule(n, x)
        result = rule(n, lax.convert_element_type(x, DTYPES[F32.name]))
        return lax.convert_element_type(result, _dtype(n))

    return wrapped


def _reduce(n: Value, x: Array) -> Array:
    start = jax.numpy.asarray(identity(_monoid(n), n.type.dtype)).astype(x.dtype)
    return lax.reduce(x, start, _MONOIDS[_monoid(n)], tuple(n["dimensions"]))


def _cumulative(n: Value, x: Array) -> Array:
    scan, axis = _SCANS.get(_monoid(n)), n["dimension"]
    if scan is not None:
        return scan(x, axis, n["reverse"])
    return lax.associative_scan(_MONOIDS[_monoid(n)], x, n["reverse"], axis)


def _dot(n: Value, x: Array, y: Array) -> Array:
    contract = (tuple(n["lhs_contract"]), tuple(n["rhs_contract"]))
    batch = (tuple(n["lhs_batch"]), tuple(n["rhs_batch"]))
    if n.type.dtype is BOOL:
        counted = (lax.convert_element_type(v, "int32") for v in (x, y))
        return lax.dot_general(*counted, (contract, batch)) != 0
    return lax.dot_general(x, y, (contract, batch), preferred_element_type=_dtype(n))


def _library_call(operation: Operation, *operands: Array) -> Sequence[Array]:
    callee = operation["callee"]
    if callee.framework != "jax":
        raise Unsupported(f"XLA cannot run {callee.framework}'s {callee} here")
    results: tuple[Array, ...] = callee.results(*operands)
    return results


TABLE: dict[str, Rule] = {
    "constant": lambda n: lax.full(n.type.shape, n["value"], _dtype(n)),
    "iota": lambda n: lax.broadcasted_iota(_dtype(n), n.type.shape, n["dimension"]),
    # -- unary
    "abs": _positive(lax.abs),
    "negate": _plain(lax.neg),
    "not": _plain(lax.bitwise_not),
    "sign": _sign,
    "floor": _whole(lax.floor),
    "ceil": _whole(lax.ceil),
    "is_finite": _is_finite,
    "convert": lambda n, x: lax.convert_element_type(x, _dtype(n)),
    "round_nearest_even": _whole(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)),
    "round_nearest_afz": _whole(lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)),
    "sqrt": _plain(lax.sqrt),
    "rsqrt": _plain(lax.rsqrt),
    "cbrt": _plain(lax.cbrt),
    "exponential": _plain(lax.exp),
    "exponential_minus_one": _plain(lax.expm1),
    "log": _plain(lax.log),
    "log_plus_one": _plain(lax.log1p),
    "logistic": _plain(lax.logistic),
    "tanh": _plain(lax.tanh),
    "sine": _plain(lax.sin),
    "cosine": _plain(lax.cos),
    "tan": _plain(lax.tan),
    "erf": _plain(lax.erf),
    "erfc": _plain(lax.erfc),
    "erf_inv": _plain(lax.erf_inv),
    # -- binary and ternary
    "add": _arithmetic(lax.add, lax.bitwise_or),
    "subtract": _arithmetic(lax.sub, lax.bitwise_xor),
    "multiply": _arithmetic(lax.mul, lax.bitwise_and),
    "maximum": _arithmetic(lax.max, lax.bitwise_or),
    "minimum": _arithmetic(lax.min, lax.bitwise_and),
    "and": _plain(lax.bitwise_and),
    "or": _plain(lax.bitwise_or),
    "xor": _plain(lax.bitwise_xor),
    "shift_left": _plain(lax.shift_left),
    "shift_right_arithmetic": _plain(lax.shift_right_arithmetic),
    "shift_right_logical": _plain(lax.shift_right_logical),
    "divide": _plain(lax.div),
    "remainder": _plain(lax.rem),
    "power": _power,
    "atan2": _plain(lax.atan2),
    "compare": lambda n, x, y: COMPARISONS[n["direction"]](x, y),
    "select": _plain(lax.select),
    "clamp": _plain(lax.clamp),
    # -- views
    "broadcast_in_dim": lambda n, x: lax.broadcast_in_dim(x, n.type.shape, n["dimensions"]),
    "reshape": lambda n, x: lax.reshape(x, n.type.shape),
    "transpose": lambda n, x: lax.transpose(x, n["permutation"]),
    "slice": lambda n, x: lax.slice(x, n["start"], n["limit"], n["strides"]),
    "reverse": lambda n, x: lax.rev(x, n["dimensions"]),
    "concatenate": lambda n, *xs: lax.concatenate(xs, n["dimension"]),
    "pad": lambda n, x, v: lax.pad(
        x, v, list(zip(n["low"], n["high"], n["interior"], strict=True))
    ),
    # -- the rest
    "reduce": _in_f32(_reduce),
    "cumulative": _in_f32(_cumulative),
    "dot_general": _dot,
}

# The operations with any number of results, or with regions.
SEVERAL: dict[str, Callable[..., Sequence[Array]]] = {"library_call": _library_call}
