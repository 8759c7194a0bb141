"""The other result of torch's elementwise kernels for a CPU that decide by comparing.

Such a kernel is written twice: for vectors, and for one element, which is what the end of a tensor
and memory with gaps get. A NaN compares neither way, and the two were not written for it: at one,
hardtanh's gradient is 0 within a vector, and what comes in at the end of the tensor. Kernels for a
GPU and torch's own decompositions are as for one element, and so are the rules here.
"""

from typing import Any

import torch

from compiler_core.capture.torch.mode import Args, Instead, Kwargs
from compiler_core.interop.private import pytree

_ATEN = torch.ops.aten
# Those that differ at NaN or an infinity, as found by calling every elementwise kernel both ways.
_DIFFER = frozenset((
    _ATEN.hardtanh_backward.default, _ATEN.hardswish_backward.default,
    _ATEN.hardshrink_backward.default, _ATEN.softshrink_backward.default,
    _ATEN.elu_backward.default, _ATEN.logit_backward.default, _ATEN.gelu.default,
))  # fmt: skip


class OneByOne(Instead):
    """Within the context, these kernels are called for one element at a time; `called` says whether
    any was."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        if func not in _DIFFER:
            return func(*args, **kwargs)
        self.called = True
        return func(*pytree.tree_map_only(torch.Tensor, _with_gaps, args), **kwargs)


def _with_gaps(x: torch.Tensor) -> torch.Tensor:
    """`x` in memory of which every other element is not its own."""
    return torch.stack((x, x), dim=-1)[..., 0]
