"""Types of reductions and of running results."""

from compiler_core.ir.infer.rule import Attrs, Rule, Types, check, same
from compiler_core.ir.ops import MONOIDS
from compiler_core.ir.types import TensorType


def _reduce(operands: Types, attrs: Attrs) -> TensorType:
    (operand,) = operands
    dimensions = tuple(attrs["dimensions"])
    check(attrs["monoid"] in MONOIDS, lambda: f"no monoid {attrs['monoid']}")
    check(
        all(0 <= d < operand.rank for d in dimensions),
        lambda: f"reduce of {operand} over {dimensions}",
    )
    kept = tuple(size for i, size in enumerate(operand.shape) if i not in dimensions)
    return operand.with_shape(kept)


RULES: dict[str, Rule] = {"reduce": _reduce, "cumulative": same}
