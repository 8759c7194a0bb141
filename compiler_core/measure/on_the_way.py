"""Running a torch program with every intermediate result rounded differently.

How far rounding alone may move a result is found by moving intermediate results by random units in
the last place: Monte Carlo arithmetic (Parker, 1997; CADNA does so with three runs).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from compiler_core.interop.private import TorchDispatchMode, pytree
from compiler_core.measure.units import moved

# What gives elements as they are, or writes them so.
_EXACT = frozenset(
    {
        "clone", "copy_", "_to_copy", "cat", "stack", "index", "gather", "embedding", "where",
        "constant_pad_nd", "zero_", "fill_", "masked_fill", "masked_fill_", "full", "full_like",
        "ones", "ones_like", "zeros", "zeros_like", "new_zeros", "new_ones", "new_full", "empty",
        "empty_like", "new_empty", "new_empty_strided", "arange", "scalar_tensor", "neg", "relu",
        "sort", "topk", "max_pool2d_with_indices", "bernoulli_", "bernoulli", "lift_fresh",
        "resize_", "set_", "index_select", "scatter", "slice_scatter", "_local_scalar_dense",
    }
)  # fmt: skip


class OnTheWay(TorchDispatchMode):
    """Within the context, each element that an operation computes is moved by a unit in its last
    place, or not at all, at random."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func._schema.name.removeprefix("aten::") in _EXACT:
            return result
        if func._schema.is_mutable:
            written = (a for a, s in zip(args, func._schema.arguments, strict=False) if _to(s))
            pytree.tree_map_(self._move_in_place, list(written))
        elif not any(r.alias_info for r in func._schema.returns):
            return pytree.tree_map(self._moved, result)
        return result

    def _moved(self, x: Any) -> Any:
        return moved(x, self._generator) if _rounds(x) else x

    def _move_in_place(self, x: Any) -> None:
        if _rounds(x):
            x.copy_(moved(x, self._generator))


def _to(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _rounds(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point() and x.layout is torch.strided
