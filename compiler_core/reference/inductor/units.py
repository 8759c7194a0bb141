"""Nodes of TorchInductor's scheduler as plain values."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from compiler_core.reference.fx_text import name_of_target
from compiler_core.reference.inductor.records import CALL, Origins, Unit
from compiler_core.reference.origins import origins_of

# Operations that Inductor treats as views, though torch does not call them so.
_VIEWS = (torch.ops.aten.reshape.default, torch.ops.aten._unsafe_view.default)


def unit_of(node: Any) -> Unit:
    """A scheduler node as it is now. Raises what Inductor raises for sizes that it does not
    know."""
    origins = list(_origins(node))
    return Unit(
        name=node.get_name(),
        kind=_kind(node),
        members=tuple(n.get_name() for n in node.get_nodes()),
        ops=tuple(dict.fromkeys(_short(name_of_target(o)) for o in origins)),
        origins=origins_of(origins),
        loops=_loops(node),
        reads=_accesses(node.read_writes.reads),
        writes=_accesses(node.read_writes.writes),
        bytes_read=int(node.get_read_buffer_sizes()),
        bytes_written=int(node.get_write_buffer_sizes()),
        read=_sizes(node.read_writes.reads),
        written=_sizes(node.read_writes.writes),
        is_copy=all(map(_only_moves, node.get_nodes())),
    )


def buffers_of(scheduler: Any) -> dict[str, Origins]:
    """The origins of each buffer of the scheduler's nodes."""
    return {
        buffer.get_name(): origins_of(_origins(member))
        for node in scheduler.nodes
        for member in node.get_nodes()
        for buffer in member.get_outputs()
    }


def origins_in(nodes: Iterable[Any]) -> Origins:
    """The origins of what several scheduler nodes compute."""
    return origins_of(origin for node in nodes for origin in _origins(node))


def _sizes(dependencies: Iterable[Any]) -> dict[str, int]:
    """The bytes of each buffer, by name. Needs the graph that is being compiled."""
    return {dep.name: int(dep.numbytes_hint()) for dep in dependencies}


def _origins(node: Any) -> Iterator[Any]:
    """The nodes of the graph that a scheduler node computes, in their order, inputs left out."""
    found = {o for n in node.get_nodes() if n.node is not None for o in _computed(n)}
    yield from sorted(o for o in found if o.op not in ("placeholder", "get_attr", "output"))


def _computed(node: Any) -> Iterable[Any]:
    """A library's call computes one node, from views of others: Inductor counts what computes its
    operands among its origins, which are kernels of their own."""
    call = getattr(node.node, "origin_node", None) if node.is_extern() else None
    origins: Iterable[Any] = node.node.get_origins()
    return origins if call is None else [call, *_viewed(call)]


def _viewed(node: Any) -> Iterator[Any]:
    for each in node.all_input_nodes:
        if getattr(each.target, "is_view", False) or each.target in _VIEWS:
            yield each
            yield from _viewed(each)


# The operations in the body of a loop that computes nothing.
_MOVING = frozenset(("get_index", "load", "store", "output"))


def _only_moves(node: Any) -> bool:
    """Whether a node's loop reads one element and writes it, no more; of a call that is not
    known."""
    counts = getattr(getattr(node, "_body", None), "op_counts", {})
    return counts.get("load") == 1 and _MOVING.issuperset(counts)


def _short(name: str) -> str:
    return name.removeprefix("aten.")


# Nodes that Inductor counts as library calls and that are none: a part of another call's results, a
# number that Python takes from a tensor, and an assertion on sizes.
_NO_CALLS = {
    "MultiOutput": "a part of results",
    "DynamicScalar": "a number for Python",
    "AssertScalar": "an assertion",
}


def _kind(node: Any) -> str:
    if (kind := type(node.node).__name__) in _NO_CALLS:
        return _NO_CALLS[kind]
    if node.is_extern():
        return f"{CALL}{_called(node.node)}"
    if node.is_template():
        return "template"
    if not node.get_nodes() or any(n.node is None for n in node.get_nodes()):
        return "nothing"
    return "reduction" if node.is_reduction() else "pointwise"


def _called(node: Any) -> str:
    name = getattr(node, "python_kernel_name", None) or getattr(node, "op_overload", None)
    return str(name or type(node).__name__)


def _loops(node: Any) -> str:
    group = getattr(node, "group", None)
    if not group or not isinstance(group[1], tuple):
        return ""
    parts = [p if isinstance(p, tuple) else (p,) for p in group[1]]
    return " | ".join(" x ".join(map(str, p)) for p in parts if p and p != (1,))


def _accesses(dependencies: Iterable[Any]) -> tuple[str, ...]:
    return tuple(sorted(map(_access, dependencies)))


def _access(dependency: Any) -> str:
    index = getattr(dependency, "index", None) if hasattr(dependency, "var_names") else None
    return dependency.name if index is None else f"{dependency.name}[{index}]"
