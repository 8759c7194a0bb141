"""Which tensors of a run of a torch program are indices into sorted elements.

Indices are followed through the operations that move them, across graphs and Python. A tensor is
recognised by its memory, since the program, autograd and the graphs hold different tensor objects
for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.capture.captured import Placed
from compiler_core.interop.private import TorchDispatchMode

_ATEN = torch.ops.aten


@dataclass(frozen=True)
class _Known:
    """`placed` of the tensor `of`, as it was at `version` of its memory, which it keeps alive."""

    placed: Placed
    of: torch.Tensor
    version: int


class Following(TorchDispatchMode):
    """Within the context, indices are followed from the operations that compute them."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[Any, ...], _Known] = {}

    def at(self, x: torch.Tensor) -> Placed | None:
        """What `x` has indices of; None if it has none, or has been written to since."""
        known = self._known.get(_where(x))
        return known.placed if known and known.version == x._version else None

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func in _ORDERS and not kwargs.get("stable"):
            dim = _argument(args, kwargs, _ORDERS[func])
            self._note(result[1], _born(args[0], result[1], dim))
        elif func in _MOVES:
            before = self.at(args[0])
            if before is not None:
                lines = func(before.lines, *args[1:], **kwargs)
                self._note(result, Placed(before.keys, before.dim, lines))
        elif func is _ATEN._to_copy.default:
            before = self.at(args[0])
            if before is not None and _holds(result.dtype, before.keys.shape[before.dim]):
                self._note(result, before)
        return result

    def _note(self, x: torch.Tensor, placed: Placed | None) -> None:
        if placed is not None:
            self._known[_where(x)] = _Known(placed, x, x._version)


def _where(x: torch.Tensor) -> tuple[Any, ...]:
    storage = x.untyped_storage()._cdata
    return storage, x.dtype, x.storage_offset(), tuple(x.shape), x.stride()


def _argument(args: Sequence[Any], kwargs: Mapping[str, Any], place: int) -> int:
    found: int = kwargs.get("dim", args[place] if len(args) > place else -1)
    return found


def _born(x: torch.Tensor, places: torch.Tensor, dim: int) -> Placed | None:
    """Of what has just been put in order along `dim`, which may be gone."""
    if not x.dim() or not x.numel():
        return None
    dim %= x.dim()
    others = [n for d, n in enumerate(x.shape) if d != dim]
    lines = torch.arange(x.numel() // x.shape[dim], device=x.device).reshape(others)
    if places.dim() == x.dim():
        lines = lines.unsqueeze(dim).expand(places.shape)
    return Placed(x.detach().clone(), dim, lines)


def _holds(dtype: torch.dtype, length: int) -> bool:
    """Whether every place in a line is a number of the type."""
    if not dtype.is_floating_point:
        return dtype is not torch.bool and length - 1 <= torch.iinfo(dtype).max
    return length <= 2 / torch.finfo(dtype).eps


# Operations that sort elements, with the position of their argument for the dimension.
_ORDERS: Mapping[Any, int] = {
    _ATEN.sort.default: 1,
    _ATEN.sort.stable: 1,
    _ATEN.topk.default: 2,
    _ATEN.kthvalue.default: 2,
    _ATEN.median.dim: 1,
    _ATEN.nanmedian.dim: 1,
    _ATEN.mode.default: 1,
}
# Operations whose results are elements of the first operand, each at most once as far as results
# are compared.
_MOVES = frozenset(
    {
        _ATEN.alias.default, _ATEN.detach.default, _ATEN.clone.default, _ATEN.view.default,
        _ATEN._unsafe_view.default, _ATEN.slice.Tensor, _ATEN.select.int, _ATEN.t.default,
        _ATEN.transpose.int, _ATEN.permute.default, _ATEN.flip.default, _ATEN.squeeze.dim,
        _ATEN.squeeze.default, _ATEN.squeeze.dims, _ATEN.unsqueeze.default,
        _ATEN.gather.default, _ATEN.index.Tensor, _ATEN.index_select.default,
    }
)  # fmt: skip
