"""Products that no compiler can leave out."""

import pytest

from compiler_core.analysis.products import products
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType

ONE = 2 * 8 * 8 * 8


def square(b):
    return b.parameter(TensorType(F32, (8, 8)))


def dot(b, x, y):
    return b.dot_general(x, y, contract=((1,), (0,)))


def test_a_product_and_what_follows_a_function_of_one_count():
    b = Builder()
    x, v, w = (square(b) for _ in range(3))
    hidden = b.node("tanh", dot(b, x, v))
    assert products(b.graph("f", [dot(b, hidden, w)])) == {F32: 2 * ONE}


def test_a_product_of_a_product_may_be_regrouped():
    b = Builder()
    x, v, w = (square(b) for _ in range(3))
    assert products(b.graph("f", [dot(b, dot(b, x, v), w)])) == {F32: ONE}


def test_a_sum_of_a_product_needs_no_product():
    b = Builder()
    x, w = square(b), square(b)
    assert products(b.graph("f", [b.reduce(dot(b, x, w), "add", (0,))])) == {}


def test_the_same_product_counts_once():
    b = Builder()
    x, w = square(b), square(b)
    twice = b.node("add", b.node("tanh", dot(b, x, w)), b.node("exponential", dot(b, x, w)))
    assert products(b.graph("f", [twice])) == {F32: ONE}


def test_of_a_product_that_is_sliced_a_part_may_be_enough():
    b = Builder()
    x, w = square(b), square(b)
    row = b.node("slice", dot(b, x, w), start=(0, 0), limit=(1, 8), strides=(1, 1))
    assert products(b.graph("f", [row])) == {}


@pytest.mark.parametrize("op", ["tan", "cbrt", "erfc", "floor"])
def test_a_product_before_a_function_that_is_not_linear_counts_however_it_goes_on(op):
    b = Builder()
    x, w = square(b), square(b)
    total = b.reduce(b.node(op, dot(b, x, w)), "add", (0,))
    assert products(b.graph("f", [total])) == {F32: ONE}
