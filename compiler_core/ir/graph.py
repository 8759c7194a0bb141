"""Nodes and graphs: immutable, single-assignment, in topological order.

grammar of a graph, as its text form prints it (ir/text.py):

    graph  ::= "graph" name "(" param,* ")" "{" node* "return" value,* "}"
    param  ::= value ":" type
    node   ::= value "=" op "(" value,* ")" attrs? ":" type
    value  ::= "%" id

Equality is identity. A pass returns a new graph; nothing is changed in place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from compiler_core.ir.types import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One operation and its one result.

    `id` names it within one compilation. `origins` are the ids of the captured operations that
    it comes from: the selection key that runs from the snippet's line to the generated line.
    `types` is set for a library call with several results only (its `type` is then the first).
    """

    id: int
    op: str
    inputs: tuple["Node", ...]
    type: TensorType
    attrs: tuple[tuple[str, Any], ...] = ()
    origins: tuple[int, ...] = ()
    types: tuple[TensorType, ...] = ()

    def __getitem__(self, attr: str) -> Any:
        for name, value in self.attrs:
            if name == attr:
                return value
        raise KeyError(f"{self.op} has no attribute {attr}")

    def __str__(self) -> str:
        return f"%{self.id}"

    def __repr__(self) -> str:
        return f"%{self.id} = {self.op}({', '.join(map(str, self.inputs))}) : {self.type}"


@dataclass(frozen=True, eq=False)
class Graph:
    """`nodes` holds every node reachable from `outputs` and all of `inputs`, operands first."""

    name: str
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, name: str, inputs: Iterable[Node], outputs: Iterable[Node]) -> "Graph":
        """The graph of what `outputs` need, in dependence order, ties by id."""
        inputs, outputs = tuple(inputs), tuple(outputs)
        return cls(name, inputs, outputs, tuple(_topological(inputs, outputs)))

    @cached_property
    def users(self) -> dict[Node, tuple[Node, ...]]:
        """Who reads each node; a node that reads twice stands once."""
        result: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for operand in dict.fromkeys(node.inputs):
                result[operand].append(node)
        return {node: tuple(users) for node, users in result.items()}

    @property
    def ops(self) -> tuple[Node, ...]:
        """The nodes that are not parameters."""
        return tuple(node for node in self.nodes if node.op != "parameter")


def _topological(inputs: tuple[Node, ...], outputs: tuple[Node, ...]) -> Iterator[Node]:
    seen: set[Node] = set(inputs)
    yield from inputs
    for output in outputs:
        stack: list[tuple[Node, bool]] = [(output, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((operand, False) for operand in reversed(node.inputs))
