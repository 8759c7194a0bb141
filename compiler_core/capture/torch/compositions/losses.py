"""Losses that torch has as operations of its own, written in Python."""

from collections.abc import Callable
from typing import Any

from torch.nn.modules import linear_cross_entropy


def _in_python(operation: Any) -> Callable[..., object]:
    """What torch.library was given for an operation."""
    function: Callable[..., object] = operation._init_fn
    return function


TABLE: dict[str, Callable[..., object]] = {
    "torch_nn::_linear_cross_entropy_batch_chunked": _in_python(
        linear_cross_entropy._linear_cross_entropy_batch_chunked
    ),
    "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction": _in_python(
        linear_cross_entropy._linear_cross_entropy_batch_chunked_no_reduction
    ),
}
