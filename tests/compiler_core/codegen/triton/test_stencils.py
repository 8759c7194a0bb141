"""Stencils one after the other on a GPU: many loads for each point."""

import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.kernel import Load
from compiler_core.plan.build import values_of
from compiler_core.schedule.gpu.choice import HELD, choose_gpu
from compiler_core.schedule.targets import resolve

pytestmark = pytest.mark.cpu
SIDE = 512
AROUND = ((0, 1), (2, 1), (1, 0), (1, 2))


def laplacian(b, x):
    """The sum of the four neighbours, zero at the border, less four times the element."""
    padded = b.node("pad", x, b.scalar(0.0, F32), low=(1, 1), high=(1, 1), interior=(0, 0))
    near = [
        b.node("slice", padded, start=at, limit=tuple(n + SIDE for n in at), strides=(1, 1))
        for at in AROUND
    ]
    total = near[0]
    for each in near[1:]:
        total = b.node("add", total, each)
    return b.node("subtract", total, b.node("multiply", x, b.scalar(4.0, F32, x.type.shape)))


def kernel(times):
    b = Builder()
    x = b.parameter(TensorType(F32, (SIDE, SIDE)))
    for _ in range(times):
        x = laplacian(b, x)
    (group,) = fuse(values_of(b.graph("stencils", [x])), cost.GPU).groups
    return group.kernel


def test_what_a_thread_loads_fits_its_registers():
    found = kernel(3)
    (part,), _ = choose_gpu(found, resolve("sm_90"))
    compiled = compile_offline(emit(part), "sm_90")
    assert sum(isinstance(d, Load) for d in found.defs) > 64
    assert compiled.spills == 0 and compiled.registers < 200


def test_a_stencil_by_itself_has_eight_points_a_thread():
    (part,), _ = choose_gpu(kernel(1), resolve("sm_90"))
    assert part.block_p == 1024
    loads = sum(isinstance(d, Load) for d in kernel(1).defs)
    assert loads * part.block_p <= HELD * 32 * part.num_warps
