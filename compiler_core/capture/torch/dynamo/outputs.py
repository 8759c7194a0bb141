"""Which outputs of a graph are its inputs, views of its inputs or of its other outputs, or numbers
computed from numbers. Torch itself creates these, and nothing is copied: autograd knows tensors by
identity, and by the count of the writes to their memory."""

from collections.abc import Iterator, Sequence, Set
from operator import getitem
from typing import Any

import torch

from compiler_core.capture.torch.memory import is_view
from compiler_core.capture.torch.symbols import is_number
from compiler_core.interop.private import OpOverload


class Outputs:
    """The outputs of `module`, an FX graph of ATen operations without writes: its tensors, and its
    numbers that are computed from others than sizes. `computed` are the output nodes that an
    executable has to compute, each once; all others are views of these and of inputs. `inputs` are
    the positions of the inputs that these views need."""

    def __init__(self, module: Any) -> None:
        inputs = [n for n in module.graph.nodes if n.op == "placeholder"]
        outputs = [n for n in module.graph.output_node().args[0] if _is_of_these(n)]
        roots = {*inputs, *outputs}
        self.computed = [n for n in dict.fromkeys(outputs) if not _is_handed_on(n, roots)]
        graph = torch.fx.Graph()
        known = {n: graph.placeholder(n.name) for n in (*inputs, *self.computed)}
        graph.output(tuple(_copied(n, graph, known) for n in outputs))
        self.inputs = [i for i, n in enumerate(inputs) if known[n].users]
        for node in inputs:
            if not known[node].users:
                graph.erase_node(known[node])
        self._all = torch.fx.GraphModule(torch.nn.Module(), graph).forward

    def all(self, inputs: Sequence[Any], computed: Sequence[torch.Tensor]) -> Iterator[Any]:
        """All outputs in order, from the values of `inputs` and of `computed`."""
        return iter(self._all(*inputs, *computed))


def _is_of_these(node: Any) -> bool:
    return is_tensor(node) or is_number(getattr(node, "meta", {}).get("val"))


def is_tensor(node: Any) -> bool:
    """Whether the value of a node is a tensor."""
    return isinstance(getattr(node, "meta", {}).get("val"), torch.Tensor)


def _is_handed_on(node: Any, roots: Set[Any]) -> bool:
    """Whether a node is an input, or made of `roots` without work."""
    return node.op == "placeholder" or (
        _is_free(node) and all(n in roots or _is_handed_on(n, roots) for n in node.all_input_nodes)
    )


def _is_free(node: Any) -> bool:
    """Whether a node is a view, or a size."""
    if isinstance(node.meta.get("val"), torch.SymInt) or node.target is getitem:
        return True
    return isinstance(node.target, OpOverload) and is_view(node.target)


def _copied(node: Any, graph: torch.fx.Graph, known: dict[Any, torch.fx.Node]) -> torch.fx.Node:
    """`node` in `graph`, with what it is made of."""
    if node not in known:
        known[node] = graph.node_copy(node, lambda n: _copied(n, graph, known))
    return known[node]
