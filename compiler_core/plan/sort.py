"""Sorting rows along an axis as one step: a sort of several operands, or the k greatest elements.

How the step is run is a choice (plan/sorts.py). In all generated forms an element is moved as a
64-bit word: 32 bits of its key above its position in the row. Key bits are mapped so that unsigned
integers have the order of the keys, and no two words are equal, so that every algorithm is stable.
A 64-bit key, or several keys, take one round for each 32 bits, the least significant first; a round
keeps the order of the previous one where its bits are equal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir import eval_torch
from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import number
from compiler_core.ir.types import TensorType
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
    """Operands are [outer, length, inner] in memory and sorted along the second axis by `keys`, the
    most significant first; the first `kept` of each row are written. `call` is the same as a call
    of the framework. `workspace` is set by the schedule that needs one."""

    name: str
    kind: str
    keys: tuple[BufferParam, ...]
    results: tuple[Result, ...]
    outer: int
    length: int
    inner: int
    kept: int
    descending: bool
    call: LibraryCall
    origins: tuple[int, ...] = ()
    workspace: BufferParam | None = None
    library = None
    reason = ""
    by_design = True
    plans = ()
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
    def rows(self) -> int:
        return self.outer * self.inner

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds in the order in which they run."""
        return tuple(
            Round(key, shift)
            for key in reversed(self.keys)
            for shift in range(0, key.type.dtype.bits, WORD_BITS)
        )

    def traffic(self) -> tuple[int, int]:
        return sum(b.type.bytes for b in self.inputs), sum(b.type.bytes for b in self.outputs)

    def flops(self) -> int:
        """The least number of comparisons: each yields one bit of an element's position."""
        return self.rows * self.length * max(1, self.kept - 1).bit_length()

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
    """Whether an operand of a sort is the position along its axis, which need not be read."""
    if operation.op != "sort" or operand.op != "iota" or not operand.type.dtype.is_integer:
        return False
    is_key = any(operand is x for x in operation.operands[: operation["keys"]])
    return not is_key and operand.operation["dimension"] == operation["dimension"]


@dataclass(frozen=True, slots=True)
class _Order:
    """The axis of the operands, how many of them are keys, how much of a row is kept, and for each
    result the operand whose elements it has, None for positions."""

    axis: int
    keys: int
    kept: int
    descending: bool
    sources: tuple[Value | None, ...]


def _sort(operation: Operation) -> _Order:
    (axis, keys), operands = (operation["dimension"], operation["keys"]), operation.operands
    sources = (None if is_place(operation, x) else x for x in operands)
    length = number(operands[0].type.shape[axis])
    return _Order(axis, keys, length, operation["descending"], tuple(sources))


def _top_k(operation: Operation) -> _Order:
    (x,) = operation.operands
    return _Order(x.type.rank - 1, 1, operation["k"], True, (x, None))


_ORDERS: Mapping[str, Callable[[Operation], _Order]] = {"sort": _sort, "top_k": _top_k}


def sort_step(values: FusionView, names: Mapping[Value, str], node: Value, prefix: str) -> Sort:
    """The step of a sort or top_k; its sizes must be numbers."""
    operation = node.operation
    order, shape = _ORDERS[operation.op](operation), operation.operands[0].type.sizes
    places = [is_place(operation, x) for x in operation.operands]
    read = {
        x: BufferParam(names[values.base(x)], x.type, "in")
        for x, place in zip(operation.operands, places, strict=True)
        if not place
    }
    used = [i for i, x in enumerate(operation.results) if not values.is_unused(x)]
    outs = [BufferParam(names[x], x.type, "out") for x in operation.results]
    sources = [None if x is None else read[x] for x in order.sources]
    return Sort(
        name=f"{prefix}_{operation.op}",
        kind=operation.op,
        keys=tuple(read[x] for x in operation.operands[: order.keys]),
        results=tuple(Result(outs[i], sources[i]) for i in used),
        outer=prod(shape[: order.axis]),
        length=shape[order.axis],
        inner=prod(shape[order.axis + 1 :]),
        kept=order.kept,
        descending=order.descending,
        call=LibraryCall(
            f"{prefix}_{operation.op}",
            Callee(f"torch:{operation.op}", "torch", "", _called(operation, used)),
            tuple(
                read[x] for x, place in zip(operation.operands, places, strict=True) if not place
            ),
            tuple(outs[i] for i in used),
            operation.origins,
        ),
        origins=operation.origins,
    )


def _called(operation: Operation, used: Sequence[int]) -> Callable[..., tuple[torch.Tensor, ...]]:
    """The framework's results that are read, as a function of the operands in memory."""
    meaning = eval_torch.callable_of(operation)

    def call(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        read = iter(given)
        operands = (
            _places(x.type, operation["dimension"], given[0].device)
            if is_place(operation, x)
            else next(read)
            for x in operation.operands
        )
        made = meaning(*operands)
        return tuple(made[i] for i in used)

    return call


def _places(type_: TensorType, axis: int, device: torch.device) -> torch.Tensor:
    line = torch.arange(type_.sizes[axis], dtype=TORCH[type_.dtype.name], device=device)
    return line.view(-1, *(1 for _ in type_.shape[axis + 1 :])).expand(type_.sizes)
