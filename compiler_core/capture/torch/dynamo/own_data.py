"""`p.data -= x` and `p.data = y`. TorchDynamo's graph gives the tensor other memory in both, by
`set_`, for which AOTAutograd has no graph. In the first it is the memory that the tensor has: what
is computed there is written into it already."""

import operator
from typing import Any

import torch

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.errors import CaptureError

# What Dynamo calls the function by which autograd does not notice the assignment.
_UNNOTICED = "_lower_version_count_by_1"
# What it calls for `x.data`.
_DATA = torch._C._autograd._get_data_attr
_IN_PLACE = frozenset(
    getattr(operator, name)
    for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior")
)


def without_own_data(module: Any) -> None:
    """Takes from a graph of TorchDynamo's the assignments of `data` that leave a tensor the memory
    that it has. Raises CaptureError, with the snippet's line, for any other."""
    graph = module.graph
    assigned = graph.find_nodes(op="call_function", target=torch.Tensor.set_)
    for node in assigned:
        _leave_out(graph, node)
    if assigned:
        module.recompile()


def _leave_out(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    tensor, value, *_ = node.args
    if _owner(value) is not tensor:
        raise _other_memory(node)
    for user in [u for u in node.users if getattr(u.target, "__name__", "") == _UNNOTICED]:
        user.replace_all_uses_with(tensor)
        graph.erase_node(user)
    node.replace_all_uses_with(tensor)
    graph.erase_node(node)


def _owner(value: Any) -> Any:
    """What a value is all the memory of, by `data` and by operations in place."""
    while isinstance(value, torch.fx.Node) and (_writes(value) or value.target is _DATA):
        value = value.args[0]
    return value


def _writes(node: torch.fx.Node) -> bool:
    """Whether a node's result is its first argument, changed."""
    by_name = node.op == "call_method" and str(node.target).endswith("_")
    return (by_name and not str(node.target).endswith("__")) or node.target in _IN_PLACE


def _other_memory(node: torch.fx.Node) -> CaptureError:
    at = place_of(node.meta.get("stack_trace"))
    return CaptureError(
        "an assignment to `data` gives a tensor other memory, for which no graph has an operation",
        line=at[0] if at else None,
        remedy="write into the tensor that there is: p.data.copy_(y)",
    )
