"""Running a torch program with every intermediate result rounded differently.

How far rounding alone may move a result is found by moving intermediate results by random units in
the last place: Monte Carlo arithmetic (Parker, 1997; CADNA does so with three runs).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.private import decompositions
from compiler_core.interop import arrays
from compiler_core.interop.private import HigherOrderOperator, TorchDispatchMode, pytree
from compiler_core.ir import eval_torch
from compiler_core.ir.evaluate import foreign_call
from compiler_core.ir.graph import Graph, Operation
from compiler_core.measure import rounding
from compiler_core.measure.runnable import Runnable, Tensors
from compiler_core.measure.units import moved, rounds

# What gives elements as they are, or writes them so.
_EXACT = frozenset(
    {
        "clone", "copy_", "_to_copy", "cat", "stack", "index", "gather", "embedding", "where",
        "constant_pad_nd", "zero_", "fill_", "masked_fill", "masked_fill_", "full", "full_like",
        "ones", "ones_like", "zeros", "zeros_like", "new_zeros", "new_ones", "new_full", "empty",
        "empty_like", "new_empty", "new_empty_strided", "arange", "scalar_tensor", "neg", "relu",
        "sort", "topk", "max_pool2d_with_indices", "bernoulli_", "bernoulli", "lift_fresh",
        "resize_", "set_", "index_select", "scatter", "slice_scatter", "_local_scalar_dense",
        "complex", "conj_physical", "_conj_physical",
    }
)  # fmt: skip


# What sums its first argument: its error is relative to the magnitudes of the terms, which are more
# than the sum where they cancel (Higham, "Accuracy and Stability of Numerical Algorithms", 2002,
# section 4.2).
_SUMS = frozenset({"sum", "mean"})
# Those with a mean along: of a variance no terms cancel.
_MOMENTS = frozenset({"var_mean", "std_mean"})
# A graph's loops are run in Python, which takes a tenth of a millisecond an operation.
_MOST_OPERATIONS = 10_000
# What is taken apart, for the sums that are inside.
_OF_SUMS = frozenset(
    {
        "native_batch_norm", "native_batch_norm_backward", "_native_batch_norm_legit",
        "_batch_norm_with_update", "batch_norm_backward", "native_group_norm",
        "native_group_norm_backward", "_softmax", "_softmax_backward_data", "_log_softmax",
        "_log_softmax_backward_data",
    }
)  # fmt: skip


class OnTheWay(TorchDispatchMode):
    """Within this mode, what an operation computes is moved by a unit in its last place or by none;
    the result of a sum, also of those within a norm, a softmax or the gradient of a convolution's
    bias, by a unit of its terms' magnitudes."""

    supports_higher_order_operators = True

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
        if isinstance(func, HigherOrderOperator):
            return pytree.tree_map(self._moved, func(*args, **(kwargs or {})))
        name = func._schema.name.removeprefix("aten::")
        if name in _OF_SUMS and func in decompositions():
            with self:
                return decompositions()[func](*args, **(kwargs or {}))
        result = func(*args, **(kwargs or {}))
        if name in _EXACT:
            return result
        if name in _SUMS and _rounds(result) and _rounds(args[0]):
            return self._summed(result, func(args[0].abs(), *args[1:], **(kwargs or {})))
        if name in _MOMENTS and _rounds(args[0]):
            _, size = func(args[0].abs(), *args[1:], **(kwargs or {}))
            return self._moved(result[0]), self._summed(result[1], size)
        if name == "convolution_backward" and _rounds(result[2]):
            *others, bias = result
            size = args[0].abs().sum([0, *range(2, args[0].dim())])
            return *map(self._moved, others), self._summed(bias, size)
        if func._schema.is_mutable:
            written = (a for a, s in zip(args, func._schema.arguments, strict=False) if _to(s))
            pytree.tree_map_(self._move_in_place, list(written))
        elif not any(r.alias_info for r in func._schema.returns):
            return pytree.tree_map(self._moved, result)
        return result

    def _summed(self, x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
        """A sum of terms whose magnitudes are of that `size` in all."""
        if not x.is_complex():
            return x + self._unit(size)
        return x + torch.complex(self._unit(size.real), self._unit(size.real))

    def _unit(self, x: torch.Tensor) -> torch.Tensor:
        """Of each element, a unit in its last place more or less, or none."""
        return moved(x, self._generator) - x

    def _moved(self, x: Any) -> Any:
        return moved(x, self._generator) if _rounds(x) else x

    def _move_in_place(self, x: Any) -> None:
        if _rounds(x):
            x.copy_(moved(x, self._generator))


def _to(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _rounds(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and rounds(x) and x.layout is torch.strided


def rounded(
    captured: Captured, eager: Runnable, inputs: Tensors, own: Sequence[torch.Tensor]
) -> rounding.Way | None:
    """Eager's outputs with all that it computes rounded otherwise, where that can be seen: torch's
    operation by operation, JAX's by its graph, where this does not loop for long and calls no
    library of JAX's. `own` are eager's outputs as they are."""
    if by_operations(captured):

        def by_torch(seed: int) -> Sequence[torch.Tensor]:
            with rounding.uncompiled(), OnTheWay(seed):
                return rounding.otherwise(eager, captured.session, seed).run(inputs)

        return by_torch
    given = arrays.to_torch_all(inputs)
    whole = None if captured.session is not None else captured.graph_for(given)
    if whole is None or foreign_call(whole, "torch", "torch"):
        return None
    try:
        return _by_graph(whole, given, own)
    except _Endless:
        return None


def by_operations(captured: Captured) -> bool:
    """Whether eager is torch with operations alone. Under a mode of dispatch Dynamo gives up the
    functions of torch.cond and its kin, for good."""
    graphs = captured.graphs
    return all(g.language == "aten" and not _has_regions(g.graph) for g in graphs)


def _has_regions(graph: Graph) -> bool:
    return any(o.regions for o in graph.walk())


class _Endless(Exception):
    """More operations were computed than are worth it."""


class _Steps:
    """Counts operations, those in loops each time."""

    def __init__(self) -> None:
        self._done = 0

    def __call__(self, operation: Operation) -> None:
        self._done += 1
        if self._done > _MOST_OPERATIONS:
            raise _Endless


def _by_graph(
    graph: Graph, inputs: Sequence[torch.Tensor], own: Sequence[torch.Tensor]
) -> rounding.Way:
    """`own`, changed as the graph's outputs change in torch. Their own numbers do not count: the
    graph may be wrong. Raises _Endless where it would take long; a loop that another rounding keeps
    from ending says nothing."""
    plain = eval_torch.evaluate(graph, inputs, each=_Steps())

    def run(seed: int) -> Sequence[torch.Tensor]:
        try:
            with OnTheWay(seed):
                other = eval_torch.evaluate(graph, inputs, each=_Steps())
        except _Endless:
            return own
        return [x + (y - z) if _rounds(x) else x for x, y, z in zip(own, other, plain, strict=True)]

    return run
