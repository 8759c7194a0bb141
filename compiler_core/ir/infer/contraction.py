"""Types of contractions."""

from compiler_core.ir.infer.rule import Attrs, Rule, Types, check
from compiler_core.ir.types import TensorType


def _dot(operands: Types, attrs: Attrs) -> TensorType:
    lhs, rhs = operands
    lb, rb = tuple(attrs["lhs_batch"]), tuple(attrs["rhs_batch"])
    lc, rc = tuple(attrs["lhs_contract"]), tuple(attrs["rhs_contract"])
    check(
        [lhs.shape[i] for i in lb + lc] == [rhs.shape[i] for i in rb + rc]
        and lhs.dtype is rhs.dtype,
        lambda: f"dot_general of {lhs} and {rhs} over {lb + lc} and {rb + rc}",
    )
    batch = [lhs.shape[i] for i in lb]
    rows = [size for i, size in enumerate(lhs.shape) if i not in lb + lc]
    columns = [size for i, size in enumerate(rhs.shape) if i not in rb + rc]
    return lhs.with_shape(tuple(batch + rows + columns))


RULES: dict[str, Rule] = {"dot_general": _dot}
