"""A graph as real StableHLO, in MLIR's generic form, with CHLO for the error functions and tan.

    func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = "stablehlo.tanh"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }

A library call is a custom call that names the framework's kernel: it parses and cannot run.
"""

import json
from collections.abc import Callable, Iterator, Sequence

from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.mlir_text import dense, type_text
from compiler_core.ir.types import BOOL, TensorType

Line = tuple[str, tuple[int, ...]]
# The attributes of an operation, and its regions.
Extras = tuple[dict[str, str], str]


def to_stablehlo(graph: Graph) -> str:
    """A module that jaxlib's parser accepts once the dialects stablehlo and chlo are there."""
    return "\n".join(text for text, _ in lines(graph)) + "\n"


def line_map(graph: Graph) -> list[list[int]]:
    """For each line of `to_stablehlo`, the captured operations that it comes from."""
    return [list(origins) for _, origins in lines(graph)]


def lines(graph: Graph) -> Iterator[Line]:
    """Each line with its origins."""
    parameters = ", ".join(f"{x}: {type_text(x.type)}" for x in graph.inputs)
    types = ", ".join(type_text(x.type) for x in graph.outputs)
    yield f"module @{graph.name} {{", ()
    yield f"  func.func public @main({parameters}) -> ({types}) {{", ()
    for operation in graph.operations:
        yield from ((f"    {text}", operation.origins) for text in _node(operation).splitlines())
    yield f"    return {', '.join(map(_value, graph.outputs))} : {types}".replace("  : ", ""), ()
    yield "  }", ()
    yield "}", ()


def _value(node: Value) -> str:
    """A use. Several results are one numbered group in MLIR: %3#1."""
    if len(node.operation.results) == 1:
        return str(node)
    return f"{node.operation.results[0]}#{node.index}"


def _node(operation: Operation) -> str:
    if operation.op in _SEVERAL:
        return _SEVERAL[operation.op](operation)
    node = operation.result
    if node.op not in _RULES:
        return _operation(node, _DIALECT.get(node.op, f"stablehlo.{node.op}"), {}, "")
    return _RULES[node.op](node)


def _operation(node: Value, name: str, attributes: dict[str, str], region: str) -> str:
    operation = node.operation
    several = len(operation.types) > 1
    operands = ", ".join(map(_value, operation.operands))
    given = ", ".join(type_text(x.type) for x in operation.operands)
    made = ", ".join(map(type_text, operation.types))
    written = ", ".join(f"{k} = {v}" for k, v in attributes.items())
    return (
        f'{node}{f":{len(operation.types)}" if several else ""} = "{name}"({operands})'
        f"{f' <{{{written}}}>' if written else ''}{region}"
        f" : ({given}) -> {f'({made})' if several else made}"
    )


def _array(values: Sequence[int]) -> str:
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def _named(name: str, **attributes: Callable[[Value], str]) -> Callable[[Value], str]:
    def rule(node: Value) -> str:
        texts = {k: text(node) for k, text in attributes.items()}
        return _operation(node, f"stablehlo.{name}", texts, "")

    return rule


def _integers(attr: str) -> Callable[[Value], str]:
    return lambda node: _array(node[attr])


def _integer(attr: str) -> Callable[[Value], str]:
    return lambda node: f"{node[attr]} : i64"


# -- constants


def _constant(node: Value) -> str:
    return _splat(node, node["value"])


def _splat(node: Value, value: float | int | bool) -> str:
    made = type_text(node.type)
    text = dense(value, node.type) if node.type.numel else f"dense<> : {made}"
    return f'{node} = "stablehlo.constant"() <{{value = {text}}}> : () -> {made}'


# -- elementwise


def _compare(node: Value) -> str:
    direction = f"#stablehlo<comparison_direction {node['direction']}>"
    kind = node.operands[0].type.dtype.kind
    compared = {"float": "FLOAT", "int": "SIGNED"}.get(kind, "UNSIGNED")
    attributes = {
        "comparison_direction": direction,
        "compare_type": f"#stablehlo<comparison_type {compared}>",
    }
    return _operation(node, "stablehlo.compare", attributes, "")


def _unchanged(node: Value) -> str:
    """As a conversion to the type that the operand has."""
    return _operation(node, "stablehlo.convert", {}, "")


def _of_floats(node: Value) -> str:
    """Rounding, which StableHLO has of floats only, changes no integer."""
    if node.type.dtype.is_float:
        return _operation(node, f"stablehlo.{node.op}", {}, "")
    return _unchanged(node)


def _abs(node: Value) -> str:
    if node.type.dtype.kind in ("uint", "bool"):
        return _unchanged(node)
    return _operation(node, "stablehlo.abs", {}, "")


def _sign(node: Value) -> str:
    """Of an unsigned integer: 0, or 1 for all others."""
    kind, made = node.type.dtype.kind, type_text(node.type)
    if kind == "bool":
        return _unchanged(node)
    if kind != "uint":
        return _operation(node, "stablehlo.sign", {}, "")
    one = f"%one{node.id}"
    return (
        f'{one} = "stablehlo.constant"() <{{value = {dense(1, node.type)}}}> : () -> {made}\n'
        f'{node} = "stablehlo.minimum"({_value(node.operands[0])}, {one})'
        f" : ({made}, {made}) -> {made}"
    )


def _is_finite(node: Value) -> str:
    """Of floats only: every integer is."""
    if node.operands[0].type.dtype.is_float:
        return _operation(node, "stablehlo.is_finite", {}, "")
    return _splat(node, True)


# -- reductions and scans


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
        f'{node} = "stablehlo.{name}"({_value(operand)}, {start}) <{{{written}}}> {_body(node)}'
        f" : ({type_text(operand.type)}, {type_text(scalar)}) -> {type_text(node.type)}"
    )


def _reduce(node: Value) -> str:
    return _folded(node, "reduce", {"dimensions": _array(sorted(node["dimensions"]))})


def _cumulative(node: Value) -> str:
    """A window over everything up to each element."""
    at, size = node["dimension"], node.type.shape[node["dimension"]]
    window = [size if i == at else 1 for i in range(node.type.rank)]
    before, after = (0, size - 1) if node["reverse"] else (size - 1, 0)
    edges = [[before, after] if i == at else [0, 0] for i in range(node.type.rank)]
    attributes = {
        "window_dimensions": _array(window),
        "padding": f"dense<{edges}> : tensor<{node.type.rank}x2xi64>",
    }
    return _folded(node, "reduce_window", attributes)


# -- the rest


def _dot(node: Value) -> str:
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    attrs = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
    numbers = ", ".join(
        f"{name}_dimensions = {list(node[attr])}" for name, attr in zip(names, attrs, strict=True)
    )
    return _operation(
        node, "stablehlo.dot_general", {"dot_dimension_numbers": f"#stablehlo.dot<{numbers}>"}, ""
    )


def _library_call(operation: Operation) -> str:
    node, callee = operation.results[0], operation["callee"]
    target = json.dumps(f"{callee.framework}.{callee}")
    return _operation(node, "stablehlo.custom_call", {"call_target_name": target}, "")


# What CHLO has and StableHLO has not.
_DIALECT = {
    "erf": "chlo.erf",
    "erfc": "chlo.erfc",
    "erf_inv": "chlo.erf_inv",
}

_RULES: dict[str, Callable[[Value], str]] = {
    "constant": _constant,
    "iota": _named("iota", iota_dimension=_integer("dimension")),
    "compare": _compare,
    "is_finite": _is_finite,
    "abs": _abs,
    "sign": _sign,
    **dict.fromkeys(("floor", "ceil", "round_nearest_even", "round_nearest_afz"), _of_floats),
    "broadcast_in_dim": _named("broadcast_in_dim", broadcast_dimensions=_integers("dimensions")),
    "transpose": _named("transpose", permutation=_integers("permutation")),
    "slice": _named(
        "slice",
        start_indices=_integers("start"),
        limit_indices=_integers("limit"),
        strides=_integers("strides"),
    ),
    "reverse": _named("reverse", dimensions=_integers("dimensions")),
    "concatenate": _named("concatenate", dimension=_integer("dimension")),
    "pad": _named(
        "pad",
        edge_padding_low=_integers("low"),
        edge_padding_high=_integers("high"),
        interior_padding=_integers("interior"),
    ),
    "reduce": _reduce,
    "cumulative": _cumulative,
    "dot_general": _dot,
}

# The operations with any number of results, or with regions.
_SEVERAL: dict[str, Callable[[Operation], str]] = {"library_call": _library_call}
