"""What a sum was made of: the sum of the magnitudes of its terms.

Where terms cancel, their rounding remains: the error of a sum is relative to the magnitudes of its
terms, and the quotient of these and the sum is its condition number (Higham, "Accuracy and
Stability of Numerical Algorithms", 2002, section 4.2).
"""

from collections.abc import Callable, Collection

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import OPS


def terms_of(value: Value, reads: Collection[Value] = ()) -> Value | None:
    """For each element of `value`, the sum of the magnitudes of the terms that it is the sum of;
    None where it is no sum, or moves what another launch has summed: one of `reads`, the values
    that it is computed from."""
    moved, total = list[Value](), value
    while total not in reads and OPS[total.op].free_view and len(total.operands) == 1:
        moved.append(total)
        (total,) = total.operands
    b = Builder(value.id + 1)
    sums = total.op in _SUMS and total not in reads
    found = _SUMS[total.op](b, total) if sums else None
    for view in reversed(moved if found is not None else ()):
        assert found is not None
        found = b.copy(view.operation, (found,)).result
    return found


def _of_sum(b: Builder, total: Value) -> Value | None:
    (operand, *_) = total.operands
    if total["monoid"] != "add" or not operand.type.dtype.is_float:
        return None
    return b.reduce(b.node("abs", operand), "add", total["dimensions"])


def _of_product(b: Builder, total: Value) -> Value | None:
    if not total.type.dtype.is_float:
        return None
    return b.copy(total.operation, [b.node("abs", x) for x in total.operands]).result


# By operation, what is a sum of terms.
_SUMS: dict[str, Callable[[Builder, Value], Value | None]] = {
    "reduce": _of_sum,
    "dot_general": _of_product,
}
