"""A graph with symbolic sizes as the graph of one call: every symbol replaced by its value.

Evaluators, reference compilers and everything that only estimates work on numbers; they are given
the graph at the sizes of the call, or at the hint.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir import sizes
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.sizes import Size, Symbol
from compiler_core.ir.types import TensorType


def symbols_of(graph: Graph) -> tuple[Symbol, ...]:
    """The symbols in the inputs' shapes, in order; a program can have no others."""
    dims = (d for value in graph.inputs for d in value.type.shape)
    return tuple(dict.fromkeys(s for d in dims for s in sorted(sizes.symbols(d))))


def at_hint(graph: Graph) -> Graph:
    """The graph of the captured call."""
    return substitute(graph, {s: s.hint for s in symbols_of(graph)})


def at_shapes(graph: Graph, shapes: Sequence[Sequence[int]]) -> Graph:
    """The graph of a call with inputs of `shapes`. Raises VerifyError where they do not fit."""
    found = sizes.solve(zip((x.type.shape for x in graph.inputs), shapes, strict=True))
    if isinstance(found, str):
        raise VerifyError(found)
    return substitute(graph, found)


def substitute(graph: Graph, values: Mapping[Symbol, int]) -> Graph:
    """The graph where every symbol has its value; the graph itself where it has none. Ids and
    origins stay. Raises KeyError for a symbol without a value."""
    if not symbols_of(graph):
        return graph
    result = _region(graph, values)
    assert isinstance(result, Graph)
    return result


def _region(region: Region, values: Mapping[Symbol, int]) -> Region:
    new: dict[Value, Value] = {}
    for value in region.inputs:
        new[value] = _operation(value.operation, new, values).result
    for operation in region.operations:
        new |= zip(operation.results, _operation(operation, new, values).results, strict=True)
    inputs, outputs = ([new[x] for x in xs] for xs in (region.inputs, region.outputs))
    return type(region).of(region.name, inputs, outputs)


def _operation(
    old: Operation, new: Mapping[Value, Value], values: Mapping[Symbol, int]
) -> Operation:
    return Operation(
        old.id,
        old.op,
        tuple(new[x] for x in old.operands),
        tuple(type_at(t, values) for t in old.types),
        tuple((name, _attribute(value, values)) for name, value in old.attrs),
        old.origins,
        tuple(_region(r, values) for r in old.regions),
    )


def type_at(type_: TensorType, values: Mapping[Symbol, int]) -> TensorType:
    return type_.with_shape(tuple(sizes.evaluate(d, values) for d in type_.shape))


def _attribute(value: Any, values: Mapping[Symbol, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_attribute(v, values) for v in value)
    return sizes.evaluate(value, values) if isinstance(value, Size) else value
