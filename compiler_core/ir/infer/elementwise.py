"""Types of elementwise operations: with few exceptions the type of the operands."""

from compiler_core.ir.infer.rule import Attrs, Rule, Types, check, same
from compiler_core.ir.ops import COMPARE_DIRECTIONS, ELEMENTWISE
from compiler_core.ir.types import BOOL, DTYPES, TensorType


def _compare(operands: Types, attrs: Attrs) -> TensorType:
    check(attrs["direction"] in COMPARE_DIRECTIONS, lambda: f"direction {attrs['direction']}")
    return same(operands, attrs).with_dtype(BOOL)


def _bits(operands: Types, attrs: Attrs) -> TensorType:
    """Of whole numbers and bools, whose bits these operations take."""
    check(not operands[0].dtype.is_float, lambda: f"bits of {operands[0]}, which has floats")
    return same(operands, attrs)


def _is_finite(operands: Types, attrs: Attrs) -> TensorType:
    return operands[0].with_dtype(BOOL)


def _select(operands: Types, attrs: Attrs) -> TensorType:
    predicate, on_true, on_false = operands
    check(predicate.dtype is BOOL, lambda: f"select's predicate is {predicate}, not bool")
    check(
        predicate.shape == on_true.shape,
        lambda: f"select's predicate is {predicate}, its values {on_true}",
    )
    return same((on_true, on_false), attrs)


def _convert(operands: Types, attrs: Attrs) -> TensorType:
    return operands[0].with_dtype(DTYPES[str(attrs["dtype"])])


def _bitcast_convert(operands: Types, attrs: Attrs) -> TensorType:
    (x,), dtype = operands, DTYPES[str(attrs["dtype"])]
    check(
        x.dtype.bits == dtype.bits and BOOL not in (x.dtype, dtype),
        lambda: f"bitcast_convert of {x} to {dtype}, which has another width",
    )
    return x.with_dtype(dtype)


RULES: dict[str, Rule] = {
    **dict.fromkeys(ELEMENTWISE, same),
    **dict.fromkeys(("not", "and", "or", "xor"), _bits),
    **dict.fromkeys(("shift_left", "shift_right_arithmetic", "shift_right_logical"), _bits),
    "compare": _compare,
    "select": _select,
    "is_finite": _is_finite,
    "convert": _convert,
    "bitcast_convert": _bitcast_convert,
}
