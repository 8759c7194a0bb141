"""What each operation of StableHLO is in jax.lax, one file for each family. A rule takes the
operation, its operands, and its regions as functions; it returns the result, or several."""

from compiler_core.snippet.stablehlo.rules import (
    contraction,
    control,
    elementwise,
    indexing,
    order,
    reductions,
    views,
)
from compiler_core.snippet.stablehlo.rules.rule import Rule

RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **views.RULES,
    **reductions.RULES,
    **contraction.RULES,
    **indexing.RULES,
    **control.RULES,
    **order.RULES,
}
