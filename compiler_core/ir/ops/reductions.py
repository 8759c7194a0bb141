"""Many elements to one, running results along a dimension, and windows, by a monoid.

Each has an operand and a result for every component of its monoid (ir/monoids.py): one for a sum;
for an arg-max the values and their indices; for Welford's the means, the squares and the counts.
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
