"""Elementwise operations in StableHLO."""

from functools import partial

from compiler_core.ir.graph import Value
from compiler_core.ir.stablehlo.generic import (
    Rule,
    operation_text,
    splat,
    use,
)
from compiler_core.ir.stablehlo.mlir_text import dense, type_text


def _compare(node: Value) -> str:
    direction = f"#stablehlo<comparison_direction {node['direction']}>"
    kind = node.operands[0].type.dtype.kind
    compared = {"float": "FLOAT", "int": "SIGNED"}.get(kind, "UNSIGNED")
    attributes = {
        "comparison_direction": direction,
        "compare_type": f"#stablehlo<comparison_type {compared}>",
    }
    return operation_text(node, "stablehlo.compare", attributes)


def _unchanged(node: Value) -> str:
    """The operand itself, as a conversion to its own type."""
    return operation_text(node, "stablehlo.convert")


def _of_floats(node: Value) -> str:
    """A rounding operation, which StableHLO defines for floats only: integers are unchanged."""
    if node.type.dtype.is_float:
        return operation_text(node, f"stablehlo.{node.op}")
    return _unchanged(node)


def _abs(node: Value) -> str:
    if node.type.dtype.kind in ("uint", "bool"):
        return _unchanged(node)
    return operation_text(node, "stablehlo.abs")


def _sign(node: Value) -> str:
    """The sign, which StableHLO does not define for unsigned integers: 0, or 1 for all others."""
    kind, own = node.type.dtype.kind, type_text(node.type)
    if kind == "bool":
        return _unchanged(node)
    if kind != "uint":
        return operation_text(node, "stablehlo.sign")
    one = f"%one{node.id}"
    return (
        f'{one} = "stablehlo.constant"() <{{value = {dense(1, node.type)}}}> : () -> {own}\n'
        f'{node} = "stablehlo.minimum"({use(node.operands[0])}, {one})'
        f" : ({own}, {own}) -> {own}"
    )


def _is_finite(node: Value) -> str:
    """is_finite, which StableHLO defines for floats only: every integer is finite."""
    if node.operands[0].type.dtype.is_float:
        return operation_text(node, "stablehlo.is_finite")
    return splat(node, True)


RULES: dict[str, Rule] = {
    # What CHLO has and StableHLO has not.
    **{name: partial(operation_text, name=f"chlo.{name}") for name in ("erf", "erfc", "erf_inv")},
    **dict.fromkeys(("floor", "ceil", "round_nearest_even", "round_nearest_afz"), _of_floats),
    "compare": _compare,
    "is_finite": _is_finite,
    "abs": _abs,
    "sign": _sign,
}
