"""What torch runs operation by operation, outside of every graph of a program."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from compiler_core.capture.captured import Outside
from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.memory import is_view
from compiler_core.interop.private import TorchDispatchMode, pytree
from compiler_core.snippet.source import is_own, place_in


class _Counting(TorchDispatchMode):
    """Counts the operations that compute a tensor, with the bytes that they read and write; `of`
    are the modules and lines of the snippet that ask for them; `draws` whether any draws."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.launches, self.bytes = 0, 0
        self.of: dict[tuple[str, int | None], None] = {}
        self.draws = False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Tells torch to run compiled code under this mode as it does without it."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        frame = sys._getframe(1)
        if _computes(func, result) and not (aot.in_graph(frame) or aot.sums_gradients()):
            self.launches += 1
            self.bytes += sum(map(_bytes, pytree.tree_leaves((args, kwargs, result))))
            self.of[_asked(frame)] = None
            self.draws |= torch.Tag.nondeterministic_seeded in func.tags
        return result


def _computes(func: Any, result: Any) -> bool:
    """Whether a call launches work of its own."""
    if not hasattr(func, "_schema") or is_view(func):
        return False
    return any(isinstance(x, torch.Tensor) and x.numel() > 0 for x in pytree.tree_leaves(result))


def _bytes(value: Any) -> int:
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0


def _asked(frame: FrameType | None) -> tuple[str, int | None]:
    """The module that the snippet calls, blank where it calls none, and its line."""
    module = ""
    while frame is not None and not is_own(frame.f_code.co_filename):
        caller = frame.f_locals.get("self") if frame.f_code.co_name == "forward" else None
        module = type(caller).__name__ if _is_module(caller) else module
        frame = frame.f_back
    return (module, None) if frame is None else (module, place_in(frame.f_code, frame.f_lasti)[0])


def _is_module(value: object) -> bool:
    """Whether a value is a module of the author's, and not what Dynamo makes of a program."""
    is_graph = isinstance(value, torch.fx.GraphModule)
    return isinstance(value, torch.nn.Module) and not is_graph


def outside(run: Callable[[], object]) -> Outside:
    """The operations that torch itself launches while `run` runs what Dynamo has compiled."""
    counting = _Counting()
    with torch.random.fork_rng(), counting:
        run()
    return Outside(counting.launches, counting.bytes, tuple(counting.of), counting.draws)
