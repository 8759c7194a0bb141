"""What the partitioner decided: which values are saved for the backward pass, which are recomputed
there, and why."""

from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.reference.aot import private
from compiler_core.reference.aot.records import Again, Kept
from compiler_core.reference.fx_text import name_of_target, type_of
from compiler_core.reference.origins import origin_of

_CHECKPOINTED = "activation checkpointing asks for it"


def kept(forward: Any, outputs: int) -> list[Kept]:
    """The saved values: the outputs of a forward graph after the program's own, of which there are
    `outputs`."""
    found: list[Kept] = []
    inputs = forward.graph.find_nodes(op="placeholder")
    owners = {_memory(node): node.name for node in reversed(inputs)}
    for node in _results(forward)[outputs:]:
        found.append(_kept(node, owners))
        owners.setdefault(_memory(node), node.name)
    return found


def again(forward: Any, backward: Any) -> list[Again]:
    """The recomputed values: the operations that both graphs contain, in the backward graph's
    order."""
    ours = {n.name for n in _operations(forward)}
    return [_again(node) for node in _operations(backward) if node.name in ours]


def _results(module: Any) -> list[torch.fx.Node]:
    (output,) = module.graph.find_nodes(op="output")
    return [x for x in output.args[0] if isinstance(x, torch.fx.Node)]


def _operations(module: Any) -> Iterator[torch.fx.Node]:
    return (n for n in module.graph.nodes if n.op == "call_function")


def _kept(node: torch.fx.Node, owners: dict[int, str]) -> Kept:
    given = node.op == "placeholder"
    op, of = ("", "") if given else (name_of_target(node), owners.get(_memory(node), ""))
    return Kept(
        node.name, op, _type(node), _bytes(node), _why_kept(node), given, of, origin_of(node)
    )


def _again(node: torch.fx.Node) -> Again:
    name, why = name_of_target(node), _why_again(node)
    return Again(node.name, name, _type(node), _bytes(node), why, origin_of(node))


def _why_kept(node: torch.fx.Node) -> str:
    kinds = private.kinds()
    if node.op == "placeholder":
        return "an input or a parameter, which is there anyway"
    if private.policy_of(node).endswith("SAVE"):
        return _CHECKPOINTED
    if kinds.is_random(node):
        return "random numbers, which must be the same in both passes"
    if kinds.is_compute_intensive(node):
        return "a product or the like, which is too dear to be computed twice"
    if kinds.is_view(node):
        return "a view, which has no memory of its own"
    if not kinds.is_recomputable(node):
        return "the partitioner computes such an operation but once"
    return "the cheapest cut: what it is computed from would be more bytes"


def _why_again(node: torch.fx.Node) -> str:
    if private.policy_of(node).endswith("RECOMPUTE"):
        return _CHECKPOINTED
    if private.kinds().is_view(node):
        return "a view, which costs nothing"
    return "the cheapest cut: computed from what is kept, instead of read from memory"


def _value(node: torch.fx.Node) -> Any:
    return node.meta.get("val")


def _type(node: torch.fx.Node) -> str:
    """Of an operation with several results each one's."""
    value = _value(node)
    parts = value if isinstance(value, tuple | list) else (value,)
    return ", ".join(type_of(x) if isinstance(x, torch.Tensor) else "size" for x in parts)


def _bytes(node: torch.fx.Node) -> int:
    """Of sizes that vary, those of the call."""
    value = _value(node)
    if not isinstance(value, torch.Tensor):
        return 0
    elements = value.numel()
    hint = elements.node.hint if isinstance(elements, torch.SymInt) else elements
    return int(hint or 0) * value.dtype.itemsize


def _memory(node: torch.fx.Node) -> int:
    value = _value(node)
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else id(node)
