"""Reading and writing at an index that is a tensor without dimensions: `betas[t]`. torch asks such
a tensor for its value and returns a view; a trace has no values, so what is read is a copy.
Programs that write into such a copy are detected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_MASKS = (torch.bool, torch.uint8)


class PlaceWritten(Exception):
    """A program writes into what it took at an index that is known only when it runs."""


def is_scalar(item: Any) -> bool:
    """Whether a part of an index is a tensor that selects one position."""
    return (
        isinstance(item, Tensor)
        and item.dim() == 0
        and not (item.dtype in _MASKS or item.is_floating_point() or item.is_complex())
    )


def has_scalars(index: Any) -> bool:
    """Whether an index has such a tensor and no other tensors or lists, with which torch orders
    dimensions by rules of its own."""
    items = _items(index)
    others = [i for i in items if not is_scalar(i)]
    return len(others) < len(items) and not any(isinstance(i, Tensor | Sequence) for i in others)


@dataclass(eq=False)
class _Taken:
    """What `of[index]` gave."""

    copy: Tensor
    of: Tensor
    index: Any
    written: bool = False


class Places:
    """The reads at such indices that a program has made."""

    def __init__(self) -> None:
        self._taken: list[_Taken] = []

    def read(self, x: Tensor, index: Any) -> Tensor:
        """x[index], as a copy."""
        rest, places = _split(x, index)
        copy: Tensor = torch.ops.aten.index.Tensor(x[rest], places)
        self._taken.append(_Taken(copy, x, index))
        return copy

    def write(self, x: Tensor, index: Any, value: Any) -> None:
        """x[index] = value. `x[index] += 1` writes into the copy that was read, and then calls this
        with it."""
        for taken in self._taken:
            if taken.of is x and taken.index is index and _memory(value) == _memory(taken.copy):
                taken.written = False
        rest, places = _split(x, index)
        target = x[rest]
        new = torch.as_tensor(value, device=x.device).to(x.dtype)
        while new.dim() > target.dim() - sum(p is not None for p in places):
            new = new.squeeze(0)
        torch.ops.aten.index_put_(target, places, new)

    def note_write(self, func: Any, arguments: Sequence[Any]) -> None:
        """Records a call of an in-place operation, with its arguments in the schema's order."""
        given = zip(func._schema.arguments, arguments, strict=True)
        into = [x for a, x in given if a.alias_info and a.alias_info.is_write]
        written = [_memory(x) for each in into for x in (each if _is_list(each) else [each])]
        for taken in self._taken:
            taken.written |= _memory(taken.copy) in written

    def check(self) -> None:
        """Raises PlaceWritten if the program wrote into a copy that should have been a view."""
        if any(taken.written for taken in self._taken):
            raise PlaceWritten


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _memory(value: Any) -> int | None:
    return value.untyped_storage()._cdata if isinstance(value, Tensor) else None


def _items(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _split(x: Tensor, index: Any) -> tuple[tuple[Any, ...], list[Tensor | None]]:
    """The index with whole dimensions for the scalars, and, for each dimension of what that gives
    up to the last of these, its scalar or None."""
    items = _with_slices(_items(index), x.dim())
    kept = [i for i in items if not isinstance(i, int) or isinstance(i, bool)]
    places = [i if is_scalar(i) else None for i in kept]
    rest = tuple(slice(None) if is_scalar(i) else i for i in items)
    return rest, places


def _with_slices(items: tuple[Any, ...], rank: int) -> list[Any]:
    """The parts of an index, with slices in place of an ellipsis."""
    used = sum(i is not None and i is not Ellipsis and not isinstance(i, bool) for i in items)
    return [
        part for i in items for part in ([slice(None)] * (rank - used) if i is Ellipsis else [i])
    ]
