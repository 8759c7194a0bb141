"""A torch program run in float64, whichever types it names: the reference of numerical errors."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

_UPCAST = frozenset({torch.float32, torch.float16, torch.bfloat16})


class InFloat64(TorchDispatchMode):
    """A dispatch mode in which operations on f16, bf16 and f32 compute in float64."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        args, kwargs = pytree.tree_map(_upcast, (args, dict(kwargs or {})))
        result = func(*args, **kwargs)
        # A constant comes in from outside, in the type that it was written in.
        return pytree.tree_map(_upcast, result) if func.namespace == "aten" else result


@contextmanager
def by_default() -> Iterator[None]:
    """Inside, what a program makes without naming a type is float64. Of programs with torch.cond
    and its kin, which run through Dynamo by themselves: under a mode of dispatch Dynamo gives their
    functions up, for good."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _upcast(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return torch.float64 if value in _UPCAST else value
    if isinstance(value, torch.Tensor) and value.dtype in _UPCAST:
        return value.to(torch.float64)
    return value
