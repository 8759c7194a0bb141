"""A Plan run by numpy, point by point of its definition: the oracle of lowering and fusion."""

from functools import partial

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir import eval_numpy
from compiler_core.ir.eval_numpy.control import control
from compiler_core.ir.graph import Operation
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import TensorType
from compiler_core.kernel.effects import Reduce, Scan, Store
from compiler_core.kernel.kernel import Compute, Const, Index, Kernel, Load, roots
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.build import Draft, planned
from compiler_core.plan.choose import OnCpu, OnGpu
from compiler_core.plan.control import Control
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.plan.steps import KernelStep, Matmul
from compiler_core.schedule.targets import CpuTarget, resolve

ON_CPU = OnCpu(CpuTarget())
ON_GPU = OnGpu(resolve("sm_90"))


def replanned(plan, choose):
    """The steps of `plan`, one launch each, with the schedules of another target."""
    inputs = {name: plan.buffers[name] for name in plan.inputs}
    assert not plan.over
    draft = Draft(plan.name, inputs, plan.outputs, plan.output_types, plan.origins)
    return planned(draft, plan.steps, choose)


def of_kernel(kernel):
    """A program of the kernel alone, on a CPU."""
    names, types = zip(*((b.name, b.type) for b in kernel.outputs), strict=True)
    draft = Draft(kernel.name, {b.name: b.type for b in kernel.inputs}, names, types)
    return planned(draft, [KernelStep(kernel)], ON_CPU)


def run_plan(plan, inputs):
    """The outputs of `plan` for numpy inputs, in float64 where its types are f32."""
    memory = {name: np.array(x).reshape(-1) for name, x in zip(plan.inputs, inputs, strict=True)}
    memory |= {name: memory[given] for name, given in plan.over.items()}
    for name, type_ in plan.buffers.items():
        memory.setdefault(name, np.zeros(type_.numel, NUMPY[type_.dtype.name]))
    with np.errstate(all="ignore"):
        for step in plan.steps:
            _RUN[type(step)](step, memory)
    return [
        memory[name].reshape(type_.shape)
        for name, type_ in zip(plan.outputs, plan.output_types, strict=True)
    ]


def _matmul(step: Matmul, memory) -> None:
    def side(buffer, transposed, batched, rows, columns):
        shape = (
            step.batch if batched else 1,
            *((columns, rows) if transposed else (rows, columns)),
        )
        block = memory[buffer.name].reshape(shape).astype(np.float64)
        return block.swapaxes(1, 2) if transposed else block

    lhs = side(step.lhs, step.transpose_lhs, step.lhs_batched, step.m, step.k)
    rhs = side(step.rhs, step.transpose_rhs, step.rhs_batched, step.k, step.n)
    memory[step.out.name][:] = np.matmul(lhs, rhs).reshape(-1)


def _kernel(kernel: Kernel, memory) -> None:
    grid = np.meshgrid(*(np.arange(a.extent) for a in kernel.axes), indexing="ij", sparse=True)
    at = dict(zip((a.name for a in kernel.axes), grid, strict=True))
    shape = tuple(a.extent for a in kernel.axes)
    values: dict[str, np.ndarray] = {}

    def index(access):
        found = np.full(shape, access.offset)
        for axis, stride in access.terms:
            found = found + stride * at[axis]
        for x in access.indirect:
            found = found + x.stride * values[x.value].astype(np.int64)
        return found

    def define(d) -> np.ndarray:
        dtype = NUMPY[d.dtype.name]
        match d:
            case Const():
                return np.full(shape, d.value, dtype)
            case Index():
                return index(d.access).astype(dtype)
            case Load():
                mask = values[d.mask] if d.mask else np.ones(shape, bool)
                where = np.where(mask, index(d.access), 0)
                assert where.size == 0 or 0 <= where.min() <= where.max() < len(memory[d.buffer])
                return np.where(mask, memory[d.buffer][where], d.other).astype(dtype)
            case Compute():
                leaves = tuple(
                    Operation(i, "parameter", (), (TensorType(kernel.dtype_of(a), shape),)).result
                    for i, a in enumerate(d.args)
                )
                attrs = (("direction", d.direction),) if d.direction else ()
                operation = Operation(9, d.op, leaves, (TensorType(d.dtype, shape),), attrs)
                (result,) = eval_numpy.apply(operation, *(values[a] for a in d.args))
                return result
        raise AssertionError(d)

    reduce_dims = tuple(i for i, a in enumerate(kernel.axes) if a.kind == "reduce")
    for phase in kernel.phases:
        for effect in phase.effects:
            for d in kernel.needed(roots(effect), known=list(values)):
                values[d.name] = define(d)
            if isinstance(effect, Scan):
                at_axis = [a.name for a in kernel.axes].index(effect.axis)
                values |= zip(effect.names, _scanned(effect, values, at_axis), strict=True)
            elif isinstance(effect, Reduce):
                values |= zip(effect.names, _reduced(effect, values, reduce_dims), strict=True)
            else:
                _store(effect, index(effect.access), values, memory[effect.buffer])


_COMBINE = {
    "add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip


def _store(e: Store, where, values, target) -> None:
    value = np.broadcast_to(values[e.value], where.shape)
    if e.mask is not None:
        mask = np.broadcast_to(values[e.mask], where.shape)
        where, value = where[mask], value[mask]
    assert where.size == 0 or 0 <= where.min() <= where.max() < len(target)
    if e.mode == "set":
        target[where] = value
    else:
        _COMBINE[e.mode].at(target, where, value.astype(target.dtype))


def _reduced(e: Reduce, values, dims) -> list[np.ndarray]:
    """The row values of `e`, spread over the axes again."""
    shape = values[e.args[0]].shape
    elements = [_along(_upcast(values[a]), dims) for a in e.args]
    total = tuple(
        np.full(elements[0].shape[:-1], x, part.dtype)
        for x, part in zip(MONOIDS[e.monoid].identity(e.dtypes[0]), elements, strict=True)
    )
    for i in range(elements[0].shape[-1]):
        total = MONOIDS[e.monoid].combine(total, tuple(part[..., i] for part in elements))
    kept = [1 if d in dims else size for d, size in enumerate(shape)]
    return [
        np.broadcast_to(part.reshape(kept), shape).astype(NUMPY[dtype.name])
        for part, dtype in zip(total, e.dtypes, strict=True)
    ]


def _scanned(e: Scan, values, axis: int) -> list[np.ndarray]:
    """The running values of `e`."""
    elements = tuple(np.moveaxis(_upcast(values[a]), axis, 0) for a in e.args)
    running = [tuple(part[0] for part in elements)]
    for i in range(1, len(elements[0])):
        here = tuple(part[i] for part in elements)
        running.append(MONOIDS[e.monoid].combine(running[-1], here))
    return [
        np.moveaxis(np.stack(parts), 0, axis).astype(NUMPY[dtype.name])
        for parts, dtype in zip(zip(*running, strict=True), e.dtypes, strict=True)
    ]


def _upcast(x: np.ndarray) -> np.ndarray:
    return x if x.dtype.kind in "iub" else x.astype(np.float64)


def _along(x: np.ndarray, dims) -> np.ndarray:
    """`x` with the elements of `dims` along one last axis."""
    rest = [d for d in range(x.ndim) if d not in dims]
    count = int(np.prod([x.shape[d] for d in dims]))
    return x.transpose((*rest, *dims)).reshape([*(x.shape[d] for d in rest), count])


def _control(step: Control, memory) -> None:
    bodies = [partial(run_plan, plan) for plan in step.plans]
    given = [memory[b.name].reshape(b.type.shape) for b in step.inputs]
    for b, value in zip(step.outputs, control(step.operation, bodies, given), strict=True):
        memory[b.name][:] = np.reshape(value, -1)


def _attention(step: Attention, memory) -> None:
    for each in step.steps:
        for b in each.outputs:
            memory.setdefault(b.name, np.zeros(b.type.numel, NUMPY[b.type.dtype.name]))
        _RUN[type(each)](each, memory)


def _fused_matmul(step: FusedMatmul, memory) -> None:
    between = {
        part.value.name: np.zeros(part.value.type.numel, NUMPY[part.value.type.dtype.name])
        for part in step.parts.values()
    }
    inside = memory | between
    for each in step.steps:
        _RUN[type(each)](each, inside)


_RUN = {
    KernelStep: lambda step, memory: _kernel(step.kernel, memory),
    Matmul: _matmul,
    Attention: _attention,
    Control: _control,
    FusedMatmul: _fused_matmul,
}
