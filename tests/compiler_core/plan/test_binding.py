"""A plan with symbolic sizes at the sizes of one call."""

import pytest

from compiler_core.errors import MeasureError
from compiler_core.ir.parse import parse
from compiler_core.plan.binding import bind, plan_at
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.symbolic import PROGRAMS


@pytest.fixture
def linear():
    return plan_of(parse(PROGRAMS["linear and tanh"]))


def test_temporaries_are_placed_at_the_hint_and_then_for_each_call(linear):
    values = bind(linear, [(5, 48), (48, 24), (24,)])
    assert [s.name for s in linear.symbols] == ["B"]
    assert linear.arena_bytes == 32 * 24 * 4
    assert plan_at(linear, values).arena_bytes == 512  # 480 in lines of 64


def test_steps_of_libraries_have_numbers_and_kernels_keep_their_symbols(linear):
    product, kernel = (x.step for x in plan_at(linear, {linear.symbols[0]: 7}).launches)
    assert (product.m, product.k, product.n) == (7, 48, 24)
    assert product.out.type.sizes == (7, 24)
    assert kernel.kernel.symbols == linear.symbols


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([(5, 48), (48, 24)], "takes 3 inputs, not 2"),
        ([(5, 47), (48, 24), (24,)], "a size is 47, the program was compiled for 48"),
        ([(1, 48), (48, 24), (24,)], "B is 1; this compilation serves 2 to 2147483647"),
        ([(5,), (48, 24), (24,)], r"is \[5\], the program was compiled for f32\[B,48\]"),
    ],
)
def test_other_shapes_are_refused_in_one_sentence(linear, shapes, said):
    with pytest.raises(MeasureError, match=said):
        bind(linear, shapes)
