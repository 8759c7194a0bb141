"""The tensors that an FX graph holds: two graphs may have one text and differ in these alone, as of
a line that is called with another table."""

import operator
from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import aot
from compiler_core.interop.private import FakeTensor


def constants_in(module: torch.fx.GraphModule) -> tuple[Any, ...]:
    """Type, shape and bytes of each tensor that the graph or a function in it holds, in order."""
    with aot.without_modes(), torch.no_grad():
        return tuple(map(_content, _tensors(module)))


def _tensors(module: torch.fx.GraphModule) -> Iterator[torch.Tensor]:
    graphs = (m for m in module.modules() if isinstance(m, torch.fx.GraphModule))
    for each in graphs:
        for node in each.graph.find_nodes(op="get_attr"):
            value = operator.attrgetter(str(node.target))(each)
            if isinstance(value, torch.Tensor):
                yield value


def _content(tensor: torch.Tensor) -> tuple[Any, ...]:
    kind = str(tensor.dtype), tuple(tensor.shape), str(tensor.device)
    if isinstance(tensor, FakeTensor):
        return kind
    dense = tensor.detach().cpu().resolve_conj().resolve_neg().reshape(-1).contiguous()
    return *kind, dense.view(torch.uint8).numpy().tobytes()
