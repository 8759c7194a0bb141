"""In-place writes of a program, and what AOTAutograd turns them into: a graph without writes."""

import operator
from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.reference.aot import private
from compiler_core.reference.aot.records import Write
from compiler_core.reference.fx_text import name_of_target
from compiler_core.reference.origins import origin_of

_OPERATORS = frozenset(
    getattr(operator, name)
    for name in (
        "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "imatmul", "ipow", "iand", "ior",
        "ixor", "ilshift", "irshift", "setitem",
    )
)  # fmt: skip
_PURE = "a value of its own, read instead of what was there"
_IN_GRAPH = "computed without writing; the graph copies the new values in at its end"
_AFTERWARDS = "computed without writing; the new values are copied in after the graph"


def operations(module: Any) -> list[Write]:
    """The in-place operations of Dynamo's graph."""
    return [
        Write(name_of_target(node), _PURE, origin_of(node))
        for node in module.graph.nodes
        if _writes(node)
    ]


def inputs(module: Any) -> Iterator[Write]:
    """The inputs of Dynamo's graph that the graph being compiled by AOTAutograd writes to."""
    names = private.names_of_inputs(module)
    for place, in_graph in private.written_inputs().items():
        if place < len(names):
            yield Write(f"input {names[place]}", _IN_GRAPH if in_graph else _AFTERWARDS)


def _writes(node: torch.fx.Node) -> bool:
    """By torch's conventions: a name that ends with `_`, `out=`, `inplace=True`, and Python's own
    `+=` and `x[i] = y`."""
    if node.kwargs.get("inplace") is True or node.kwargs.get("out") is not None:
        return True
    if node.op == "call_method":
        return _in_place(str(node.target))
    return node.op == "call_function" and (node.target in _OPERATORS or _in_place(_name(node)))


def _name(node: torch.fx.Node) -> str:
    return str(getattr(node.target, "__name__", ""))


def _in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")
