"""Outputs of a graph with the types and strides that torch expects; executables return all of them
row-major."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.capture.torch.symbols import dim_of, is_number
from compiler_core.interop.complex_pairs import unpack
from compiler_core.ir.sizes import Dim, Size, Symbol, evaluate, is_symbol, symbols
from compiler_core.ir.types import strides

# Stands for an output that is a number computed by torch itself, as the graph says.
HANDED_ON = object()


@dataclass(frozen=True)
class Result:
    """Type, shape and strides of an output tensor: code compiled to read it, and Dynamo's guards,
    rely on all three."""

    dtype: torch.dtype
    shape: tuple[Dim, ...]
    stride: tuple[Dim, ...]
    dense: bool

    @classmethod
    def of(cls, node: Any) -> Any:
        """The Result of an output node that is a tensor; for another, its value: None, a number, a
        symbolic size, or HANDED_ON for what is computed of numbers that are no sizes."""
        value = getattr(node, "meta", {}).get("val", node)
        if isinstance(value, torch.SymInt):
            return HANDED_ON if is_number(value) else dim_of(value)
        if not isinstance(value, torch.Tensor):
            return value
        shape, stride = (tuple(map(dim_of, x)) for x in (value.shape, value.stride()))
        dense = stride == strides(shape) if _is_symbolic(shape) else value.is_contiguous()
        return cls(value.dtype, shape, stride, dense)

    def at(self, values: dict[Symbol, int]) -> "Result":
        """This Result with its symbols replaced by `values`."""
        shape, stride = (
            tuple(evaluate(d, values) for d in dims) for dims in (self.shape, self.stride)
        )
        return Result(self.dtype, shape, stride, self.dense)

    def of_torch(self, tensor: torch.Tensor) -> torch.Tensor:
        """An executable's row-major output `tensor` with these strides; copied unless it has
        them."""
        tensor = unpack(tensor, self.dtype)
        if self.dense and tensor.stride() == self.stride:
            return tensor
        # Where a stride is 0 all elements along it are one, which may be written only once.
        for dim, stride in enumerate(self.stride):
            if stride == 0:
                tensor = tensor.narrow(dim, 0, min(1, tensor.shape[dim]))
        laid = torch.empty_strided(
            tensor.shape, self.stride, dtype=self.dtype, device=tensor.device
        )
        return laid.copy_(tensor).as_strided(self.shape, self.stride)


def is_dense(placeholder: Any) -> bool:
    """Whether the memory of an input of a graph is what an executable reads: row-major, and of
    real numbers."""
    result = Result.of(placeholder)
    return bool(result.dense) and not result.dtype.is_complex


def _is_symbolic(dims: Sequence[Dim]) -> bool:
    return any(isinstance(d, Size) for d in dims)


class Results:
    """The outputs of a graph with the given input and output nodes, at the sizes of each call."""

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self._declared = [Result.of(node) for node in outputs]
        self._places = dict(_places(inputs))
        self._known: dict[tuple[int, ...], list[Any]] = {}

    def at(self, args: Sequence[Any]) -> list[Any]:
        """For a call with `args`: the Result of each output that is a tensor, and the value of any
        other."""
        if not self._places:
            return self._declared
        sizes = tuple(args[i] if d is None else args[i].shape[d] for i, d in self._places.values())
        if sizes not in self._known:
            values = dict(zip(self._places, sizes, strict=True))
            self._known[sizes] = [_at(x, values) for x in self._declared]
        return self._known[sizes]


def _at(result: Any, values: dict[Symbol, int]) -> Any:
    if isinstance(result, Result):
        return result.at(values)
    return evaluate(result, values) if isinstance(result, Size) else result


def _places(inputs: Sequence[Any]) -> Any:
    """(symbol, (argument, its dimension, or None where the argument is the size itself))."""
    for i, node in enumerate(inputs):
        value = node.meta.get("val")
        dims = list(enumerate(value.shape)) if isinstance(value, torch.Tensor) else [(None, value)]
        for d, size in dims:
            if not isinstance(size, torch.SymInt) or is_number(size):
                continue
            if is_symbol(dim := dim_of(size)):
                (symbol,) = symbols(dim)
                yield symbol, (i, d)
