"""Sorting rows along an axis as one step: a sort of several operands, or the k greatest elements.

How the step is run is a choice (plan/cpu/sorts.py). In all generated forms an element is moved as a
64-bit word: 32 bits of its key above its position in the row. Key bits are mapped so that unsigned
integers have the order of the keys, and no two words are equal, so that every algorithm is stable.
A 64-bit key, or several keys, take one round for each 32 bits, the least significant first; a round
keeps the order of the previous one where its bits are equal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir import eval_torch
from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import Dim, Symbol, hint, number, product, symbols
from compiler_core.ir.types import DType
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.steps import LibraryCall

WORD_BITS = 32


@dataclass(frozen=True, slots=True)
class Round:
    """32 bits of a key, from bit `shift` on."""

    key: BufferParam
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A result that is read: the elements of `source` in order; None for their positions."""

    out: BufferParam
    source: BufferParam | None


@dataclass(frozen=True)
class Sort:
    """Operands are [outer, length, inner] in memory and sorted along the second axis by `keys`,
    the most significant first. Results are [outer, pitch, inner], of which the first `kept` of each
    row are written: nobody reads the others. `given` are the operands of `operation` in memory,
    each once, and `used` the numbers of its results that are read. `workspace` is set by the
    schedule that needs one."""

    name: str
    kind: str
    keys: tuple[BufferParam, ...]
    results: tuple[Result, ...]
    outer: Dim
    length: int
    inner: Dim
    kept: int
    pitch: int
    descending: bool
    # Whether floats are ordered by their bits: -0.0 before 0.0, and NaN by its sign.
    total: bool
    operation: Operation
    given: tuple[BufferParam, ...]
    used: tuple[int, ...]
    origins: tuple[int, ...] = ()
    workspace: BufferParam | None = None
    library = None
    by_design = True
    steps = ()
    plans = ()
    kernel = None
    skips_masked = False
    launches = 1

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        sources = (r.source for r in self.results if r.source is not None)
        return tuple({b.name: b for b in (*self.keys, *sources)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return tuple(r.out for r in self.results)

    @property
    def scratch(self) -> tuple[BufferParam, ...]:
        return () if self.workspace is None else (self.workspace,)

    @property
    def ops(self) -> tuple[str, ...]:
        return (self.kind,)

    @property
    def rows(self) -> Dim:
        return self.outer * self.inner

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the number of rows and their distance depend on."""
        return tuple(sorted(symbols(self.outer) | symbols(self.inner)))

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds in the order in which they run."""
        return tuple(
            Round(key, shift)
            for key in reversed(self.keys)
            for shift in range(0, key.type.dtype.bits, WORD_BITS)
        )

    @property
    def partial(self) -> bool:
        """Whether elements behind the first `kept` of each row are left unwritten."""
        return self.kept < self.pitch

    def traffic(self) -> tuple[int, int]:
        written = hint(self.rows) * self.kept
        reads = sum(b.type.at_hint().bytes for b in self.inputs)
        return reads, sum(written * b.type.dtype.bytes for b in self.outputs)

    def flops(self) -> int:
        """The least number of comparisons: each yields one bit of an element's position."""
        return hint(self.rows) * self.length * max(1, self.kept - 1).bit_length()

    def by_library(self, reason: str) -> LibraryCall:
        """This sort as a call of the framework, and why."""
        call = partial(_called, self.operation, self.used)
        callee = Callee(f"torch:{self.kind}", "torch", reason, call)
        return LibraryCall(self.name, callee, self.given, self.outputs, self.origins)

    def lines(self) -> list[Line]:
        keys = ", ".join(b.name for b in self.keys)
        sources = (r.source.name if r.source else "places" for r in self.results)
        outs = ", ".join(b.name for b in self.outputs)
        many = f"the first {self.kept} of " if self.kept < self.length else ""
        order = "descending" if self.descending else "ascending"
        shape = f"{self.rows} rows of {self.length}"
        return [
            (
                f"{outs} = {many}{', '.join(sources)} by {keys} {order}  # {shape}",
                self.origins,
            )
        ]


def is_place(operation: Operation, operand: Value) -> bool:
    """Whether an operand of a sort is an iota along its axis: the elements' positions, which need
    not be read from memory."""
    if operation.op != "sort" or operand.op != "iota" or not operand.type.dtype.is_integer:
        return False
    is_key = any(operand is x for x in operation.operands[: operation["keys"]])
    return not is_key and operand.operation["dimension"] == operation["dimension"]


@dataclass(frozen=True, slots=True)
class _Order:
    """The axis of the operands, how many of them are keys, how much of a row is kept, and for each
    result the operand whose elements it has, None for positions. `total` is top_k's."""

    axis: int
    keys: int
    kept: Dim
    descending: bool
    sources: tuple[Value | None, ...]
    total: bool = False


def _sort(operation: Operation) -> _Order:
    (axis, keys), operands = (operation["dimension"], operation["keys"]), operation.operands
    sources = (None if is_place(operation, x) else x for x in operands)
    length = operands[0].type.shape[axis]
    return _Order(axis, keys, length, operation["descending"], tuple(sources))


def _top_k(operation: Operation) -> _Order:
    (x,) = operation.operands
    return _Order(x.type.rank - 1, 1, operation["k"], True, (x, None), operation["total"])


_ORDERS: Mapping[str, Callable[[Operation], _Order]] = {"sort": _sort, "top_k": _top_k}


def sort_step(
    values: FusionView, names: Mapping[Value, str], node: Value, prefix: str
) -> Sort | LibraryCall:
    """The step of a sort or top_k: a Sort, or a call of the framework if the length of a row is
    symbolic."""
    operation = node.operation
    order, shape = _ORDERS[operation.op](operation), operation.operands[0].type.shape
    read = {
        x: BufferParam(names[values.base(x)], x.type, "in")
        for x in operation.operands
        if not is_place(operation, x)
    }
    used = [i for i, x in enumerate(operation.results) if not values.is_unused(x)]
    outs = [BufferParam(names[x], x.type, "out") for x in operation.results]
    sources = [None if x is None else read[x] for x in order.sources]
    length = shape[order.axis]
    name = f"{prefix}_{operation.op}"
    if symbols(length):
        if order.kept != length:  # torch is given a number
            number(order.kept, "the first elements of rows")
        call = _by_torch(operation, length, used)
        results = tuple(outs[i] for i in used)
        return LibraryCall(name, call, tuple(read.values()), results, operation.origins)
    kept = number(order.kept)
    return Sort(
        name=name,
        kind=operation.op,
        keys=tuple(read[x] for x in operation.operands[: order.keys]),
        results=tuple(Result(outs[i], sources[i]) for i in used),
        outer=product(shape[: order.axis]),
        length=number(length),
        inner=product(shape[order.axis + 1 :]),
        kept=min(kept, max(_read(values, operation.results[i], order.axis) for i in used)),
        pitch=kept,
        descending=order.descending,
        total=order.total,
        operation=operation,
        given=tuple(read.values()),
        used=tuple(used),
        origins=operation.origins,
    )


def _by_torch(operation: Operation, length: Dim, used: Sequence[int]) -> Callee:
    reason = f"rows of {length} elements: a symbol's length is left to torch"
    return Callee(f"torch:{operation.op}", "torch", reason, partial(_called, operation, used))


def _read(values: FusionView, result: Value, axis: int) -> int:
    """How many elements of each row are read of a result, counted from the first one."""
    readers = values.graph.users[result]
    if result in values.graph.outputs or any(reader.op != "slice" for reader in readers):
        return number(result.type.shape[axis])
    return max((number(reader["limit"][axis]) for reader in readers), default=0)


def _called(
    operation: Operation, used: Sequence[int], *given: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The framework's results that are read, of the operands in memory."""
    in_memory = dict.fromkeys(x for x in operation.operands if not is_place(operation, x))
    read = dict(zip(in_memory, given, strict=True))
    operands = (
        read[x] if x in read else _places(x.type.dtype, operation["dimension"], given[0])
        for x in operation.operands
    )
    results = eval_torch.callable_of(operation)(*operands)
    return tuple(results[i] for i in used)


def _places(dtype: DType, axis: int, like: torch.Tensor) -> torch.Tensor:
    line = torch.arange(like.shape[axis], dtype=TORCH[dtype.name], device=like.device)
    return line.view(-1, *(1 for _ in like.shape[axis + 1 :])).expand(like.shape)
