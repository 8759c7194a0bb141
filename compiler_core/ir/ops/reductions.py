"""Reductions, cumulative scans, and window reductions, each with a monoid.

They have one operand and one result for each component of the monoid (ir/monoids.py): one for a
sum; values and indices for an arg-max; mean, sum of squared deviations and count for Welford's.
"""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    OpInfo("reduce", None, "loop", 1, ("monoid", "dimensions"), wraps=True),
    OpInfo("cumulative", None, "loop", 1, ("monoid", "dimension", "reverse"), wraps=True),
    # StableHLO's: element i of a window is at i * window_dilation; base_dilation - 1 gaps between
    # the operand's elements and `low`, `high` (that may be negative) around them do not count.
    OpInfo(
        "reduce_window", None, "loop", 1,
        ("monoid", "window", "strides", "base_dilation", "window_dilation", "low", "high"),
        wraps=True,
    ),
)  # fmt: skip
