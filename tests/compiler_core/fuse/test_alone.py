"""Each operation as a kernel of its own, and the views that must be in memory for that."""

import numpy as np
import pytest

from compiler_core.fuse import alone
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import values_of
from tests.compiler_core.plans import of_kernel, run_plan


def view_that_no_loop_reads_in_place(b, x):
    """Elements of a 4x6 matrix's transpose, four to a row."""
    return b.reshape(b.transpose(x, (1, 0)), (3, 8))


def fan(count):
    """`count` inputs, each negated behind a view that must be copied first, all of them added."""
    b = Builder()
    inputs = [b.parameter(TensorType(F32, (4, 6))) for _ in range(count)]
    total = b.node("negate", view_that_no_loop_reads_in_place(b, inputs[0]))
    for x in inputs[1:]:
        total = b.node("add", total, b.node("negate", view_that_no_loop_reads_in_place(b, x)))
    return b.graph("fan", [total])


def test_the_view_behind_an_index_that_is_not_affine_is_materialized():
    found = alone.each_alone(values_of(fan(1)))
    assert [node.op for node in found.values.materialized] == ["transpose"]
    assert {node.op for node in found.kernels} == {"transpose", "negate"}


@pytest.fixture
def lowered(monkeypatch):
    """The operations that are lowered, in order."""
    found, real = [], alone.lower
    monkeypatch.setattr(alone, "lower", lambda *a: found.append(a[1][0]) or real(*a))
    return found


@pytest.mark.parametrize("count", [1, 20])
def test_all_such_views_are_found_in_one_sweep(count, lowered):
    found = alone.each_alone(values_of(fan(count)))
    assert len(found.values.materialized) == count
    # Each member once, and once more each that had to wait for its view.
    assert len(lowered) == len(found.kernels) + count


def read_before_it_is_materialized():
    """A view that one operation reads as it is, before another one needs it in memory."""
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 6)))
    turned = b.transpose(b.node("exponential", x), (1, 0))
    first, other = b.node("tanh", turned), b.node("negate", x)
    second = b.node("negate", b.reshape(turned, (3, 8)))
    return b.graph("shared", [first, second, other])


CASES = {"fan": fan(3), "shared": read_before_it_is_materialized()}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_lowered_again_is_as_if_it_were(name):
    found = alone.each_alone(values_of(CASES[name]))
    assert found.names == alone.names_of(found.values)
    for node, kernel in found.kernels.items():
        again = alone.lower("kernel", (node,), (node,), found.values, found.names)
        assert again == kernel


def test_only_what_reads_a_materialized_view_is_lowered_again(lowered):
    found = alone.each_alone(values_of(read_before_it_is_materialized()))
    counts = {node.op: lowered.count(node) for node in found.kernels}
    assert counts["tanh"] == 2 and counts["exponential"] == 1


def test_a_reshape_is_read_from_memory_in_its_order_whatever_the_loop_follows():
    """The loop follows the transpose, in whose index a half and a place in it are not affine."""
    b = Builder()
    turned = b.transpose(b.parameter(TensorType(F32, (3, 4, 2))), (1, 0, 2))
    halves = b.node("reshape", turned, shape=(2, 2, 3, 2))
    rows = b.node("reshape", halves, shape=(4, 3, 2))
    values = alone.each_alone(values_of(b.graph("f", [b.node("negate", rows)])))
    found = alone.with_views(values, frozenset({halves, rows}))
    given = np.arange(24, dtype=np.float32).reshape(2, 2, 3, 2)
    (copy,) = run_plan(of_kernel(found.kernels[rows]), [given])
    np.testing.assert_array_equal(copy, given.reshape(4, 3, 2))
