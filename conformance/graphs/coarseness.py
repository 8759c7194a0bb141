"""How fine an output can be: a wide type has no more digits right than the coarsest one that its
numbers came through."""

from collections.abc import Sequence

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.graph import Graph, Operation
from compiler_core.ir.types import DType


def as_computed(graph: Graph, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of a graph, those of a floating-point type in the coarsest such type that one
    comes through."""
    through = {value: value.type.dtype for value in graph.inputs}
    for operation in graph.operations:
        met = [*_inside(operation), *(through[operand] for operand in operation.operands)]
        for result in operation.results:
            own = result.type.dtype
            # A whole number or a truth has no digits that are not right.
            through[result] = max((own, *met), key=_unit) if own.is_float else own
    found = (through[value] for value in graph.outputs)
    return [_in(x, dtype) for x, dtype in zip(outputs, found, strict=True)]


def _inside(operation: Operation) -> list[DType]:
    return [t.dtype for region in operation.regions for o in region.walk() for t in o.types]


def _unit(dtype: DType) -> float:
    """The unit in the last place of 1; of what is not rounded none."""
    return float(torch.finfo(TORCH[dtype.name]).eps) if dtype.is_float else 0.0


def _in(x: torch.Tensor, dtype: DType) -> torch.Tensor:
    return x.to(TORCH[dtype.name]) if x.is_floating_point() and dtype.is_float else x
