"""The launches that the framework runs: library calls, matrix products by libraries that are
reached through it, and control flow that contains one of these. Results are used as they are; only
those that are not dense, or are views of an input's memory, are copied."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch

from compiler_core.interop import arrays
from compiler_core.interop.complex_pairs import in_memory
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir import control
from compiler_core.ir.convolution import inverse
from compiler_core.ir.eval_torch import convolution
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.control import Control
from compiler_core.plan.convolution import VENDOR, ConvolutionStep
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import LibraryCall, Matmul


class Places(Protocol):
    """Where a step that the framework runs finds its operands and leaves its results, by buffer
    name."""

    def get(self, name: str, type_: TensorType) -> torch.Tensor:
        """The tensor in the buffer `name`, as `type_`."""

    def put(self, name: str, value: torch.Tensor) -> None:
        """Leaves a result in the buffer `name`."""


# A plan that a step contains, as a function of its inputs.
Region = Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]]


Regions = Mapping[str, Region]


def run_launch(launch: Launch, places: Places, regions: Regions) -> None:
    """Runs a launch that C does not; `regions` are the plans that its step contains, by name."""
    _RUN[launch.schedule.strategy](launch.step, places, regions)


def _control(step: Control, places: Places, regions: Regions) -> None:
    bodies = [regions[plan.name] for plan in step.plans]
    given = [places.get(b.name, b.type) for b in step.inputs]
    for b, value in zip(step.outputs, run_control(step, bodies, given), strict=True):
        places.put(b.name, _own(value, given).view(b.type.shape))


def run_control(
    step: Control, bodies: Sequence[Region], operands: Sequence[torch.Tensor]
) -> Sequence[torch.Tensor]:
    """The operation's results, its loop or branch interpreted here."""
    results: Sequence[torch.Tensor] = control.RULES[step.kind](
        _HOST, step.operation, bodies, operands
    )
    return results


def _stack(rows: Sequence[torch.Tensor], type_: TensorType) -> torch.Tensor:
    return (
        torch.stack(tuple(rows))
        if rows
        else torch.empty(type_.shape, dtype=TORCH[type_.dtype.name])
    )


_HOST: control.Host[torch.Tensor] = control.Host(bool, int, lambda x, i: x[i], _stack)


def _torch_matmul(step: Matmul, places: Places, regions: Regions) -> None:
    lhs = places.get(step.lhs.name, step.lhs.type)
    rhs = places.get(step.rhs.name, step.rhs.type)
    batch, m, n, k = map(number, (step.batch, step.m, step.n, step.k))
    if batch * m * n == 0:  # an operand that is broadcast may have no elements, too
        places.put(step.out.name, lhs.new_empty(step.out.type.shape, dtype=TORCH[step.dtype.name]))
        return
    left = _block(lhs, batch, step.lhs_batched, (m, k), step.transpose_lhs)
    right = _block(rhs, batch, step.rhs_batched, (k, n), step.transpose_rhs)
    if step.dtype is BOOL:  # torch has no such product: what is not 0 is true
        left, right = left.to(torch.int32), right.to(torch.int32)
    result = _multiplied(left, right)
    places.put(step.out.name, result.to(TORCH[step.dtype.name]).view(step.out.type.shape))


def _multiplied(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """[batch, m, k] @ [batch, k, n]. A matrix by itself is no batch to torch, which copies a
    transposed operand of a batch of 16-bit floats and multiplies a single one as it lies."""
    if len(left) > 1:
        return torch.matmul(left, right)
    (x,), (y,) = left, right
    if x.dtype is not torch.float16 or 1 not in (len(x), y.shape[1]):
        return torch.mm(x, y)
    return _by_vector(y.t(), x[0]) if len(x) == 1 else _by_vector(x, y[:, 0])


def _by_vector(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """[n, k] by [k] of f16. torch multiplies the vector from the left where a row of the matrix is
    its neighbours in memory, and from the right where a column is, in a tenth of the time that it
    takes otherwise (docs/decisions/0119-products-with-one-row-are-decided-in-the-plan.md)."""
    if matrix.is_contiguous():
        return torch.mm(vector[None], matrix.t())
    return torch.mm(matrix, vector[:, None])


def _onednn(step: Matmul, places: Places, regions: Regions) -> None:
    """lhs f32[m, k] @ rhs f32[k, n] (or its transpose) -> f32[m, n]."""
    rows = places.get(step.lhs.name, step.lhs.type).view(step.m, step.k)
    rhs = places.get(step.rhs.name, step.rhs.type)
    weight = rhs.view(step.n, step.k) if step.transpose_rhs else rhs.view(step.k, step.n).t()
    result = torch.ops.mkldnn._linear_pointwise(rows, weight, None, "none", [], "")
    places.put(step.out.name, result.view(step.out.type.shape))


def convolved(step: ConvolutionStep, find: Callable[[BufferParam], torch.Tensor]) -> torch.Tensor:
    """The result of a convolution by torch, dense; `find` returns the tensor of a buffer."""
    lhs, rhs = (
        torch.as_strided(x, o.sizes, o.strides, x.storage_offset() + o.offset)
        for o, x in ((o, find(o.buffer)) for o in (step.lhs, step.rhs))
    )
    result = convolution.canonical(step.sizes, step.dtype, lhs, rhs)
    return result.permute(inverse(step.sizes.out_dims)).contiguous()


def _convolution(step: ConvolutionStep, places: Places, regions: Regions) -> None:
    places.put(step.out.name, convolved(step, lambda b: places.get(b.name, b.type)))


def _block(
    x: torch.Tensor, batch: int, batched: bool, size: tuple[int, int], transposed: bool
) -> torch.Tensor:
    """The matrix as [batch, rows, columns], whichever way it is stored."""
    stored = size[::-1] if transposed else size
    block = x.view(batch if batched else 1, *stored)
    block = block.transpose(1, 2) if transposed else block
    return block.expand(batch, *size)


def _library(step: LibraryCall, places: Places, regions: Regions) -> None:
    callee = step.callee
    inputs = [places.get(b.name, b.type) for b in step.inputs]
    for b, value in zip(step.outputs, _called(callee, inputs), strict=True):
        places.put(b.name, _shaped(_own(value.to(TORCH[b.type.dtype.name]), inputs), b.type))


def _called(callee: Callee, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    if callee.framework == "torch":
        results = callee.call(*inputs)
        return list(results) if isinstance(results, tuple | list) else [results]
    results = callee.call(*(arrays.to_jax(x) for x in inputs))
    several = results if isinstance(results, tuple | list) else [results]
    return [arrays.to_torch(x) for x in several]


def _shaped(value: torch.Tensor, declared: TensorType) -> torch.Tensor:
    """`value` in the shape that is declared. What was declared to have no elements is a workspace
    of torch's, such as an LSTM's for its gradient: its size is known by the call only, and here
    nobody reads it."""
    return value.view(declared.shape) if declared.numel else value.new_empty(declared.shape)


def _own(value: torch.Tensor, inputs: list[torch.Tensor]) -> torch.Tensor:
    """`value`, dense and in memory of its own: an input's memory may be reused too early."""
    dense = in_memory(value).contiguous()
    storage = dense.untyped_storage().data_ptr()
    shared = any(storage == x.untyped_storage().data_ptr() for x in inputs)
    return dense.clone() if shared else dense


# By strategy.
_RUN: dict[str, Callable[[Any, Places, Regions], None]] = {
    "torch": _torch_matmul,
    "onednn": _onednn,
    VENDOR: _convolution,
    "library": _library,
    "host": _control,
}
