"""Contractions in StableHLO."""

from compiler_core.ir.graph import Value
from compiler_core.ir.stablehlo.generic import Rule, operation_text


def _dot(node: Value) -> str:
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    attrs = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
    numbers = ", ".join(
        f"{name}_dimensions = {list(node[attr])}" for name, attr in zip(names, attrs, strict=True)
    )
    return operation_text(
        node, "stablehlo.dot_general", {"dot_dimension_numbers": f"#stablehlo.dot<{numbers}>"}
    )


RULES: dict[str, Rule] = {
    "dot_general": _dot,
}
