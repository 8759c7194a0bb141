"""Graphs of TorchDynamo's that write to memory which two of their inputs share. AOTAutograd
replaces all that memory by one tensor. The offset of an output that is a view of it is then known
only to torch's own kernels, and the offsets of the inputs are those of the call that was
compiled."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

SHARED = "two inputs share memory that is written to, and a view of it is returned"


def hands_on_shared_memory(module: Any) -> bool:
    """Whether a graph returns a view of such memory. Each tensor in it knows its memory, and how
    often it was written to."""
    inputs = [x for n in module.graph.find_nodes(op="placeholder") for x in _tensors(n)]
    memory = Counter(map(_memory, inputs))
    written = {_memory(x) for x in inputs if x._version and memory[_memory(x)] > 1}
    returned = (n for n in module.graph.output_node().all_input_nodes if n.op != "placeholder")
    return any(_memory(x) in written for n in returned for x in _tensors(n))


BEGINS = "a view of an input that is written to is returned, and where it begins varies with a size"


def begins_at_a_size(module: Any) -> bool:
    """Whether a graph returns a tensor in written memory whose offset is symbolic: AOTAutograd
    takes the offset from the tensor that is computed, which has memory of its own."""
    inputs = [x for n in module.graph.find_nodes(op="placeholder") for x in _tensors(n)]
    written = {_memory(x) for x in inputs if x._version}
    returned = [x for n in module.graph.output_node().all_input_nodes for x in _tensors(n)]
    return any(_memory(x) in written and isinstance(x.storage_offset(), torch.SymInt)
               for x in returned)  # fmt: skip


FORM = (
    "the form of a result that records a gradient is changed in place, and a view of it is returned"
)


def _changes_form(name: str) -> bool:
    packet = getattr(torch.ops.aten, name, None)
    overloads = packet.overloads() if packet else ()
    return any(torch.Tag.inplace_view in getattr(packet, each).tags for each in overloads)


# "t_", "unsqueeze_" and the like.
_IN_PLACE = (name for name in dir(torch.Tensor) if name.endswith("_") and name[0] != "_")
_FORMERS = frozenset(filter(_changes_form, _IN_PLACE))


def changes_a_form(module: Any) -> bool:
    """Whether a graph does: AOTAutograd's own code fails at such a view at the call."""
    nodes = module.graph.nodes
    called = (n for n in nodes if n.op == "call_method" and n.target in _FORMERS)
    given = (x for n in called for x in _tensors(n.args[0]))
    formed = [x for x in given if x.requires_grad and not x._is_view()]
    returned = [x for n in module.graph.output_node().all_input_nodes for x in _tensors(n)]
    memory = Counter(map(_memory, returned))
    return any(memory[_memory(x)] > 1 for x in formed)


def why_by_torch(module: Any) -> str:
    """Why a graph is run by torch that returns memory which it writes to, or a tensor whose form it
    changes; "" if it need not be."""
    rules = ((hands_on_shared_memory, SHARED), (begins_at_a_size, BEGINS), (changes_a_form, FORM))
    return next((reason for holds, reason in rules if holds(module)), "")


OTHERWISE = "it writes to inputs that share memory otherwise than in the call that was compiled"


def as_compiled(
    module: Any, run: Callable[..., Any], on_other: Callable[[str], None]
) -> Callable[..., Any]:
    """`run`, a compiled graph, for calls whose inputs share memory, at the same offsets, as those
    that the graph was compiled for. If the graph writes to an input, any other call is run by
    torch, and `on_other` is called with the reason. Neither TorchDynamo nor AOTAutograd guards on
    this."""
    given = [x for n in module.graph.find_nodes(op="placeholder") for x in _tensors(n)]
    if len(given) < 2 or not any(x._version for x in given):
        return run
    compiled = _sharing(given)

    def called(*args: Any) -> Any:
        if _is_so(_sharing(_strided(args)), compiled):
            return run(*args)
        on_other(OTHERWISE)
        return module.forward(*args)

    return called


class _Shared(NamedTuple):
    """A tensor whose memory another has too: which one is the first of these, and where the tensor
    begins, a symbol where TorchDynamo gives that to the graph."""

    first: int
    number: int
    begins: int | torch.SymInt


def _is_so(found: Sequence[_Shared], compiled: Sequence[_Shared]) -> bool:
    if len(found) != len(compiled):
        return False
    pairs = zip(found, compiled, strict=True)
    return all(x[:2] == y[:2] and _begins_so(x, y) for x, y in pairs)


def _begins_so(found: _Shared, compiled: _Shared) -> bool:
    return isinstance(compiled.begins, torch.SymInt) or found.begins == compiled.begins


def _sharing(tensors: Iterable[torch.Tensor]) -> Sequence[_Shared]:
    tensors = list(tensors)
    memory = [_memory(x) for x in tensors]
    if len(set(memory)) == len(memory):
        return []
    count = Counter(memory)
    shared = [i for i, m in enumerate(memory) if count[m] > 1]
    return [_Shared(memory.index(memory[i]), i, tensors[i].storage_offset()) for i in shared]


def _strided(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor) and value.layout is torch.strided:
            yield value


def _tensors(node: torch.fx.Node) -> Iterator[torch.Tensor]:
    return _strided([node.meta.get("example_value")])


def _memory(x: torch.Tensor) -> int:
    address: int = x.untyped_storage()._cdata
    return address
