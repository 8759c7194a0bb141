"""Building graphs. Every operation gets its result types from the type rules (ir/infer/), a fresh
id, and the current origins.

StableHLO neither broadcasts nor promotes implicitly; the two helpers that front ends need on top of
it are here: `broadcast` (numpy's rule) and `scalar` (a constant with one value).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.infer import IMPLIED, infer
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import Dim, Size
from compiler_core.ir.types import DType, TensorType

Body = Callable[..., Iterable[Value]]


class Builder:
    """Creates operations with fresh ids. `origins` are the captured operations that the next ones
    are attributed to."""

    def __init__(self, first_id: int = 0) -> None:
        self._next = first_id
        self._origins: tuple[int, ...] = ()
        self.inputs: list[Value] = []
        # The first results of the calls that take from a generator, in order.
        self.drawn: list[Value] = []

    @contextmanager
    def origin(self, *origins: int) -> Iterator[None]:
        """Within the context, new operations are attributed to the captured operations
        `origins`."""
        before, self._origins = self._origins, tuple(sorted(set(origins)))
        try:
            yield
        finally:
            self._origins = before

    def node(self, op: str, *operands: Value, **attrs: Any) -> Value:
        """Adds an operation with one result and returns it. Raises VerifyError if the operand types
        do not fit."""
        (result,) = self.operation(op, operands, **attrs)
        return result

    def operation(
        self, op: str, operands: Iterable[Value], regions: Iterable[Region] = (), **attrs: Any
    ) -> tuple[Value, ...]:
        """Adds an operation and returns all its results. Raises VerifyError if operands, attributes
        or regions do not fit."""
        operands, regions = tuple(operands), tuple(regions)
        types = infer(op, tuple(x.type for x in operands), attrs, regions)
        # What the types themselves say is not an attribute.
        kept = tuple((k, v) for k, v in attrs.items() if k not in IMPLIED)
        new = Operation(self._next, op, operands, types, kept, self._origins, regions)
        self._next += len(types)
        return new.results

    def like(
        self, old: Operation, operands: Iterable[Value], regions: Iterable[Region] | None = None
    ) -> Operation:
        """Adds a copy of `old` with other operands and regions: same attributes, id and types; its
        origins are those of `old` and the current ones. `old` must not be used afterwards."""
        origins = tuple(sorted({*old.origins, *self._origins}))
        regions = old.regions if regions is None else tuple(regions)
        return replace(old, operands=tuple(operands), origins=origins, regions=regions)

    def copy(self, old: Operation, operands: Iterable[Value]) -> Operation:
        """Adds a copy of `old`, under a fresh id, with other operands of the same types."""
        copied = replace(old, id=self._next, operands=tuple(operands))
        self._next += len(old.types)
        return copied

    def region(self, name: str, types: Iterable[TensorType], body: Body) -> Region:
        """A region with arguments of `types`; `body` is called with the arguments and returns the
        region's results. The current origins stay in force."""
        outer, self.inputs, drawn = self.inputs, [], self.drawn.copy()
        try:
            arguments = [self.parameter(t) for t in types]
            return Region.of(name, arguments, body(*arguments))
        finally:
            self.inputs, self.drawn = outer, drawn

    # -- leaves

    def parameter(self, type_: TensorType, name: str = "") -> Value:
        """A new input of the graph."""
        value = self.node("parameter", type=type_, index=len(self.inputs), name=name)
        self.inputs.append(value)
        return value

    def scalar(
        self, value: float | int | bool | Size, dtype: DType, shape: Sequence[Dim] = ()
    ) -> Value:
        """A constant of the given shape whose elements all are `value`."""
        return self.node("constant", type=TensorType(dtype, tuple(shape)), value=value)

    def iota(self, dtype: DType, shape: Sequence[Dim], dimension: int) -> Value:
        """The index along one dimension, at every element."""
        return self.node("iota", type=TensorType(dtype, tuple(shape)), dimension=dimension)

    # -- views

    def broadcast_in_dim(self, x: Value, shape: Sequence[Dim], dimensions: Sequence[int]) -> Value:
        """StableHLO's: dimension i of `x` becomes dimension `dimensions[i]` of the result. A size
        of 1 is repeated there, and so is everything along the result's other dimensions."""
        return self.node("broadcast_in_dim", x, shape=tuple(shape), dimensions=tuple(dimensions))

    def broadcast(self, x: Value, shape: Sequence[Dim]) -> Value:
        """numpy's broadcasting: shapes are aligned at the right, and sizes of 1 are repeated.
        Returns `x` itself if the shape is the same."""
        if x.type.shape == tuple(shape):
            return x
        first = len(shape) - x.type.rank
        return self.broadcast_in_dim(x, shape, range(first, len(shape)))

    def reshape(self, x: Value, shape: Sequence[Dim]) -> Value:
        return x if x.type.shape == tuple(shape) else self.node("reshape", x, shape=tuple(shape))

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        if tuple(permutation) == tuple(range(x.type.rank)):
            return x
        return self.node("transpose", x, permutation=tuple(permutation))

    # -- computing

    def convert(self, x: Value, dtype: DType) -> Value:
        """The elements as `dtype`; `x` itself where they are of that type."""
        return x if x.type.dtype is dtype else self.node("convert", x, dtype=dtype)

    def compare(self, x: Value, y: Value, direction: str) -> Value:
        """bool values of the operands' shape; `direction` is EQ, NE, LT, LE, GT or GE."""
        return self.node("compare", x, y, direction=direction)

    def reduce(
        self, x: Value, monoid: str, dimensions: Sequence[int], keepdims: bool = False
    ) -> Value:
        """StableHLO's reduce; with `keepdims` a reshape restores the reduced dimensions with size
        1."""
        reduced = self.node("reduce", x, monoid=monoid, dimensions=tuple(sorted(dimensions)))
        if not keepdims:
            return reduced
        sizes: list[Dim] = [1 if i in dimensions else s for i, s in enumerate(x.type.shape)]
        return self.reshape(reduced, sizes)

    def dot_general(
        self,
        x: Value,
        y: Value,
        *,
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        contract: tuple[Sequence[int], Sequence[int]],
    ) -> Value:
        """StableHLO's dot_general. `batch` and `contract` pair dimensions of `x` with dimensions of
        `y`; the result has the batch dimensions, then the remaining ones of `x` and of `y`."""
        return self.node(
            "dot_general",
            x,
            y,
            lhs_batch=tuple(batch[0]),
            rhs_batch=tuple(batch[1]),
            lhs_contract=tuple(contract[0]),
            rhs_contract=tuple(contract[1]),
        )

    def convolution(self, x: Value, y: Value, *, groups: int = 1, **given: Sequence[int]) -> Value:
        """StableHLO's convolution. Defaults: strides and dilations of 1, no padding, no reversal,
        and torch's dimension numbers (NCHW, OIHW)."""
        rank, order = x.type.rank - 2, range(x.type.rank)
        dims = dict.fromkeys(("lhs_dims", "rhs_dims", "out_dims"), order)
        ones = dict.fromkeys(("strides", "lhs_dilation", "rhs_dilation"), (1,) * rank)
        zeros = dict.fromkeys(("low", "high"), (0,) * rank)
        attrs = ones | zeros | {"window_reversal": (False,) * rank} | dims | given
        listed = {name: tuple(numbers) for name, numbers in attrs.items()}
        return self.node("convolution", x, y, groups=groups, **listed)

    def library_call(
        self, callee: Callee, operands: Sequence[Value], types: Sequence[TensorType]
    ) -> tuple[Value, ...]:
        """The results of a call of the framework's own kernel."""
        results = self.operation("library_call", operands, types=tuple(types), callee=callee)
        self.drawn += results[:1] if callee.draws_random_numbers else ()
        return results

    def graph(self, name: str, outputs: Iterable[Value]) -> Graph:
        """The graph that computes `outputs` from the parameters added so far."""
        return Graph.of(name, self.inputs, outputs)
