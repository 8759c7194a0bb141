"""Types of contractions."""

from compiler_core.ir.convolution import FIXED, out_size
from compiler_core.ir.infer.rule import Attrs, Rule, Types, check
from compiler_core.ir.sizes import Dim, number
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


_SPATIAL = ("strides", "low", "high", "lhs_dilation", "rhs_dilation", "window_reversal")


def _convolution(operands: Types, attrs: Attrs) -> TensorType:
    lhs, rhs = operands
    rank = lhs.rank
    check(
        lhs.dtype is rhs.dtype and rhs.rank == rank >= 2,
        lambda: f"convolution of {lhs} and {rhs}",
    )
    check(
        all(len(attrs[name]) == rank - 2 for name in _SPATIAL),
        lambda: f"convolution of {lhs}: a number is missing for a dimension",
    )
    dims = [tuple(attrs[name]) for name in ("lhs_dims", "rhs_dims", "out_dims")]
    check(
        all(sorted(order) == list(range(rank)) for order in dims),
        lambda: f"convolution of {lhs}: dimensions {', '.join(map(str, dims))}",
    )
    batch, channels, *size = (lhs.shape[d] for d in attrs["lhs_dims"])
    features, of_group, *window = (rhs.shape[d] for d in attrs["rhs_dims"])
    groups = attrs["groups"]
    check(
        groups >= 1 and channels == of_group * groups and number(features, FIXED) % groups == 0,
        lambda: f"convolution of {lhs} and {rhs} in {groups} groups",
    )
    sides = enumerate(zip(size, window, strict=True))
    spatial = (out_size(attrs, d, number(a, FIXED), number(b, FIXED)) for d, (a, b) in sides)
    sizes: dict[int, Dim] = dict(zip(attrs["out_dims"], (batch, features, *spatial), strict=True))
    return lhs.with_shape(tuple(sizes[d] for d in range(rank)))


RULES: dict[str, Rule] = {"dot_general": _dot, "convolution": _convolution}
