"""Assignments to a tensor's data, `p.data -= x` and `p.data = y`. For both, TorchDynamo's graph
gives the tensor other memory, by `set_`, which AOTAutograd does not support. In the first case it
is the tensor's own memory, which already holds the result. In the second y is written into the
tensor's memory instead, which is equivalent as long as nothing else shares the memory of either."""

import operator
from typing import Any

import torch

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.errors import CaptureError

# Dynamo's name of the function that hides the assignment from autograd.
_UNNOTICED = "_lower_version_count_by_1"
# The function by which Dynamo's graph reads `x.data`.
_DATA = torch._C._autograd._get_data_attr
_IN_PLACE = frozenset(
    getattr(operator, name)
    for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior")
)


def without_own_data(module: Any) -> None:
    """Removes assignments of `data` from a graph of TorchDynamo's: those that leave a tensor its
    own memory, and those of a new value, which is written into that memory. Raises CaptureError,
    with the snippet's line, for any other assignment."""
    graph = module.graph
    assigned = graph.find_nodes(op="call_function", target=torch.Tensor.set_)
    for node in assigned:
        _leave_out(graph, node)
    if assigned:
        module.recompile()


def _leave_out(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    tensor, value, *_ = node.args
    if _owner(value) is not tensor:
        if not _is_new(value, node) or _is_seen(tensor, node):
            raise _other_memory(node)
        with graph.inserting_before(node):
            kept = graph.call_function(_DATA, (tensor,))
            graph.call_method("copy_", (kept, value)).meta.update(node.meta)
    for user in [u for u in node.users if getattr(u.target, "__name__", "") == _UNNOTICED]:
        user.replace_all_uses_with(tensor)
        graph.erase_node(user)
    node.replace_all_uses_with(tensor)
    graph.erase_node(node)


def _is_new(value: torch.fx.Node, assigned: torch.fx.Node) -> bool:
    """Whether a value is computed for this assignment alone, and has the form of what it is
    assigned to."""
    new, old = _tensor(value), _tensor(assigned.args[0])
    if value.op == "placeholder" or len(value.users) > 1 or new is None or old is None:
        return False
    # By now the tensor has its memory, and what gives the tensor.
    others = (_tensor(n) for n in value.graph.nodes if n not in (value, assigned, assigned.args[0]))
    alone = all(_memory(x) != _memory(new) for x in others if x is not None and x is not old)
    same = (new.shape, new.dtype, new.stride()) == (old.shape, old.dtype, old.stride())
    return alone and same


def _is_seen(tensor: torch.fx.Node, assigned: torch.fx.Node) -> bool:
    """Whether the memory that a tensor had is looked at after it was given other memory."""
    views = (user for user in tensor.users if user < assigned and _is_view(user))
    return any(
        any(assigned < each for each in view.users) or _is_seen(view, assigned) for view in views
    )


def _is_view(node: torch.fx.Node) -> bool:
    value = _tensor(node)
    by_name = node.target is _DATA or str(node.target).endswith("detach")
    return value is not None and (by_name or value._is_view() or _writes(node))


def _tensor(node: Any) -> torch.Tensor | None:
    value = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
    return value if isinstance(value, torch.Tensor) else None


def _memory(x: torch.Tensor) -> int:
    return x.untyped_storage()._cdata


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
