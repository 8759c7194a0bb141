"""Small matrix products as generated C."""

import itertools

import numpy as np
import pytest

from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, F32, F64, DType
from compiler_core.plan.products import REGISTERS
from tests.compiler_core.codegen.c.graphs import plan_of, run, tensor_type
from tests.compiler_core.ir.cases import random

pytestmark = pytest.mark.cpu

SIZES = ((1, 1, 1), (8, 16, 32), (9, 5, 33), (3, 40, 70), (17, 64, 31), (64, 3, 96))


def product(m: int, k: int, n: int, dtype: DType = F32, *, lhs: bool = False, rhs: bool = False):
    b = Builder()
    x = b.parameter(tensor_type((k, m) if lhs else (m, k), dtype))
    y = b.parameter(tensor_type((n, k) if rhs else (k, n), dtype))
    result = b.dot_general(x, y, contract=((0 if lhs else 1,), (1 if rhs else 0,)))
    return b.graph("f", [result]), [random(dtype, x.type.shape), random(dtype, y.type.shape, 1)]


def strategy(graph) -> str:
    (launch,) = plan_of(graph).launches
    return launch.schedule.strategy


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize(("lhs", "rhs"), [*itertools.product([False, True], repeat=2)])
def test_every_layout_and_every_rest_of_a_tile(dtype, lhs, rhs):
    tolerance = 1e-5 if dtype is F32 else 1e-13
    for m, k, n in SIZES:
        graph, inputs = product(m, k, n, dtype, lhs=lhs, rhs=rhs)
        assert strategy(graph) == REGISTERS
        (expected,) = eval_numpy.evaluate(graph, inputs)
        np.testing.assert_allclose(run(graph, inputs)[0], expected, rtol=tolerance, atol=tolerance)


def test_products_of_one_size_are_one_function():
    from compiler_core.runtime import cpu

    b = Builder()
    x = b.parameter(tensor_type((8, 8)))
    once = b.dot_general(x, x, contract=((1,), (0,)))
    twice = b.dot_general(once, x, contract=((1,), (0,)))
    text = cpu.build(plan_of(b.graph("f", [twice]))).source.text
    assert text.count("static void product_f32_8x8x8(") == 1
    assert text.count("product_f32_8x8x8(") == 3


def test_what_is_large_or_of_another_type_is_a_librarys():
    assert strategy(product(256, 256, 256)[0]) != REGISTERS
    assert strategy(product(8, 8, 8, BF16)[0]) != REGISTERS
