"""What a loop costs on a GPU: the longer of its memory and its arithmetic."""

import re

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.combination import weight
from compiler_core.ir.types import BOOL, F32, TensorType
from compiler_core.plan.build import values_of
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.gpu.loops import computing_us, loop_us, moving_us
from compiler_core.schedule.targets import TARGETS
from tests.compiler_core.codegen.triton import kernels

H100, A40 = TARGETS["sm_90"], TARGETS["sm_86"]


def chain(count):
    """So many tangents, one of the other, of 2^20 elements."""
    b = Builder()
    x = b.parameter(TensorType(F32, (1 << 20,)))
    for _ in range(count):
        x = b.node("tanh", x)
    (group,) = fuse(values_of(b.graph("chain", [x]))).groups
    return group.kernel


def cost(kernel, target):
    _, candidates = choose_gpu(kernel, target)
    return next(c for c in candidates if c.chosen)


def test_arithmetic_is_what_a_long_chain_costs():
    short, long = (cost(chain(n), H100) for n in (1, 40))
    assert short.cost_us == pytest.approx(moving_us(chain(1), H100) + H100.launch_us)
    # 8 adds a tangent, and the load; a multiply-add counts as two in the data sheet.
    adds = 2**20 * (40 * 8 + 1)
    assert long.cost_us == pytest.approx(adds / (H100.f32_flops / 2) * 1e6 + H100.launch_us)


def test_what_bounds_it_is_said_where_it_is_arithmetic():
    assert "arithmetic" not in cost(chain(1), H100).reason
    assert re.search(
        r"its arithmetic takes \d+\.\d us .* and memory \d", cost(chain(40), H100).reason
    )


def test_a_target_with_less_memory_for_its_arithmetic_waits_for_it_longer():
    """H100 does 10 adds while it moves a byte, A40 27: a chain of 15 is bound by one only."""
    found = [" arithmetic takes" in cost(chain(15), target).reason for target in (H100, A40)]
    assert found == [True, False]


def test_a_row_that_is_walked_again_is_computed_again():
    kernel = kernels.softmax(64, 700)
    once, again = (computing_us(kernel, H100, again=x) for x in (False, True))
    assert once < again < kernel.passes * once


def test_idle_processors_compute_nothing():
    few, many = (loop_us(1.0, 10.0, n, H100) for n in (H100.processors // 4, H100.processors))
    assert few - H100.launch_us == pytest.approx(4 * (many - H100.launch_us))


def test_what_combining_tuples_costs_is_counted_from_what_it_does():
    assert weight("add", (F32,)) == weight("add", (BOOL,)) == 1
    assert weight("welford", (F32,) * 3) > 10
    assert weight("online_softmax", (F32,) * 2) > 2 * weight("argmax", (F32, F32)) - 8
