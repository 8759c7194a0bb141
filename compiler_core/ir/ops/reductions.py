"""Many elements to one, and running results along a dimension, by a monoid."""

from compiler_core.ir.ops.info import OpInfo

MONOIDS = ("add", "multiply", "maximum", "minimum", "and", "or")

ROWS = (
    OpInfo("reduce", 1, "loop", 1, ("monoid", "dimensions"), wraps=True),
    OpInfo("cumulative", 1, "opaque", 1, ("monoid", "dimension", "reverse"), wraps=True),
)
