"""Outputs that say where elements are: which of equal elements comes first is often left open.

torch.sort and torch.topk promise no order of equal elements, and each compiler has its own. Their
places are therefore compared by the elements that they lead to; a place that occurs twice, or is
none, leads to NaN.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Operation, Value


@dataclass(frozen=True)
class Places:
    """Output number `output` has places along `dim` of the elements of `keys`."""

    output: int
    keys: Value
    dim: int

    def elements(self, places: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """What stands at `places` of `keys`, both on one device, in the type of the program's own
        keys. `places` itself where it is none by its type."""
        if places.is_floating_point() or places.dim() != keys.dim():
            return places
        index, length = places.long(), keys.shape[self.dim]
        found = keys.gather(self.dim, index.clamp(0, max(0, length - 1)))
        wrong = (index < 0) | (index >= length) | _repeated(index, self.dim)
        return found.masked_fill(wrong, torch.nan).to(TORCH[self.keys.type.dtype.name])


def _repeated(index: torch.Tensor, dim: int) -> torch.Tensor:
    """Which lines along `dim` have a place twice."""
    ordered = index.sort(dim).values
    length = index.shape[dim]
    if length < 2:
        return torch.zeros_like(index, dtype=torch.bool)
    same = ordered.narrow(dim, 1, length - 1) == ordered.narrow(dim, 0, length - 1)
    return same.any(dim, keepdim=True).expand_as(index)


def places_of(graph: Graph) -> tuple[Places, ...]:
    """The outputs of a graph that are places of floating-point elements in no promised order."""
    return tuple(_places(graph))


def _places(graph: Graph) -> Iterator[Places]:
    builder = Builder(graph.next_id)
    for number, output in enumerate(graph.outputs):
        found = _keys(output, builder)
        if found is not None and found[0].type.dtype.is_float:
            yield Places(number, *found)


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
