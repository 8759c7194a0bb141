"""The modules that an operation is called in, as a path: "blocks/0/attention"."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from compiler_core.capture.torch.private import MODULE_CALL

# "L['self']" in TorchDynamo's "L['self'].blocks.0".
_SOURCE = re.compile(r"^[LG]\['[^']*'\]")


class Scopes:
    """Paths on the present stack, which is read: a hook would be a part of the program, and Dynamo
    guards on it."""

    def __init__(self, program: Callable[..., Any] | None) -> None:
        self._program = getattr(program, "__self__", program)
        # By the identity of an outermost module that module, and the names of those in it.
        self._names: dict[int, tuple[torch.nn.Module, dict[torch.nn.Module, str]]] = {}

    def here(self) -> str:
        """The path of the innermost module that is being called; blank outside of any."""
        modules = _being_called()
        if not modules:
            return ""
        outermost = modules[0]
        names = self._names_in(outermost)
        root = [] if outermost is self._program else [type(outermost).__name__]
        at = max(i for i, module in enumerate(modules) if module in names)
        # What is no part of the outermost one is known by its class.
        foreign = [type(module).__name__ for module in modules[at + 1 :]]
        return "/".join([*root, *filter(None, names[modules[at]].split(".")), *foreign])

    def _names_in(self, outermost: torch.nn.Module) -> dict[torch.nn.Module, str]:
        known = self._names.get(id(outermost))
        if known is None:
            known = outermost, {module: name for name, module in outermost.named_modules()}
            self._names[id(outermost)] = known
        return known[1]


def _being_called() -> list[torch.nn.Module]:
    """The modules whose calls are on the stack, the outermost first."""
    found = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code is MODULE_CALL:
            found.append(frame.f_locals["self"])
        frame = frame.f_back
    return found[::-1]


def scope_of(node: Any) -> str:
    """The module path of a node of an FX graph; a node of a backward graph has the path of the node
    whose gradient it computes."""
    stack: dict[str, tuple[str, Any]] = (
        node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    )
    if not stack:
        return ""
    (first, kind), (last, _) = next(iter(stack.values())), next(reversed(stack.values()))
    # A function that calls a module has it as a whole, a module that is compiled has its parts.
    root = [getattr(kind, "__name__", str(kind))] if _SOURCE.fullmatch(first) else []
    return "/".join([*root, *filter(None, _SOURCE.sub("", last).split("."))])
