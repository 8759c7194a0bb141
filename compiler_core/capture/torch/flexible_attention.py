"""flex_attention as torch documents it: products and a softmax, between which the program's own
functions run on every score. Its gradient is that of these operations."""

from typing import Any

import torch

from compiler_core.capture.torch.attention import laid_out, order
from compiler_core.capture.torch.private import flex_attention, math_attention


def composed_in(module: Any) -> None:
    """Replaces flex_attention in a graph of Dynamo's and in its functions by products and a
    softmax."""
    for each in [m for m in module.modules() if isinstance(m, torch.fx.GraphModule)]:
        for node in [n for n in each.graph.nodes if n.target is flex_attention]:
            node.target = _as_mathematics
        each.recompile()


def _as_mathematics(query: torch.Tensor, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, ...]:
    """The attention, with the order of the query's strides; the logarithms of its rows' sums, and
    their largest scores."""
    result, *of_rows = math_attention(query, *args, **kwargs)
    return laid_out(result, order(query.stride())), *of_rows
