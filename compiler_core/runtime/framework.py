"""The steps that the framework runs: library calls, and matrix products that BLAS has no type
for. Results are adopted as they come; only a result that is not dense, or that shows an input's
own memory, is copied."""

from collections.abc import Callable
from typing import Any, Protocol

import torch

from compiler_core.interop.torch_dtypes import torch_dtype
from compiler_core.ir.library import Callee
from compiler_core.ir.types import TensorType
from compiler_core.plan.steps import LibraryCall, Matmul
from compiler_core.runtime import arrays, products


class Places(Protocol):
    def get(self, name: str, type_: TensorType) -> torch.Tensor: ...
    def put(self, name: str, value: torch.Tensor) -> None: ...


def run_step(step: object, places: Places) -> None:
    """Runs a step that C does not."""
    _RUN[type(step)](step, places)


def _matmul(step: Matmul, places: Places) -> None:
    lhs = places.get(step.lhs.name, step.lhs.type)
    rhs = places.get(step.rhs.name, step.rhs.type)
    if products.is_onednn(step):
        result = products.onednn(step, lhs, rhs)
        places.put(step.out.name, result.view(step.out.type.shape))
        return
    left = _block(lhs, step.batch, step.lhs_batched, (step.m, step.k), step.transpose_lhs)
    right = _block(rhs, step.batch, step.rhs_batched, (step.k, step.n), step.transpose_rhs)
    result = torch.matmul(left, right)
    places.put(step.out.name, result.to(torch_dtype(step.dtype)).view(step.out.type.shape))


def _block(
    x: torch.Tensor, batch: int, batched: bool, size: tuple[int, int], transposed: bool
) -> torch.Tensor:
    """[batch, rows, columns], whichever way it is stored."""
    stored = size[::-1] if transposed else size
    block = x.view(batch if batched else 1, *stored)
    block = block.transpose(1, 2) if transposed else block
    return block.expand(batch, *size)


def _library(step: LibraryCall, places: Places) -> None:
    callee = step.callee
    inputs = [places.get(b.name, b.type) for b in step.inputs]
    for b, value in zip(step.outputs, _called(callee, inputs), strict=True):
        places.put(b.name, _own(value.to(torch_dtype(b.type.dtype)), inputs).view(b.type.shape))


def _called(callee: Callee, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    if callee.framework == "torch":
        results = callee.call(*inputs)
        return list(results) if isinstance(results, tuple | list) else [results]
    results = callee.call(*(arrays.to_jax(x) for x in inputs))
    several = results if isinstance(results, tuple | list) else [results]
    return [arrays.to_torch(x) for x in several]


def _own(value: torch.Tensor, inputs: list[torch.Tensor]) -> torch.Tensor:
    """`value`, dense and in memory that is not an input's: that may be used again too soon."""
    dense = value.contiguous()
    storage = dense.untyped_storage().data_ptr()
    shared = any(storage == x.untyped_storage().data_ptr() for x in inputs)
    return dense.clone() if shared else dense


_RUN: dict[type, Callable[[Any, Places], None]] = {Matmul: _matmul, LibraryCall: _library}
