"""Graphs of ATen operations as torch runs them, operation by operation."""

from typing import Any

import torch
from torch import fx

_VIEW = torch.ops.aten.view.default


class Interpreter(fx.Interpreter):
    """Runs a graph of ATen operations without writes.

    Where operands are laid out differently, AOTAutograd's traces have other strides than torch's
    kernels give, and a view of the result is then none of its memory: it is a copy here, whose
    values are the same.
    """

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target is _VIEW:
            return args[0].reshape(args[1])
        return super().call_function(target, args, kwargs)
