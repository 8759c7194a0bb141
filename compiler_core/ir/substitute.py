"""Replacing the symbols of a graph by the sizes of one call.

Evaluators, reference compilers and estimates work on numbers: they get the graph at the sizes of
the call, or at the hints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir import sizes
from compiler_core.ir.graph import AnyRegion, Graph, Operation, Value
from compiler_core.ir.sizes import Size, Symbol, solve
from compiler_core.ir.types import TensorType


def symbols_of(graph: Graph) -> tuple[Symbol, ...]:
    """The symbols in the shapes of the inputs, in order. A program can contain no others."""
    dims = (d for value in graph.inputs for d in value.type.shape)
    return tuple(dict.fromkeys(s for d in dims for s in sorted(sizes.symbols(d))))


def at_hint(graph: Graph) -> Graph:
    """The graph with the sizes of the captured call."""
    return substitute(graph, {s: s.hint for s in symbols_of(graph)})


def at_shapes(graph: Graph, shapes: Sequence[Sequence[int]]) -> Graph:
    """The graph of a call with inputs of `shapes`. Raises VerifyError where they do not fit."""
    found = solve(zip((x.type.shape for x in graph.inputs), shapes, strict=True))
    if isinstance(found, str):
        raise VerifyError(found)
    return substitute(graph, found)


def substitute(graph: Graph, values: Mapping[Symbol, int]) -> Graph:
    """The graph with every symbol replaced by its value, ids and origins kept; the graph itself
    without `values`. Raises KeyError for a symbol without a value."""
    if not values:
        return graph
    return _region(graph, values)


def _region(region: AnyRegion, values: Mapping[Symbol, int]) -> AnyRegion:
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
    operands = tuple(new[x] for x in old.operands)
    regions = tuple(_region(r, values) for r in old.regions)
    return replace(operation_at(old, values), operands=operands, regions=regions)


def operation_at(operation: Operation, values: Mapping[Symbol, int]) -> Operation:
    """The operation with the attributes and the types of results that it has in one call; operands
    and regions stay as they are."""
    types = tuple(type_at(t, values) for t in operation.types)
    attrs = tuple((name, _attribute(value, values)) for name, value in operation.attrs)
    return replace(operation, types=types, attrs=attrs)


def type_at(type_: TensorType, values: Mapping[Symbol, int]) -> TensorType:
    """The type with the sizes that its symbols have in one call."""
    return type_.with_shape(tuple(sizes.evaluate(d, values) for d in type_.shape))


def _attribute(value: Any, values: Mapping[Symbol, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_attribute(v, values) for v in value)
    return sizes.evaluate(value, values) if isinstance(value, Size) else value
