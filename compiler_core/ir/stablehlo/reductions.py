"""Reductions, and scans as windows in StableHLO."""

from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value
from compiler_core.ir.stablehlo.generic import Rule, array, use
from compiler_core.ir.stablehlo.mlir_text import dense, type_text
from compiler_core.ir.types import BOOL, TensorType


def _body(node: Value) -> str:
    """The monoid as a region."""
    scalar = type_text(TensorType(node.type.dtype))
    monoid = node["monoid"]
    if node.type.dtype is BOOL:
        monoid = _OF_BOOLS.get(monoid, monoid)
    return (
        f"({{^bb0(%lhs: {scalar}, %rhs: {scalar}): "
        f'%folded = "stablehlo.{monoid}"(%lhs, %rhs) : ({scalar}, {scalar}) -> {scalar} '
        f'"stablehlo.return"(%folded) : ({scalar}) -> ()}})'
    )


_OF_BOOLS = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}


def _folded(node: Value, name: str, attributes: dict[str, str]) -> str:
    """An operation that folds with the monoid, over the constant that it starts with."""
    scalar = TensorType(node.type.dtype)
    start = f"%start{node.id}"
    monoid = (
        _OF_BOOLS.get(node["monoid"], node["monoid"]) if node.type.dtype is BOOL else node["monoid"]
    )
    value = dense(identity(monoid, node.type.dtype), scalar)
    operand = node.operands[0]
    written = ", ".join(f"{k} = {v}" for k, v in attributes.items())
    return (
        f'{start} = "stablehlo.constant"() <{{value = {value}}}> : () -> {type_text(scalar)}\n'
        f'{node} = "stablehlo.{name}"({use(operand)}, {start}) <{{{written}}}> {_body(node)}'
        f" : ({type_text(operand.type)}, {type_text(scalar)}) -> {type_text(node.type)}"
    )


def _reduce(node: Value) -> str:
    return _folded(node, "reduce", {"dimensions": array(sorted(node["dimensions"]))})


def _cumulative(node: Value) -> str:
    """A window over everything up to each element."""
    at, size = node["dimension"], node.type.shape[node["dimension"]]
    window = [size if i == at else 1 for i in range(node.type.rank)]
    before, after = (0, size - 1) if node["reverse"] else (size - 1, 0)
    edges = [[before, after] if i == at else [0, 0] for i in range(node.type.rank)]
    attributes = {
        "window_dimensions": array(window),
        "padding": f"dense<{edges}> : tensor<{node.type.rank}x2xi64>",
    }
    return _folded(node, "reduce_window", attributes)


RULES: dict[str, Rule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
}
