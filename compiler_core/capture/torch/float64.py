"""A torch program run in float64, whichever types it names: the reference of numerical errors."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from compiler_core.interop.private import TorchDispatchMode, pytree

_UPCAST = {
    torch.float32: torch.float64,
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.complex64: torch.complex128,
}


class InFloat64(TorchDispatchMode):
    """A dispatch mode in which operations on f16, bf16 and f32 compute in float64."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is torch.ops.aten.view.dtype:
            _refuse_bits(*args)
            return in_float64(func(*args))
        args, kwargs = pytree.tree_map(in_float64, (args, dict(kwargs or {})))
        if func in _OF_SCALES:
            return _with_scales_in_float32(func, args)
        result = func(*args, **kwargs)
        # A constant comes in from outside, in the type that it was written in.
        return pytree.tree_map(in_float64, result) if func.namespace == "aten" else result


# Operations on gradients of any dtype, which stay as they are, and on a scale, which must be
# float32.
_OF_SCALES = frozenset(
    {
        torch.ops.aten._amp_foreach_non_finite_check_and_unscale_.default,
        torch.ops.aten._amp_update_scale_.default,
    }
)


def _with_scales_in_float32(func: Any, args: Sequence[Any]) -> Any:
    """Such an operation; what it writes to float32 is written to what it was given."""
    given = [_in_float32(x) for x in args]
    func(*given)
    for upcast, downcast in zip(args, given, strict=True):
        if upcast is not downcast:
            upcast.copy_(downcast)
    return None if func._schema.returns == [] else args[0]


def _in_float32(value: Any) -> Any:
    is_float64 = isinstance(value, torch.Tensor) and value.dtype is torch.float64
    return value.float() if is_float64 else value


@contextmanager
def by_default() -> Iterator[None]:
    """Within the context, tensors created without a dtype are float64. It is for programs with
    torch.cond and the like, which run through Dynamo by themselves: under a dispatch mode, Dynamo
    gives their functions up for good."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def in_float64(value: Any) -> Any:
    """A tensor or dtype, as float64 where it is a narrower floating-point one; anything else as it
    is."""
    if isinstance(value, torch.dtype):
        return _UPCAST.get(value, value)
    if isinstance(value, torch.Tensor) and value.dtype in _UPCAST:
        return value.to(_UPCAST[value.dtype])
    return value


def _refuse_bits(x: torch.Tensor, dtype: torch.dtype) -> None:
    if x.is_floating_point() and dtype is not x.dtype:
        raise TypeError("it reads the bits of floating-point numbers")
