"""The one text form of a graph, printed and parsed: the test format, the diff format, and what
the page shows.

    graph count(%0: i32[], %1: f32[8]) {
      %2, %3 = while(%0, %1) cond(%4: i32[], %5: f32[8]) {
        %6 = constant() {value = 5} : i32[]
        %7 = compare(%4, %6) {direction = LT} : bool[]
        return %7
      } body(%8: i32[], %9: f32[8]) {
        ...
      } : i32[], f32[8]
      return %3
    }

`to_text(parse(text)) == text` for every text that `to_text` writes. A library call parses to one
that cannot be run. ir/graph.py has the grammar.
"""

from collections.abc import Iterator
from typing import Any

from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.origins import places
from compiler_core.ir.sizes import Symbol
from compiler_core.ir.substitute import symbols_of

Line = tuple[str, tuple[int, ...]]

_INDENT = "  "


def to_text(graph: Graph) -> str:
    """The text form of a graph (grammar: ir/graph.py), which ir/parse.py reads back."""
    return with_line_map(graph)[0]


def with_line_map(graph: Graph) -> tuple[str, list[list[int]]]:
    """The text form, and for each of its lines what it comes from: captured operations, and the
    values that it defines (ir/origins.py)."""
    texts, origins = zip(*lines(graph), strict=True)
    return "\n".join(texts) + "\n", [list(o) for o in origins]


def lines(graph: Graph) -> Iterator[Line]:
    """The lines of the text, each with its origins."""
    yield f"graph {_head(graph, _symbols(graph))}", ()
    yield from _body(graph, _INDENT)
    yield "}", ()


def _head(region: Region, symbols: str = "") -> str:
    parameters = ", ".join(f"{x}: {x.type}" for x in region.inputs)
    return f"{region.name}{symbols}({parameters}) {{"


def _symbols(graph: Graph) -> str:
    """`[B = 32 in 2..1024, T = 128 in 4.. by 4]`: each symbol with its hint, its range and what it
    is a multiple of."""
    listed = ", ".join(map(_symbol, symbols_of(graph)))
    return f"[{listed}]" if listed else ""


def _symbol(s: Symbol) -> str:
    high = "" if s.high is None else s.high
    return f"{s} = {s.hint} in {s.low}..{high}{f' by {s.multiple}' if s.multiple > 1 else ''}"


def _body(region: Region, indent: str) -> Iterator[Line]:
    for operation in region.operations:
        yield from _operation(operation, indent)
    returned = ", ".join(map(str, region.outputs))
    yield f"{indent}return {returned}".rstrip(), ()


def _operation(operation: Operation, indent: str) -> Iterator[Line]:
    line, origins = f"{indent}{_call(operation)}", places(operation)
    for region in operation.regions:
        yield f"{line} {_head(region)}", origins
        yield from _body(region, indent + _INDENT)
        line = f"{indent}}}"
    yield f"{line} : {_types(operation)}", origins


def node_text(value: Value) -> str:
    """The operation that defines `value`, as one line: `%3 = compare(%1, %2) {direction = LT} :
    bool[4]`. Of each region only the name."""
    operation = value.operation
    regions = "".join(f" {region.name}{{...}}" for region in operation.regions)
    return f"{_call(operation)}{regions} : {_types(operation)}"


def _call(operation: Operation) -> str:
    """The operation up to its regions."""
    results, operands = (
        ", ".join(map(str, values)) for values in (operation.results, operation.operands)
    )
    attrs = ", ".join(f"{name} = {_attribute(value)}" for name, value in operation.attrs)
    return f"{results} = {operation.op}({operands}){f' {{{attrs}}}' if attrs else ''}"


def _types(operation: Operation) -> str:
    return ", ".join(map(str, operation.types))


def _attribute(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_attribute, value))})"
    return repr(value) if isinstance(value, float) else str(value)
