"""How much of a program torch runs operation by operation, outside of every graph."""

from collections.abc import Callable, Collection
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from compiler_core.capture.torch.memory import is_view
from compiler_core.snippet.source import place


class _Counting(TorchDispatchMode):
    """Counts the operations that compute a tensor on one of `lines`."""

    supports_higher_order_operators = True

    def __init__(self, lines: Collection[int]) -> None:
        super().__init__()
        self.lines, self.count = lines, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        at = place()
        if at is not None and at[0] in self.lines and _computes(func, result):
            self.count += 1
        return result


def _computes(func: Any, result: Any) -> bool:
    """Whether a call launches work of its own. A backward pass is not of the line that asks for
    it."""
    if not hasattr(func, "_schema") or is_view(func) or torch._C._current_graph_task_id() != -1:
        return False
    return any(isinstance(x, torch.Tensor) and x.numel() > 0 for x in pytree.tree_leaves(result))


def launches_on(lines: Collection[int], run: Callable[[], Any]) -> int:
    """How many operations torch launches on `lines` of the snippet while `run` runs eagerly."""
    counting = _Counting(lines)
    with torch.random.fork_rng(), counting:
        run()
    return counting.count
