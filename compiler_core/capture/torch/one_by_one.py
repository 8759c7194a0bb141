"""The results of torch's elementwise CPU kernels without vectors, where NaN makes a difference.

Such a kernel is written twice: for vectors, and for single elements, which the end of a tensor and
memory with gaps get. Where a kernel decides by a comparison, the two treat a NaN differently:
hardtanh's gradient at one is 0 within a vector, and the incoming gradient at the end of the tensor.
Kernels for a GPU, torch's own decompositions and the rules here agree with those for single
elements.
"""

from typing import Any

import torch

from compiler_core.capture.torch.mode import Args, Instead, Kwargs
from compiler_core.interop.private import pytree

_ATEN = torch.ops.aten
# The kernels that differ at NaN or an infinity, as found by calling every elementwise kernel both
# ways.
_DIFFER = frozenset((
    _ATEN.hardtanh_backward.default, _ATEN.hardswish_backward.default,
    _ATEN.hardshrink_backward.default, _ATEN.softshrink_backward.default,
    _ATEN.elu_backward.default, _ATEN.logit_backward.default, _ATEN.gelu.default,
))  # fmt: skip


class OneByOne(Instead):
    """Context in which these kernels compute element by element; `called` says whether any was
    called."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        if func not in _DIFFER:
            return func(*args, **kwargs)
        self.called = True
        return func(*pytree.tree_map_only(torch.Tensor, _with_gaps, args), **kwargs)


def _with_gaps(x: torch.Tensor) -> torch.Tensor:
    """`x` in memory of which every other element is not its own."""
    return torch.stack((x, x), dim=-1)[..., 0]
