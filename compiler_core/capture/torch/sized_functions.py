"""Functions of torch that take a number alone where a size is given: written with others, which
take sizes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch.private import assert_of_sizes


class SizesTaken(TorchFunctionMode):
    """Within the context, a function of the table is what its row says; None of a row leaves it to
    torch, as it does where no size varies."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        row = _ROWS.get(func)
        found = None if row is None else row(*args, **kwargs)
        return func(*args, **kwargs) if found is None else found


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


_ROWS: dict[Callable[..., Any], Callable[..., torch.Tensor | None]] = {
    torch.linspace: _linspace,
    functional.one_hot: _one_hot,
    torch.Tensor.__getitem__: _item,
}
