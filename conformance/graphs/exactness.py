"""Which values are exact: the same in every order of computation and in float64. Only by such may a
later step jump (round, compare, index), or any rounding would decide what comes out.

A value is exact that consists of multiples of a power of 1/2, so few of them that the type has them
all: a sum of such is exact in any order as long as the sum of their magnitudes fits, too.
"""

from collections.abc import Sequence

import numpy as np

from compiler_core.ir.graph import Operation
from compiler_core.ir.types import DType

Array = np.ndarray

_DIGITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}
_FINEST = 12
_SUMS = frozenset({"add", "subtract"})
_PRODUCTS = frozenset({"multiply", "dot_general", "convolution"})
# Each element of the result is one of an operand, or a whole number or a truth about it.
_MOVES = frozenset({
    "broadcast_in_dim", "reshape", "transpose", "slice", "reverse", "concatenate", "pad", "gather",
    "dynamic_slice", "dynamic_update_slice", "select", "clamp", "maximum", "minimum", "abs",
    "negate", "sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "remainder",
    "sort", "top_k", "constant", "iota",
})  # fmt: skip
_OF_MONOID = {"add": _SUMS, "multiply": frozenset(), "welford": frozenset(),
              "complex_product": frozenset(), "online_softmax": frozenset()}  # fmt: skip
# A small change of an operand may change the result much.
_JUMPS = frozenset(
    {"sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "remainder"}
)


def jumps(operation: Operation) -> bool:
    """Whether the operands must be exact."""
    is_discrete = any(not t.dtype.is_float for t in operation.types)
    moved = operation.op == "sort" and len(operation.types) > 1
    return operation.op in _JUMPS or is_discrete or moved


def is_exact(operation: Operation, dtype: DType, operands: Sequence[Array], result: Array) -> bool:
    """Whether a result of exact operands is exact."""
    if not dtype.is_float:
        return True
    if operation.op == "convert":
        return bool(np.array_equal(_wide(operands[0]), _wide(result), equal_nan=True))
    kind = _kind(operation)
    if kind == "moves":
        return True
    if kind == "rounds" or not all(np.isfinite(_wide(x)).all() for x in operands):
        return False
    found = [fineness(x) for x in operands]
    if None in found:
        return False
    fine = [q for q in found if q is not None]
    largest = [float(np.abs(_wide(x)).max(initial=0.0)) for x in operands]
    many = 2 if result.shape == operands[0].shape and len(operands) == 2 else _elements(operands)
    if kind == "products":
        return many * float(np.prod(largest)) * 2.0 ** sum(fine) <= 2.0 ** _DIGITS[dtype.name]
    return many * max(largest) * 2.0 ** max(fine) <= 2.0 ** _DIGITS[dtype.name]


def _kind(operation: Operation) -> str:
    op = operation.op
    monoid = dict(operation.attrs).get("monoid") or dict(operation.attrs).get("combine")
    if op in _SUMS or monoid == "add":
        return "sums"
    if op in _PRODUCTS:
        return "products"
    return (
        "moves" if op in _MOVES or (monoid is not None and monoid not in _OF_MONOID) else "rounds"
    )


def _elements(operands: Sequence[Array]) -> int:
    return max((x.size for x in operands), default=1) + 1


def _wide(x: Array) -> Array:
    return np.asarray(x, np.float64)


def fineness(x: Array) -> int | None:
    """The least q such that all elements are multiples of 2^-q; None where there is none that is
    small."""
    wide = _wide(x)
    with np.errstate(invalid="ignore"):
        for q in range(_FINEST):
            if np.array_equal(wide * 2.0**q, np.round(wide * 2.0**q), equal_nan=True):
                return q
    return None
