"""Which outputs of a graph are its inputs, views of its inputs, of its other outputs or of one
tensor, or numbers computed from numbers. Torch itself creates these, and nothing is copied:
autograd knows tensors by identity, and by the count of the writes to their memory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from operator import getitem
from typing import Any

import torch

from compiler_core.capture.torch.memory import is_view
from compiler_core.capture.torch.symbols import is_number
from compiler_core.interop.private import OpOverload


class Outputs:
    """The outputs of `module`, an FX graph of ATen operations without writes: its tensors, and its
    numbers that are computed from others than sizes. `computed` are the nodes that an executable
    has to compute, each once: outputs, and what two of the first `seen` outputs are views of, so
    that who writes to the one finds it in the other. All other outputs are views of these and of
    inputs. `inputs` are the positions of the inputs that these views need."""

    def __init__(self, module: Any, seen: int = 0) -> None:
        inputs = [n for n in module.graph.nodes if n.op == "placeholder"]
        every = module.graph.output_node().args[0]
        outputs = [n for n in every if _is_of_these(n)]
        viewed = list(_viewed_twice(filter(is_tensor, every[:seen])))
        roots = {*inputs, *outputs, *viewed}
        named = dict.fromkeys((*outputs, *viewed))
        self.computed = [n for n in named if not _is_handed_on(n, roots)]
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


def _viewed_twice(outputs: Iterable[Any]) -> Iterator[Any]:
    """What several of these are views of, that is computed."""
    views = Counter(_owner(n) for n in dict.fromkeys(outputs))
    return (n for n, count in views.items() if count > 1 and n.op == "call_function")


def _owner(node: Any) -> Any:
    """The node whose memory that of a node is a part of."""
    while (source := _viewed(node)) is not None:
        node = source
    return node


def _viewed(node: Any) -> Any:
    """What a node is a view of, or None."""
    view = node.args[0] if node.target is getitem else node
    is_one = isinstance(view.target, OpOverload) and is_view(view.target)
    return view.args[0] if is_one else None


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
