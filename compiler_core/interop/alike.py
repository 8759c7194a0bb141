"""Whether the arguments of a call have the same form as those of an earlier call, in one check of
all of them.

Checking one argument in Python (its type, sizes and strides, its device, a lazy negation) takes as
long as a small kernel, and a training step has a hundred arguments.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.interop.private import TensorGuards

# How often an owner learns the form of its arguments: one with other arguments at every call, or
# with one tensor twice, which torch's guards refuse, would learn in vain.
_LEARNT = 8
# The guards keep the types of the tensors, and do not keep them alive.
_KNOWN = (torch.Tensor, torch.nn.Parameter)


class Alike:
    """Whether the tensors of a call have the form of those that were learnt last, checked by
    torch's own guards in one call of C++."""

    def __init__(self) -> None:
        self._count, self._left = -1, _LEARNT
        self._check: Callable[..., bool] = _never

    def __call__(self, tensors: Sequence[torch.Tensor]) -> bool:
        return len(tensors) == self._count and self._check(*tensors)

    def learn(self, tensors: Sequence[torch.Tensor]) -> None:
        """Remembers the form of `tensors`, none of their values."""
        if not self._left or any(type(x) not in _KNOWN for x in tensors):
            return
        self._left -= 1
        exact: dict[str, Any] = {"dynamic_dims_sizes": None, "dynamic_dims_strides": None}
        check = TensorGuards(*tensors, **exact).check
        self._check, self._count = check, len(tensors)


def _never(*tensors: torch.Tensor) -> bool:
    return False
