"""What every operation means, in numpy: the oracle that everything else is held against.

A floating-point operation is computed in float64 and rounded once to its own type, so an f32
result is the nearest float but for double rounding. What StableHLO leaves to the implementation
is as XLA has it: an integer divided by zero is -1 (all bits set), its remainder the dividend.
A conversion of a float to an integer that cannot hold it is undefined here as it is in C.
"""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from scipy import special

from compiler_core.ir.evaluate import einsum_text, identity, walk
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.types import BOOL, DType

Array = np.ndarray[Any, Any]
Rule = Callable[..., Array]

DTYPES: dict[str, Any] = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
    "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8, "bool": np.bool_,
}  # fmt: skip


def evaluate(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The outputs' values. Raises VerifyError for a wrong number of inputs."""
    with np.errstate(all="ignore"):
        return walk(graph, [np.asarray(x) for x in inputs], apply)


def apply(operation: Operation, *operands: Array) -> Sequence[Array]:
    """The values of one operation's results."""
    if operation.op in SEVERAL:
        return SEVERAL[operation.op](operation, *operands)
    value = operation.result
    return (np.asarray(TABLE[operation.op](value, *operands), _dtype(value)),)


def _dtype(node: Value) -> Any:
    return DTYPES[node.type.dtype.name]


def _wide(x: Array, dtype: DType) -> Array:
    return x.astype(np.float64) if dtype.is_float else x


# -- elementwise


def _real(function: Callable[..., Any]) -> Rule:
    """Computed in float64, rounded by `apply`."""
    return lambda _, *xs: function(*(x.astype(np.float64) for x in xs))


def _number(of_floats: Callable[..., Any], of_others: Callable[..., Any]) -> Rule:
    def rule(node: Value, *xs: Array) -> Array:
        dtype = node.operands[0].type.dtype
        function = of_floats if dtype.is_float else of_others
        return function(*(_wide(x, dtype) for x in xs))

    return rule


def _arithmetic(function: Callable[..., Any], of_bools: Callable[..., Any]) -> Rule:
    rule = _number(function, function)
    return lambda n, *xs: of_bools(*xs) if n.type.dtype is BOOL else rule(n, *xs)


def _same(x: Array) -> Array:
    return x


def _sign(x: Array) -> Array:
    return x if x.dtype == np.bool_ else np.where(x == 0, x, np.sign(x))


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0.0), x)


def _quotient(x: Array, y: Array) -> Array:
    """Towards zero; x / 0 has all bits set."""
    floor = np.floor_divide(x, y)
    inexact = (x - floor * y != 0) & ((x < 0) != (y < 0))
    return np.where(y == 0, ~np.zeros_like(x), floor + inexact.astype(x.dtype))


def _remainder(x: Array, y: Array) -> Array:
    return np.where(y == 0, x, np.fmod(x, y))


def _integer_power(x: Array, n: Array) -> Array:
    """By squaring, wrapping; a negative power of anything but 1 and -1 is 0."""
    odd, result, base, rest = (n & 1) != 0, np.ones_like(x), x, n.copy()
    for _ in range(n.dtype.itemsize * 8):
        result = np.where((rest & 1) != 0, result * base, result)
        base, rest = base * base, rest >> np.ones_like(rest)
    inverse = np.where(x == 1, x, np.where((x + 1 == 0), np.where(odd, x, -x), 0))
    return np.where(n < 0, inverse, result).astype(x.dtype)


def _logical_shift(x: Array, amount: Array) -> Array:
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return (x.view(unsigned) >> amount.view(unsigned)).view(x.dtype)


def _convert(node: Value, x: Array) -> Array:
    return x != 0 if node.type.dtype is BOOL else x.astype(_dtype(node))


def _select(node: Value, p: Array, x: Array, y: Array) -> Array:
    return np.where(p, x, y)


COMPARISONS: dict[str, Callable[..., Any]] = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal,
    "GT": np.greater, "GE": np.greater_equal,
}  # fmt: skip


# -- views


def _broadcast(node: Value, x: Array) -> Array:
    sizes = [1] * node.type.rank
    for size, dimension in zip(x.shape, node["dimensions"], strict=True):
        sizes[dimension] = size
    return np.broadcast_to(x.reshape(sizes), node.type.shape)


def _slice(node: Value, x: Array) -> Array:
    ranges = zip(node["start"], node["limit"], node["strides"], strict=True)
    return x[tuple(slice(*r) for r in ranges)]


def _pad(node: Value, x: Array, value: Array) -> Array:
    spread = [s + max(0, s - 1) * i for s, i in zip(x.shape, node["interior"], strict=True)]
    dilated = np.full(spread, value, x.dtype)
    dilated[tuple(slice(None, None, i + 1) for i in node["interior"])] = x
    edges = list(zip(node["low"], node["high"], spread, strict=True))
    # Negative padding removes elements.
    cut = dilated[tuple(slice(max(0, -low), size + min(0, high)) for low, high, size in edges)]
    widths = [(max(0, low), max(0, high)) for low, high, _ in edges]
    return np.pad(cut, widths, constant_values=value)


def _iota(node: Value) -> Array:
    sizes = [1] * node.type.rank
    sizes[node["dimension"]] = -1
    index = np.arange(node.type.shape[node["dimension"]]).reshape(sizes)
    return np.broadcast_to(index, node.type.shape)


# -- reductions, scans, contractions


_FOLDS: dict[str, Any] = {
    "add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "and": np.bitwise_and, "or": np.bitwise_or,
}  # fmt: skip


def _reduce(node: Value, x: Array) -> Array:
    dtype, dimensions = node.type.dtype, tuple(node["dimensions"])
    wide = _wide(x, dtype)
    start = np.asarray(identity(node["monoid"], dtype)).astype(wide.dtype)
    fold = _FOLDS[node["monoid"]]
    return fold.reduce(wide, axis=dimensions, dtype=wide.dtype, initial=start)


def _cumulative(node: Value, x: Array) -> Array:
    wide, axis = _wide(x, node.type.dtype), node["dimension"]
    turned = np.flip(wide, axis) if node["reverse"] else wide
    result = _FOLDS[node["monoid"]].accumulate(turned, axis, dtype=wide.dtype)
    return np.flip(result, axis) if node["reverse"] else result


def _dot(node: Value, x: Array, y: Array) -> Array:
    dtype = node.type.dtype
    if dtype is BOOL:
        return np.einsum(einsum_text(node), x.astype(np.int64), y.astype(np.int64)) != 0
    return np.einsum(einsum_text(node), _wide(x, dtype), _wide(y, dtype), optimize=True)


# -- the framework's own kernels


def _library_call(operation: Operation, *operands: Array) -> list[Array]:
    """The framework runs its kernel."""
    callee = operation["callee"]
    here, back = _BORDERS[callee.framework]
    return [back(x) for x in callee.results(*map(here, operands))]


def to_torch(x: Array) -> Any:
    """The array as a torch tensor, copied; torch reads no bfloat16 of numpy's."""
    import torch

    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(x))


def from_torch(x: Any) -> Array:
    """A torch tensor as an array."""
    import torch

    if x.dtype is torch.bfloat16:
        bits: Array = x.detach().contiguous().view(torch.int16).numpy()
        return bits.view(ml_dtypes.bfloat16)
    return np.asarray(x.detach())


def _to_jax(x: Array) -> Any:
    import jax

    return jax.numpy.asarray(x)


_BORDERS: dict[str, tuple[Callable[[Array], Any], Callable[[Any], Array]]] = {
    "torch": (to_torch, from_torch),
    "jax": (_to_jax, np.asarray),
}


TABLE: dict[str, Rule] = {
    "constant": lambda n: np.full(n.type.shape, n["value"], _dtype(n)),
    "iota": _iota,
    # -- unary
    "abs": _number(np.abs, np.abs),
    "negate": _number(np.negative, np.negative),
    "not": lambda _, x: np.invert(x),
    "sign": _number(_sign, _sign),
    "floor": _number(np.floor, _same),
    "ceil": _number(np.ceil, _same),
    "is_finite": _number(np.isfinite, lambda x: np.ones(x.shape, np.bool_)),
    "convert": _convert,
    "round_nearest_even": _number(np.rint, _same),
    "round_nearest_afz": _number(_round_away, _same),
    "sqrt": _real(np.sqrt),
    "rsqrt": _real(lambda x: 1 / np.sqrt(x)),
    "cbrt": _real(np.cbrt),
    "exponential": _real(np.exp),
    "exponential_minus_one": _real(np.expm1),
    "log": _real(np.log),
    "log_plus_one": _real(np.log1p),
    "logistic": _real(special.expit),
    "tanh": _real(np.tanh),
    "sine": _real(np.sin),
    "cosine": _real(np.cos),
    "tan": _real(np.tan),
    "erf": _real(special.erf),
    "erfc": _real(special.erfc),
    "erf_inv": _real(special.erfinv),
    # -- binary and ternary
    "add": _arithmetic(np.add, np.bitwise_or),
    "subtract": _arithmetic(np.subtract, np.bitwise_xor),
    "multiply": _arithmetic(np.multiply, np.bitwise_and),
    "maximum": _number(np.maximum, np.maximum),
    "minimum": _number(np.minimum, np.minimum),
    "and": lambda _, x, y: x & y,
    "or": lambda _, x, y: x | y,
    "xor": lambda _, x, y: x ^ y,
    "shift_left": lambda _, x, y: x << y,
    "shift_right_arithmetic": lambda _, x, y: x >> y,
    "shift_right_logical": lambda _, x, y: _logical_shift(x, y),
    "divide": _number(np.divide, _quotient),
    "remainder": _number(np.fmod, _remainder),
    "power": _number(np.power, _integer_power),
    "atan2": _real(np.arctan2),
    "compare": lambda n, x, y: COMPARISONS[n["direction"]](x, y),
    "select": _select,
    "clamp": lambda _, low, x, high: np.minimum(np.maximum(x, low), high),
    # -- views
    "broadcast_in_dim": _broadcast,
    "reshape": lambda n, x: x.reshape(n.type.shape),
    "transpose": lambda n, x: x.transpose(n["permutation"]),
    "slice": _slice,
    "reverse": lambda n, x: np.flip(x, tuple(n["dimensions"])),
    "concatenate": lambda n, *xs: np.concatenate(xs, n["dimension"]),
    "pad": _pad,
    # -- the rest
    "reduce": _reduce,
    "cumulative": _cumulative,
    "dot_general": _dot,
}

# The operations with any number of results, or with regions.
SEVERAL: dict[str, Callable[..., Sequence[Array]]] = {"library_call": _library_call}
