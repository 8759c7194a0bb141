"""A graph as StableHLO in MLIR's generic form, with CHLO for the error functions, tan and top_k.

    func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = "stablehlo.tanh"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }

A library call is a custom call that names the framework's kernel; it can be parsed, not run. An
operation without a rule is printed as StableHLO's operation of the same name without attributes.
"""

from collections.abc import Iterator

from compiler_core.ir.families import collect
from compiler_core.ir.graph import Graph, Operation, Region
from compiler_core.ir.stablehlo import control
from compiler_core.ir.stablehlo.control import CONTROL, Line
from compiler_core.ir.stablehlo.generic import Rule, SeveralRule, operation_text, short, use
from compiler_core.ir.stablehlo.legalize import legal
from compiler_core.ir.stablehlo.mlir_text import type_text

RULES: dict[str, Rule] = collect(__name__, "RULES")

# The operations with any number of results; those with regions are control.py's.
SEVERAL: dict[str, SeveralRule] = collect(__name__, "SEVERAL")


def to_stablehlo(graph: Graph) -> str:
    """A module that jaxlib's parser accepts once the stablehlo and chlo dialects are registered."""
    return "\n".join(text for text, _ in lines(graph)) + "\n"


def line_map(graph: Graph) -> list[list[int]]:
    """For each line of `to_stablehlo`, the ids of the captured operations that it comes from."""
    return [list(origins) for _, origins in lines(graph)]


def lines(graph: Graph) -> Iterator[Line]:
    """The lines of the module, each with its origins."""
    yield f"module @{graph.name} {{", ()
    yield from _function("public @main", graph)
    for operation in graph.walk():
        if operation.op == "call":
            name = control.function_name(operation)
            yield from _function(f"private @{name}", operation.regions[0])
    yield "}", ()


def _function(name: str, region: Region) -> Iterator[Line]:
    parameters = ", ".join(f"{x}: {type_text(x.type)}" for x in region.inputs)
    types = ", ".join(type_text(x.type) for x in region.outputs)
    yield f"  func.func {name}({parameters}) -> ({types}) {{", ()
    for operation in region.operations:
        yield from ((f"    {text}", origins) for text, origins in _lines(operation))
    yield f"    return {', '.join(map(use, region.outputs))} : {types}".replace("  : ", ""), ()
    yield "  }", ()


def _lines(operation: Operation) -> Iterator[Line]:
    if operation.regions:
        yield from CONTROL[operation.op](operation, _lines)
    else:
        texts = (text for each in legal(operation) for text in short(_node(each)).splitlines())
        yield from ((text, operation.origins) for text in texts)


def _node(operation: Operation) -> str:
    if operation.op in SEVERAL:
        return SEVERAL[operation.op](operation)
    node = operation.result
    if node.op not in RULES:
        return operation_text(node, f"stablehlo.{node.op}")
    return RULES[node.op](node)
