"""Attention as the mathematics that it is, not as one closed kernel; its result has the strides
that torch's closed kernel gives it, on which views of it depend."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch.dynamo import private

_ATTENTION = torch.nn.functional.scaled_dot_product_attention


class AsMathematics(TorchFunctionMode):
    """Inside, calls of attention on fake tensors become products and a softmax."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not _ATTENTION:
            return func(*args, **kwargs)
        with private.without_modes():
            closed = func(*args, **kwargs).stride()
        with sdpa_kernel(SDPBackend.MATH):
            result = func(*args, **kwargs)
        return result if result.stride() == closed else laid_out(result, order(closed))


def with_closed_strides(module: Any) -> None:
    """Gives the results of attention in a graph of Dynamo's the strides that it noted of them,
    whatever `module` is traced with."""
    for each in [m for m in module.modules() if isinstance(m, torch.fx.GraphModule)]:
        for node in [n for n in each.graph.nodes if n.target is _ATTENTION]:
            with each.graph.inserting_after(node):
                closed = order(node.meta["example_value"].stride())
                laid = each.graph.call_function(laid_out, (node, closed))
            laid.meta = dict(node.meta)
            node.replace_all_uses_with(laid, delete_user_cb=lambda user, own=laid: user is not own)
        each.recompile()


def order(stride: Sequence[Any]) -> tuple[int, ...]:
    """The dimensions from the one with the largest stride to the one with the smallest."""
    return tuple(sorted(range(len(stride)), key=lambda dim: (-stride[dim], -dim)))


def laid_out(x: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """`x` over memory that is dense in the order `dims` of its dimensions."""
    back = [list(dims).index(dim) for dim in range(len(dims))]
    return x.permute(*dims).clone(memory_format=torch.contiguous_format).permute(*back)
