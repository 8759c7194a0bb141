"""Graphs of TorchDynamo's that write to memory which two of their inputs share, and return a view
of it. AOTAutograd makes one tensor of all that memory, and where in it such an output begins is
known to torch's own kernels alone."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

SHARED = "two inputs share memory that is written to, and a view of it is returned"


def hands_on_shared_memory(module: Any) -> bool:
    """Whether a graph does. Each tensor in it knows its memory, and how often it was written to."""
    inputs = [x for n in module.graph.find_nodes(op="placeholder") for x in _tensors(n)]
    memory = Counter(map(_memory, inputs))
    written = {_memory(x) for x in inputs if x._version and memory[_memory(x)] > 1}
    returned = (n for n in module.graph.output_node().all_input_nodes if n.op != "placeholder")
    return any(_memory(x) in written for n in returned for x in _tensors(n))


def _tensors(node: torch.fx.Node) -> Iterator[torch.Tensor]:
    value = node.meta.get("example_value")
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:
        yield value


def _memory(x: torch.Tensor) -> int:
    address: int = x.untyped_storage()._cdata
    return address
