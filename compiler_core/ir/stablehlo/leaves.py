"""Constants in StableHLO."""

from compiler_core.ir.graph import Value
from compiler_core.ir.stablehlo.generic import Rule, integer, named, splat


def _constant(node: Value) -> str:
    return splat(node, node["value"])


RULES: dict[str, Rule] = {
    "constant": _constant,
    "iota": named("iota", iota_dimension=integer("dimension")),
}
