"""Building graphs: every node gets its type from the rules, an id, and the origins in force.

The two helpers that frontends need above StableHLO's strictness are here: `broadcast` (numpy's
rule) and `scalar` (a splat constant).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.infer import infer
from compiler_core.ir.library import Callee
from compiler_core.ir.types import DType, TensorType


class Builder:
    """Makes nodes with fresh ids. `origins` is what the next nodes are said to come from."""

    def __init__(self, first_id: int = 0) -> None:
        self._next = first_id
        self._origins: tuple[int, ...] = ()
        self.inputs: list[Node] = []

    @contextmanager
    def origin(self, *origins: int) -> Iterator[None]:
        """Nodes made inside come from the captured operations `origins`."""
        before, self._origins = self._origins, tuple(sorted(set(origins)))
        try:
            yield
        finally:
            self._origins = before

    def node(self, op: str, *operands: Node, **attrs: Any) -> Node:
        """A node of any operation. Raises VerifyError where the operands do not fit."""
        type_ = infer(op, tuple(x.type for x in operands), attrs)
        # What the type itself says is not an attribute.
        kept = tuple((k, v) for k, v in attrs.items() if k not in ("type", "shape", "dtype"))
        return self._add(op, operands, type_, kept)

    def _add(
        self,
        op: str,
        operands: tuple[Node, ...],
        type_: TensorType,
        attrs: tuple[tuple[str, Any], ...],
        types: tuple[TensorType, ...] = (),
    ) -> Node:
        made = Node(self._next, op, operands, type_, attrs, self._origins, types)
        self._next += 1
        return made

    def like(self, node: Node, operands: Iterable[Node]) -> Node:
        """`node` over other operands, with its own name, attributes and type; it comes from what
        the node came from and from the origins in force. The old node must not be used on."""
        origins = tuple(sorted({*node.origins, *self._origins}))
        return replace(node, inputs=tuple(operands), origins=origins)

    # -- leaves

    def parameter(self, type_: TensorType, name: str = "") -> Node:
        made = self.node("parameter", type=type_, index=len(self.inputs), name=name)
        self.inputs.append(made)
        return made

    def scalar(self, value: float | int | bool, dtype: DType, shape: Sequence[int] = ()) -> Node:
        """A constant with every element `value`."""
        return self.node("constant", type=TensorType(dtype, tuple(shape)), value=value)

    def iota(self, dtype: DType, shape: Sequence[int], dimension: int) -> Node:
        return self.node("iota", type=TensorType(dtype, tuple(shape)), dimension=dimension)

    # -- views

    def broadcast_in_dim(self, x: Node, shape: Sequence[int], dimensions: Sequence[int]) -> Node:
        return self.node("broadcast_in_dim", x, shape=tuple(shape), dimensions=tuple(dimensions))

    def broadcast(self, x: Node, shape: Sequence[int]) -> Node:
        """numpy's rule: align at the right, repeat what is 1. `x` itself where nothing changes."""
        if x.type.shape == tuple(shape):
            return x
        first = len(shape) - x.type.rank
        return self.broadcast_in_dim(x, shape, range(first, len(shape)))

    def reshape(self, x: Node, shape: Sequence[int]) -> Node:
        return x if x.type.shape == tuple(shape) else self.node("reshape", x, shape=tuple(shape))

    def transpose(self, x: Node, permutation: Sequence[int]) -> Node:
        if tuple(permutation) == tuple(range(x.type.rank)):
            return x
        return self.node("transpose", x, permutation=tuple(permutation))

    # -- computing

    def convert(self, x: Node, dtype: DType) -> Node:
        return x if x.type.dtype is dtype else self.node("convert", x, dtype=dtype)

    def compare(self, x: Node, y: Node, direction: str) -> Node:
        return self.node("compare", x, y, direction=direction)

    def reduce(
        self, x: Node, monoid: str, dimensions: Sequence[int], keepdims: bool = False
    ) -> Node:
        """StableHLO's reduce; with `keepdims`, a reshape puts the reduced sizes back as 1."""
        made = self.node("reduce", x, monoid=monoid, dimensions=tuple(sorted(dimensions)))
        if not keepdims:
            return made
        sizes = [1 if i in dimensions else s for i, s in enumerate(x.type.shape)]
        return self.reshape(made, sizes)

    def dot_general(
        self,
        x: Node,
        y: Node,
        *,
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        contract: tuple[Sequence[int], Sequence[int]],
    ) -> Node:
        return self.node(
            "dot_general",
            x,
            y,
            lhs_batch=tuple(batch[0]),
            rhs_batch=tuple(batch[1]),
            lhs_contract=tuple(contract[0]),
            rhs_contract=tuple(contract[1]),
        )

    def library_call(
        self, callee: Callee, operands: Sequence[Node], types: Sequence[TensorType]
    ) -> tuple[Node, ...]:
        """The call's results, one node each: the call itself where there is one result."""
        single = len(types) == 1
        call = self._add(
            "library_call",
            tuple(operands),
            types[0],
            (("callee", callee),),
            () if single else tuple(types),
        )
        if single:
            return (call,)
        return tuple(
            self.node("get_tuple_element", call, index=i, type=t) for i, t in enumerate(types)
        )

    def graph(self, name: str, outputs: Iterable[Node]) -> Graph:
        return Graph.of(name, self.inputs, outputs)
