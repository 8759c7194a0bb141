"""Arguments of a graph, as an executable takes them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from compiler_core.interop.complex_pairs import in_memory, pack
from compiler_core.interop.float8 import FLOAT8


def taken(placeholder: Any) -> Callable[[torch.Tensor | None], torch.Tensor]:
    """What makes of a graph's argument, whose placeholder it is, the one that an executable takes.
    What can be known of it before is: a step of training has a hundred."""
    traced = placeholder.meta["val"]
    if not traced.ndim and traced.dtype.is_floating_point:
        return partial(_number, dtype=traced.dtype)
    packed = traced.dtype.is_complex or traced.dtype in FLOAT8
    return pack if packed else _real


def _real(x: torch.Tensor | None) -> torch.Tensor:
    # None is what torch gives for the empty tensor that calls are kept in order by.
    return torch.empty(0) if x is None else in_memory(x)


def _number(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A number of Python's that Dynamo gives a graph, such as one that is drawn, was traced in
    torch's default type and comes in float64."""
    return pack(x.to(dtype) if x.dtype is torch.float64 else x)
