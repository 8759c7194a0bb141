"""Runs a Plan on a GPU: Triton kernels, the vendor's matmul, the framework's library calls.

Everything is bound once, when the program is built: functions, grids, the arena and scratch
memory. A call allocates the outputs and launches the steps in order on the current stream.

Under TRITON_INTERPRET=1 the same program runs on CPU tensors in Triton's interpreter; the tests
prove the driver and the kernels that way on machines without a GPU.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.codegen.triton.emit import TritonSource, emit
from compiler_core.codegen.triton.load import load
from compiler_core.ir.types import TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.control import Control
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep, LibraryCall, Matmul
from compiler_core.runtime.framework import run_control
from compiler_core.schedule.gpu import choose_gpu
from compiler_core.schedule.targets import GpuTarget

DTYPES = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
    "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
    "u64": torch.uint64, "u32": torch.uint32, "u16": torch.uint16, "u8": torch.uint8,
    "bool": torch.bool,
}  # fmt: skip

Memory = dict[str, torch.Tensor]
Bound = Callable[[Memory], None]


@dataclass(frozen=True)
class GpuExecutable:
    """Call it with the plan's inputs in order; it returns the plan's outputs in order."""

    plan: Plan
    sources: tuple[TritonSource, ...]
    steps: tuple[Bound, ...]
    kept: Mapping[str, torch.Tensor]  # arena places and scratch: the same on every call
    fresh: tuple[str, ...]  # buffers allocated on every call, because they are returned
    device: str

    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        memory: Memory = dict(self.kept)
        for name in self.fresh:
            memory[name] = _empty(self.plan.buffers[name], self.device)
        for name, argument in zip(self.plan.inputs, arguments, strict=True):
            memory[name] = _dense(argument, self.plan.buffers[name])
        for step in self.steps:
            step(memory)
        return [
            _returned(self.plan, memory, name, kind)
            for name, kind in zip(self.plan.outputs, self.plan.output_types, strict=True)
        ]


def build(plan: Plan, target: GpuTarget, device: str = "cuda") -> GpuExecutable:
    """Prints, loads and binds every step; Triton compiles each kernel at its first launch."""
    _use_private_cache()
    sources: list[TritonSource] = []
    steps: list[Bound] = []
    kept = _arena(plan, device)
    for step in plan.steps:
        if isinstance(step, Matmul):
            steps.append(_matmul(step))
        elif isinstance(step, LibraryCall):
            steps.append(_library(step))
        elif isinstance(step, Control):
            inner = [build(plan, target, device) for plan in step.plans]
            sources += [source for region in inner for source in region.sources]
            steps.append(_control(step, inner))
        elif isinstance(step, KernelStep) and all(axis.extent for axis in step.kernel.axes):
            source = emit(step.kernel, choose_gpu(step.kernel, target))
            sources.append(source)
            steps.append(_kernel(source, device))
    inside = {*kept, *plan.inputs}
    fresh = tuple(name for name in plan.buffers if name not in inside)
    return GpuExecutable(plan, tuple(sources), tuple(steps), kept, fresh, device)


# -- memory


def _empty(kind: TensorType, device: str) -> torch.Tensor:
    return torch.empty(kind.shape, dtype=DTYPES[kind.dtype.name], device=device)


def _arena(plan: Plan, device: str) -> dict[str, torch.Tensor]:
    """One allocation for all intermediate buffers, each a typed window at its planned place."""
    arena = torch.empty(plan.arena_bytes, dtype=torch.uint8, device=device)
    windows = {}
    for place in plan.placements:
        if place.offset is not None:
            raw = arena[place.offset : place.offset + place.type.bytes]
            windows[place.name] = raw.view(DTYPES[place.type.dtype.name]).view(place.type.shape)
    return windows


def _dense(argument: Any, kind: TensorType) -> torch.Tensor:
    tensor = argument if isinstance(argument, torch.Tensor) else torch.from_dlpack(argument)
    return tensor.detach().contiguous().view(kind.shape)


def _returned(plan: Plan, memory: Memory, name: str, kind: TensorType) -> torch.Tensor:
    tensor = memory[name].view(kind.shape)
    return tensor.clone() if name in plan.inputs else tensor


# -- steps


def _kernel(source: TritonSource, device: str) -> Bound:
    module = load(source.source)
    scratch = {b.name: _empty(b.type, device) for b in source.scratch}
    calls = [
        (
            getattr(module, x.entry)[x.grid],
            [b.name for b in x.arguments],
            {**x.constexprs, "num_warps": x.num_warps},
        )
        for x in source.launches
    ]

    def run(memory: Memory) -> None:
        for function, names, options in calls:
            tensors = [scratch[n] if n in scratch else memory[n] for n in names]
            function(*tensors, **options)

    return run


def _matmul(step: Matmul) -> Bound:
    lhs_shape = (step.k, step.m) if step.transpose_lhs else (step.m, step.k)
    rhs_shape = (step.n, step.k) if step.transpose_rhs else (step.k, step.n)

    def operand(
        tensor: torch.Tensor, shape: tuple[int, int], *, flip: bool, batched: bool
    ) -> torch.Tensor:
        if step.batch == 1:
            matrix = tensor.view(shape)
        else:
            matrix = tensor.view(step.batch if batched else 1, *shape)
        return matrix.mT if flip else matrix

    def run(memory: Memory) -> None:
        lhs, rhs = (
            operand(memory[step.lhs.name], lhs_shape, flip=step.transpose_lhs,
                    batched=step.lhs_batched),
            operand(memory[step.rhs.name], rhs_shape, flip=step.transpose_rhs,
                    batched=step.rhs_batched),
        )  # fmt: skip
        out = memory[step.out.name]
        many = () if step.batch == 1 else (step.batch,)
        torch.matmul(lhs, rhs, out=out.view(*many, step.m, step.n))

    return run


def _library(step: LibraryCall) -> Bound:
    callee = step.callee

    def run(memory: Memory) -> None:
        operands = [memory[b.name].view(b.type.shape) for b in step.inputs]
        given = _to_jax(operands) if callee.framework == "jax" else operands
        results = callee.call(*given)
        results = results if isinstance(results, tuple | list) else (results,)
        for buffer, result in zip(step.outputs, results, strict=True):
            _keep(memory, buffer, result)

    return run


def _control(step: Control, bodies: Sequence[GpuExecutable]) -> Bound:
    """The host drives: a while waits for its condition after every step."""

    def run(memory: Memory) -> None:
        operands = [memory[b.name].view(b.type.shape) for b in step.inputs]
        results = run_control(step, bodies, operands)
        for buffer, result in zip(step.outputs, results, strict=True):
            _keep(memory, buffer, result)

    return run


def _keep(memory: Memory, buffer: BufferParam, result: Any) -> None:
    """Copies a result to its planned place: it may be a view of memory that is used again."""
    tensor = result if isinstance(result, torch.Tensor) else torch.from_dlpack(result)
    if buffer.name in memory:
        memory[buffer.name].view(buffer.type.shape).copy_(tensor.detach())
    else:
        memory[buffer.name] = tensor.detach().clone()


def _to_jax(tensors: Sequence[torch.Tensor]) -> list[Any]:
    import jax

    return [jax.dlpack.from_dlpack(t) for t in tensors]


# -- Triton's cache

_private: dict[int, str] = {}


def _use_private_cache() -> None:
    """Triton keeps compiled kernels in a folder; each process gets one of its own."""
    from triton import knobs

    if os.getpid() in _private:
        return
    folder = tempfile.mkdtemp(prefix="fuselab-triton-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    knobs.cache.dir = folder
    _private[os.getpid()] = folder
