"""How much of a plan is generated code."""

import pytest

from compiler_core.analysis.work import native_share
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core.plans import ON_CPU, ON_GPU

NOISE = Callee("aten.randn_like.default", "torch", "draws random numbers")


@pytest.mark.parametrize(("size", "choose", "share"), [(8, ON_CPU, 0.5), (4096, ON_GPU, 0.0)])
def test_a_product_counts_where_it_is_generated(size, choose, share):
    b = Builder()
    square = TensorType(F32, (size, size))
    x, y = b.parameter(square), b.parameter(square)
    (noise,) = b.library_call(NOISE, [x], [square])
    graph = b.graph("f", [b.dot_general(x, y, contract=((1,), (0,))), noise])
    steps = [launch.step for launch in build_plan(fuse(values_of(graph)), choose).launches]
    assert native_share(steps) == share
