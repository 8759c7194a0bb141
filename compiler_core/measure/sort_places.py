"""Outputs that are indices of a sort: which of equal elements comes first is often left open.

torch.sort and torch.topk promise no order of equal elements, and each compiler has its own. Their
indices (places) are therefore compared by the elements that they lead to; an index that occurs
twice, or is out of bounds, leads to NaN. What is gathered from another tensor at such indices may
stand in any order where keys are equal.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.ops import OPS, order
from compiler_core.ir.sizes import Dim, at_most, product
from compiler_core.ir.types import I64, DType

# What puts elements in order.
ORDERING = frozenset(row.name for row in order.ROWS)


@dataclass(frozen=True)
class Places:
    """Output number `output` has indices along `dim` into keys of type `dtype`, in any order and
    shape. `needs` are the values of the graph that `compared` is given in float64: the keys, and
    for each index the number of the line of keys along `dim` that it belongs to."""

    output: int
    dim: int
    dtype: torch.dtype
    needs: tuple[Value, ...] = ()

    def compared(
        self, places: torch.Tensor, exact: torch.Tensor, keys: torch.Tensor, lines: torch.Tensor
    ) -> torch.Tensor:
        """The keys at `places`, in the type of the program's own keys, or in float64 where that
        type has no NaN; all tensors are on one device. `places` itself where its shape differs from
        that of `exact`."""
        if places.shape != lines.shape or not keys.numel():
            return places
        index, length = places.long(), keys.shape[self.dim]
        at = lines.long() * length + index.clamp(0, length - 1)
        found = keys.movedim(self.dim, -1).reshape(-1)[at]
        wrong = (index < 0) | (index >= length) | (index != places) | _repeated(at)
        shown = found.double().masked_fill(wrong, torch.nan)
        return shown.to(self.dtype) if self.dtype.is_floating_point else shown


def _repeated(index: torch.Tensor) -> torch.Tensor:
    """Which elements are there twice."""
    _, which, counts = index.unique(return_inverse=True, return_counts=True)
    return (counts > 1)[which]


@dataclass(frozen=True)
class Taken:
    """Output number `output` has the elements of another tensor at such indices, as torch.gather at
    torch.argsort. Elements whose keys are equal may come in any order."""

    output: int
    keys: Value
    places: Value
    elements: Value
    dim: int

    @property
    def needs(self) -> tuple[Value, ...]:
        return self.keys, self.places, self.elements

    def compared(
        self,
        taken: torch.Tensor,
        exact: torch.Tensor,
        keys: torch.Tensor,
        places: torch.Tensor,
        elements: torch.Tensor,
    ) -> torch.Tensor:
        """`taken`, with elements of equal keys in the order that they have in `exact`. Where a
        top-k may end in any of several equal keys, each element is as far from `exact` as it is
        from the nearest element that may be there."""
        if taken.shape != exact.shape:
            return taken
        x, r, keys, places, elements = (
            t.movedim(self.dim, -1) for t in (taken, exact, keys, places.long(), elements)
        )
        at = keys.gather(-1, places)
        x = _as_ordered(x, r, at)
        open_ = at == at[..., -1:]
        some = open_.sum(-1, keepdim=True) < (keys == at[..., -1:]).sum(-1, keepdim=True)
        off = x.double() - _nearest(x.double(), elements, keys == at[..., -1:])
        x = torch.where(open_ & some, (r + off).to(x.dtype), x)
        return x.movedim(-1, self.dim)


def _as_ordered(x: torch.Tensor, r: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """`x` along its last dimension, within each run of equal `keys` in the order of `r` there."""
    starts = torch.ones_like(keys, dtype=torch.long)
    starts[..., 1:] = (keys[..., 1:] != keys[..., :-1]).long()
    runs = starts.cumsum(-1)
    return torch.empty_like(x).scatter(-1, _by_run(r, runs), x.gather(-1, _by_run(x, runs)))


def _by_run(x: torch.Tensor, runs: torch.Tensor) -> torch.Tensor:
    """The places that put `x` in order within each run."""
    ordered = x.argsort(dim=-1, stable=True)
    return ordered.gather(-1, runs.gather(-1, ordered).argsort(dim=-1, stable=True))


def _nearest(x: torch.Tensor, elements: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """To each of `x`, the nearest of the `allowed` elements of its line; some are."""
    line = elements.double().masked_fill(~allowed, torch.inf).sort(-1).values.contiguous()
    most = allowed.sum(-1, keepdim=True) - 1
    above = torch.searchsorted(line, x.contiguous()).minimum(most)
    low, high = line.gather(-1, (above - 1).clamp_min(0)), line.gather(-1, above)
    return torch.where((x - low).abs() < (x - high).abs(), low, high)


def places_of(graph: Graph) -> tuple[Places | Taken, ...]:
    """The outputs of a graph that are indices of elements in no promised order, or floating-point
    elements gathered at such indices."""
    return tuple(_places(graph))


def _places(graph: Graph) -> Iterator[Places | Taken]:
    builder = Builder(graph.next_id)
    for number, output in enumerate(graph.outputs):
        found = _placed(output, builder)
        if found is not None:
            keys, dim, lines = found
            yield Places(number, dim, TORCH[keys.type.dtype.name], (keys, lines))
        elif output.op == "gather":
            yield from _taken(number, output, builder)


def _taken(number: int, output: Value, b: Builder) -> Iterator[Taken]:
    elements, places = output.operands
    found = _keys(places, b)
    if found is None or not found[0].type.dtype.is_float or elements is found[0]:
        return
    keys, dim = found
    others = tuple(d for d in range(keys.type.rank) if d != dim)
    along = output["collapsed_slice_dims"] == (dim,) and output["operand_batching_dims"] == others
    if along and output["start_indices_batching_dims"] == others:
        yield Taken(number, keys, places, elements, dim)


def _placed(value: Value, b: Builder) -> tuple[Value, int, Value] | None:
    """The elements that `value` has places of, along which dimension, and the lines that these are
    of: what moves places moves their lines."""
    if value.op in _MOVES:
        found = _placed(value.operands[0], b)
        if found is None:
            return None
        keys, dim, lines = found
        moved = b.copy(value.operation, (lines, *value.operands[1:]))
        return keys, dim, replace(moved, types=(value.type.with_dtype(I64),)).result
    if value.op == "convert":
        found = _placed(value.operands[0], b)
        return found if found and _holds(value.type.dtype, found[0].type.shape[found[1]]) else None
    sorted_ = _sorted_keys(value.operation, value.index)
    return None if sorted_ is None else (*sorted_, _lines(value.type.shape, sorted_[1], b))


# Operations whose result has elements of the first operand, each at most once in what is compared.
_MOVES = frozenset(
    row.name for row in OPS.values() if row.reads_part or (row.free_view and not row.repeats)
)


def _holds(dtype: DType, length: Dim) -> bool:
    """Whether every place in a line is a number of the type."""
    return at_most(length, 1 << (dtype.bits // 2 if dtype.is_float else dtype.bits - 1))


def _lines(shape: Sequence[Dim], dim: int, b: Builder) -> Value:
    others = [d for d in range(len(shape)) if d != dim]
    counted = b.iota(I64, (product(shape[d] for d in others),), 0)
    apart = b.reshape(counted, [shape[d] for d in others])
    return b.broadcast_in_dim(apart, shape, others)


def _keys(value: Value, b: Builder) -> tuple[Value, int] | None:
    """The elements that `value` has places of, and along which dimension."""
    if value.op not in _THROUGH:
        return _sorted_keys(value.operation, value.index)
    found = _keys(value.operands[0], b)
    return None if found is None else _THROUGH[value.op](value, *found, b)


def _converted(value: Value, keys: Value, dim: int, b: Builder) -> tuple[Value, int] | None:
    return (keys, dim) if value.type.dtype.name in ("i32", "i64") else None


def _sliced(value: Value, keys: Value, dim: int, b: Builder) -> tuple[Value, int] | None:
    """Some of the places of each line."""
    begins = [start for d, start in enumerate(value["start"]) if d != dim]
    apart = [step for d, step in enumerate(value["strides"]) if d != dim]
    return (keys, dim) if set(begins) <= {0} and set(apart) <= {1} else None


def _transposed(value: Value, keys: Value, dim: int, b: Builder) -> tuple[Value, int]:
    order = value["permutation"]
    return b.transpose(keys, order), order.index(dim)


# What leaves a place a place.
_THROUGH: dict[str, Callable[[Value, Value, int, Builder], tuple[Value, int] | None]] = {
    "convert": _converted,
    "slice": _sliced,
    "transpose": _transposed,
}


def _sorted_keys(operation: Operation, index: int) -> tuple[Value, int] | None:
    """Of one result of a sort or a top-k."""
    if operation.op == "top_k" and index == 1:
        return operation.operands[0], operation.operands[0].type.rank - 1
    if operation.op != "sort" or operation["stable"] or operation["keys"] > 1 or index == 0:
        return None
    place, dim = operation.operands[index], operation["dimension"]
    counts = place.op == "iota" and place["dimension"] == dim
    return (operation.operands[0], dim) if counts else None
