"""Small graphs by hand, compiled to C and run on arrays; the numpy evaluator is the oracle."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import torch

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.interop.arrays import torch_to_numpy as from_torch
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import F32, DType, TensorType
from compiler_core.kernel.effects import Effect, Phase, Store
from compiler_core.kernel.kernel import BufferParam, Def, Kernel, Load
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep, LibraryCall, Matmul, Step
from compiler_core.runtime import cpu
from tests.compiler_core.plans import ON_CPU, of_kernel


def tensor_type(shape: Sequence[int], dtype: DType = F32) -> TensorType:
    return TensorType(dtype, tuple(shape))


def plan_of(graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.CPU), ON_CPU)


def kernels_of(graph: Graph) -> list[Kernel]:
    return [s.kernel for s in plan_of(graph).steps if isinstance(s, KernelStep)]


def run(graph: Graph, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The graph's outputs from generated C."""
    tensors: list[torch.Tensor] = [to_torch(x) for x in inputs]
    return [from_torch(x) for x in cpu.build(plan_of(graph))(tensors)]


@cache
def _compiled(kernel: Kernel) -> cpu.Executable:
    return cpu.build(of_kernel(kernel))


def run_kernel(kernel: Kernel, x: np.ndarray) -> list[np.ndarray]:
    """The outputs of a kernel by itself, compiled once for all tests."""
    return [from_torch(y) for y in _compiled(kernel)([to_torch(x)])]


# -- programs


def doubled(*shape: int) -> cpu.Executable:
    """x + x of f32, compiled."""
    b = Builder()
    x = b.parameter(tensor_type(shape))
    return cpu.build(plan_of(b.graph("doubled", [b.node("add", x, x)])))


def gelu(b: Builder, x: Value) -> Value:
    shape, dtype = x.type.shape, x.type.dtype
    inner = b.node("erf", b.node("multiply", x, b.scalar(2**-0.5, dtype, shape)))
    half = b.node("multiply", x, b.scalar(0.5, dtype, shape))
    return b.node("multiply", half, b.node("add", inner, b.scalar(1.0, dtype, shape)))


def bias_gelu(m: int, n: int, dtype: DType = F32) -> Graph:
    b = Builder()
    x, bias = b.parameter(tensor_type((m, n), dtype)), b.parameter(tensor_type((n,), dtype))
    with b.origin(1):
        added = b.node("add", x, b.broadcast(bias, (m, n)))
    with b.origin(2):
        return b.graph("bias_gelu", [gelu(b, added)])


def softmax(shape: Sequence[int], axis: int, dtype: DType = F32) -> Graph:
    b = Builder()
    x = b.parameter(tensor_type(shape, dtype))
    with b.origin(1):
        top = b.broadcast(b.reduce(x, "maximum", (axis,), True), shape)
        e = b.node("exponential", b.node("subtract", x, top))
        return b.graph(
            "softmax",
            [b.node("divide", e, b.broadcast(b.reduce(e, "add", (axis,), True), shape))],
        )


def layer_norm(shape: Sequence[int], dtype: DType = F32) -> Graph:
    b, n, last = Builder(), shape[-1], len(shape) - 1
    x, weight, bias = (b.parameter(tensor_type(s, dtype)) for s in (shape, (n,), (n,)))

    def mean(v: Value) -> Value:
        total = b.reduce(v, "add", (last,), True)
        return b.node("divide", total, b.scalar(float(n), dtype, total.type.shape))

    centred = b.node("subtract", x, b.broadcast(mean(x), shape))
    variance = mean(b.node("multiply", centred, centred))
    eps = b.scalar(1e-5, dtype, variance.type.shape)
    scale = b.node("rsqrt", b.node("add", variance, eps))
    y = b.node("multiply", centred, b.broadcast(scale, shape))
    y = b.node("multiply", y, b.broadcast(weight, shape))
    return b.graph("layer_norm", [b.node("add", y, b.broadcast(bias, shape))])


def transposed_sum(m: int, n: int, dtype: DType = F32) -> Graph:
    b = Builder()
    x, y = b.parameter(tensor_type((n, m), dtype)), b.parameter(tensor_type((m, n), dtype))
    return b.graph("transposed_sum", [b.node("add", b.transpose(x, (1, 0)), y)])


def reduction(shape: Sequence[int], axes: Sequence[int], monoid: str, dtype: DType = F32) -> Graph:
    b = Builder()
    x = b.parameter(tensor_type(shape, dtype))
    return b.graph("reduction", [b.reduce(x, monoid, axes)])


# -- many programs in one library: hundreds of compiler runs would take minutes


def run_together(
    graphs: Sequence[Graph], inputs: Sequence[Sequence[np.ndarray]]
) -> list[list[np.ndarray]]:
    """The outputs of each graph for its own inputs."""
    plans = [renamed(plan_of(g), f"p{i}_{{}}".format) for i, g in enumerate(graphs)]
    flat = [to_torch(x) for xs in inputs for x in xs]
    results = iter(cpu.build(_united(plans))(flat))
    return [[from_torch(next(results)) for _ in p.outputs] for p in plans]


def renamed(plan: Plan, name: Callable[[str], str]) -> Plan:
    """`plan` with other names and without an arena."""

    def param(b: BufferParam) -> BufferParam:
        return replace(b, name=name(b.name))

    def access(x: Def | Effect) -> Def | Effect:
        return replace(x, buffer=name(x.buffer)) if isinstance(x, Load | Store) else x

    def step(s: Step) -> Step:
        if isinstance(s, Matmul):
            sides = {side: param(getattr(s, side)) for side in ("lhs", "rhs", "out")}
            return replace(s, name=name(s.name), **sides)
        if isinstance(s, LibraryCall):
            ins, outs = tuple(map(param, s.inputs)), tuple(map(param, s.outputs))
            return replace(s, name=name(s.name), inputs=ins, outputs=outs)
        assert isinstance(s, KernelStep)
        k = s.kernel
        return KernelStep(
            replace(
                k,
                name=name(k.name),
                buffers=tuple(map(param, k.buffers)),
                defs=tuple(map(access, k.defs)),
                phases=tuple(Phase(tuple(map(access, x.effects))) for x in k.phases),
            )
        )

    return replace(
        plan,
        launches=tuple(x for s in plan.steps for x in ON_CPU(step(s))),
        buffers={name(n): t for n, t in plan.buffers.items()},
        inputs=tuple(name(n) for n in plan.inputs),
        outputs=tuple(name(n) for n in plan.outputs),
        placements=(),
        arena_bytes=0,
        origins={},
    )


def _united(plans: Sequence[Plan]) -> Plan:
    return Plan(
        name="together",
        launches=tuple(x for p in plans for x in p.launches),
        buffers={n: t for p in plans for n, t in p.buffers.items()},
        inputs=tuple(n for p in plans for n in p.inputs),
        outputs=tuple(n for p in plans for n in p.outputs),
        output_types=tuple(t for p in plans for t in p.output_types),
    )
