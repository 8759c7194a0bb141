"""Programs of torch in which equal elements keep their order.

torch promises no order of equal elements in sort, topk, kthvalue, median and mode, and has
different ones for different sizes. What depends on it (indices, elements at them, gradients) is as
right in the order of the generated code, where the first of equal elements comes first.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from compiler_core.capture.torch.compositions import places as compositions
from compiler_core.capture.torch.mode import Args, Instead, Kwargs

_ATEN = torch.ops.aten
_COMPOSED: Any = compositions.TABLE["mode"]
Pair = tuple[torch.Tensor, torch.Tensor]


class FirstOfEqual(Instead):
    """Within the context, equal elements keep their order; `called` says whether anything was
    sorted."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        instead = _STABLE.get(func)
        self.called |= instead is not None
        return (instead or func)(*args, **kwargs)


def _sort(x: torch.Tensor, dim: int = -1, descending: bool = False) -> Pair:
    return _sort_stable(x, dim=dim, descending=descending)


def _sort_stable(
    x: torch.Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> Pair:
    values, places = _ATEN.sort.stable(x, stable=True, dim=dim, descending=descending)
    return values, places


def _topk(
    x: torch.Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True  # noqa: A002
) -> Pair:  # fmt: skip
    values, places = _sort_stable(x, dim=dim, descending=largest)
    return (values, places) if x.dim() == 0 else (_first(values, k, dim), _first(places, k, dim))


def _first(x: torch.Tensor, k: int, dim: int) -> torch.Tensor:
    return x.narrow(dim, 0, k).clone(memory_format=torch.contiguous_format)


def _kthvalue(x: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Pair:
    return _at(_sort_stable(x, dim=dim), k - 1, dim, keepdim)


def _at(ordered: Pair, place: int, dim: int, keepdim: bool) -> Pair:
    values, places = (x if x.dim() == 0 else _kept(x, place, dim, keepdim) for x in ordered)
    return values, places


def _kept(x: torch.Tensor, place: int, dim: int, keepdim: bool) -> torch.Tensor:
    found = x.select(dim, place).clone()
    return found.unsqueeze(dim) if keepdim else found


def _median(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> Pair:
    if x.isnan().any() or not x.numel():
        values, places = _ATEN.median.dim(x, dim, keepdim)
        return values, places
    length = x.shape[dim] if x.dim() else 1
    return _kthvalue(x, (length - 1) // 2 + 1, dim, keepdim)


def _mode(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> Pair:
    with FirstOfEqual():
        values, places = _COMPOSED(x, dim, keepdim)
    return values, places


_STABLE: Mapping[Any, Callable[..., Pair]] = {
    _ATEN.sort.default: _sort,
    _ATEN.sort.stable: _sort_stable,
    _ATEN.topk.default: _topk,
    _ATEN.kthvalue.default: _kthvalue,
    _ATEN.median.dim: _median,
    _ATEN.mode.default: _mode,
}
