"""Functions of torch that accept only a number where a size is given, expressed by others that
accept symbolic sizes."""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch.private import assert_of_sizes
from compiler_core.snippet.circumstances import set_back


@contextlib.contextmanager
def roots_followed(module: ModuleType | None) -> Iterator[None]:
    """Context in which `math.sqrt`, under any name that the snippet's `module` has for it, gives a
    symbolic number for a symbolic size, as TorchDynamo does: Python's own accepts only floats and
    so asks for the size."""
    own = math.sqrt

    def sqrt(x: Any, /) -> Any:
        return torch.sym_sqrt(x) if isinstance(x, torch.SymInt | torch.SymFloat) else own(x)

    spaces = [vars(math), {} if module is None else vars(module)]
    named = tuple((s, name, sqrt) for s in spaces for name, x in s.items() if x is own)
    with set_back(named):
        yield


class SizesTaken(TorchFunctionMode):
    """A mode that replaces functions by the rows of the table below; a row that returns None leaves
    the call to torch, as rows do if no size is symbolic."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        row = _ROWS.get(func)
        found = None if row is None else _by(row, args, dict(kwargs))
        return func(*args, **kwargs) if found is None else found


def _by(row: Callable[..., Any], args: Sequence[Any], named: dict[str, Any]) -> Any:
    """What torch's functions call their first argument, a row may call otherwise."""
    first = [named.pop("input")] if "input" in named else []
    return row(*first, *args, **named)


def _linspace(
    start: Any, end: Any, steps: Any, *, dtype: torch.dtype | None = None,
    device: Any = None, **more: Any,
) -> torch.Tensor | None:  # fmt: skip
    """From both ends to the middle, as torch has it; None for what is left to torch."""
    dtype = dtype or torch.get_default_dtype()
    ends = isinstance(start, torch.Tensor), isinstance(end, torch.Tensor)
    if not isinstance(steps, torch.SymInt) or any(ends) or more or not dtype.is_floating_point:
        return None
    place, step = torch.arange(steps, dtype=dtype, device=device), (end - start) / (steps - 1)
    from_end = end - step * (steps - 1 - place)
    return torch.where(place < steps // 2, start + step * place, from_end)


def _one_hot(tensor: torch.Tensor, num_classes: Any = -1) -> torch.Tensor | None:
    if not isinstance(num_classes, torch.SymInt):
        return None
    return (tensor.unsqueeze(-1) == torch.arange(num_classes, device=tensor.device)).long()


def _item(x: torch.Tensor, index: Any) -> torch.Tensor | None:
    """`table[:n]` of so many rows is of a size that is no larger; `x[n // 2]` is a row."""
    if isinstance(index, torch.SymInt):
        return x.select(0, index)
    parts = index if isinstance(index, tuple) else (index,)
    if all(part is None or isinstance(part, _PLAIN) for part in parts):
        for part, size in zip(_along_each(parts, x.dim()), x.shape, strict=False):
            if isinstance(part, slice) and _may_be_beyond(part.stop, size):
                assert_of_sizes(part.stop <= size)
    return None


_PLAIN = (slice, int, torch.SymInt, type(Ellipsis))


def _along_each(parts: Sequence[Any], rank: int) -> Sequence[Any]:
    """What is taken along each dimension, as far as is written."""
    own = [part for part in parts if part is not None]
    if Ellipsis not in own:
        return own
    at = own.index(Ellipsis)
    return [*own[:at], *[slice(None)] * (rank - len(own) + 1), *own[at + 1 :]]


def _may_be_beyond(stop: Any, size: Any) -> bool:
    """Whether a slice ends at a size that varies, of what has a number of elements, and does so
    within it in this call."""
    varies = isinstance(stop, torch.SymInt) and not isinstance(size, torch.SymInt)
    return varies and stop.node.has_hint() and stop.node.hint <= size


def _interpolated(
    x: torch.Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", **more: Any
) -> torch.Tensor | None:
    """An image whose sides vary, repeated a whole number of times: torch computes its new sides as
    numbers."""
    sides, by = x.shape[2:], scale_factor
    plain = size is None and mode == "nearest" and len(sides) in _NEAREST and not any(more.values())
    varies = any(isinstance(side, torch.SymInt) for side in x.shape)
    if not plain or not varies or not isinstance(by, int | float) or by != int(by) or by < 1:
        return None
    factors = [float(by)] * len(sides)
    found: torch.Tensor = _NEAREST[len(sides)](x, [side * int(by) for side in sides], *factors)
    return found


def _pooled(rank: int) -> Callable[..., torch.Tensor | None]:
    """The mean of windows that divide a side which varies without a rest: torch asks for their
    length."""

    def rule(x: torch.Tensor, output_size: Any) -> torch.Tensor | None:
        given = output_size if isinstance(output_size, Sequence) else [output_size] * rank
        sides = x.shape[-rank:]
        counts = [n if c is None else c for c, n in zip(given, sides, strict=False)]
        varies = any(isinstance(side, torch.SymInt) for side in sides)
        if not varies or any(n % c for n, c in zip(sides, counts, strict=True)):
            return None
        for dim, (side, count) in enumerate(zip(sides, counts, strict=True), -rank):
            x = x.unflatten(dim, (count, side // count)).mean(dim)
        return x

    return rule


_NEAREST = {
    1: torch.ops.aten.upsample_nearest1d.default,
    2: torch.ops.aten.upsample_nearest2d.default,
    3: torch.ops.aten.upsample_nearest3d.default,
}
_ROWS: dict[Callable[..., Any], Callable[..., torch.Tensor | None]] = {
    torch.linspace: _linspace,
    functional.one_hot: _one_hot,
    torch.Tensor.__getitem__: _item,
    functional.interpolate: _interpolated,
    functional.adaptive_avg_pool1d: _pooled(1),
    functional.adaptive_avg_pool2d: _pooled(2),
    functional.adaptive_avg_pool3d: _pooled(3),
}
