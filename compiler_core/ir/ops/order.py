"""Sorting. NaN is ordered after every number; 0.0 and -0.0 are equal."""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    # Any number of operands of one shape, all moved as the first `keys` of them are ordered.
    OpInfo("sort", None, "opaque", 8, ("dimension", "keys", "descending", "stable")),
    # The k greatest of the last dimension, greatest first, of equals the first; and their indices.
    OpInfo("top_k", 1, "opaque", 8, ("k",)),
)
