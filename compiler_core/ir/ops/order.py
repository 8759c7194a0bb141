"""Sorting. NaN is ordered after every number, whatever its sign; 0.0 and -0.0 are equal."""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    # Any number of operands of one shape, all moved as the first `keys` of them are ordered.
    OpInfo(
        "sort", None, "opaque", 8, ("dimension", "keys", "descending", "stable"), nonlinear=True
    ),
    # The k greatest of the last dimension, greatest first, of equals the first; and their indices.
    # In `total` order, XLA's of its TopK, -0.0 is less than 0.0 and a NaN with a sign the least.
    OpInfo("top_k", 1, "opaque", 8, ("k", "total"), nonlinear=True),
)
