"""The passes, in order. Each takes a valid graph and returns one; none calls another. Those of a
target decide by its figures; they run after all others, and only for the plan of that target."""

from compiler_core.passes.algebra import SimplifyAlgebra
from compiler_core.passes.columns import RecomputeColumns
from compiler_core.passes.constant_folding import FoldConstants
from compiler_core.passes.cse import CommonSubexpressions
from compiler_core.passes.dots import OrderMatmuls
from compiler_core.passes.loops import LoopInvariants
from compiler_core.passes.random_bits import ExpandRandomBits
from compiler_core.passes.recording import Pass
from compiler_core.passes.vectors import SumProducts
from compiler_core.passes.views import MergeViews

PASSES: tuple[Pass, ...] = (
    ExpandRandomBits(),
    FoldConstants(),
    MergeViews(),
    OrderMatmuls(),
    SimplifyAlgebra(),
    LoopInvariants(),
    CommonSubexpressions(),
)


def of_target(ops_per_byte: float, summed: frozenset[int] = frozenset()) -> tuple[Pass, ...]:
    """The passes that weigh arithmetic against memory traffic, for a target that does
    `ops_per_byte` adds in the time in which it moves a byte, and for which the products with the
    ids `summed` are sums (plan/summed.py)."""
    return (SumProducts(summed), RecomputeColumns(ops_per_byte))
