"""Each operation as a kernel of its own, and the views that must be in memory for that."""

import pytest

from compiler_core.fuse import alone
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import values_of


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


@pytest.mark.parametrize("count", [1, 20])
def test_all_such_views_are_found_in_one_sweep(count, monkeypatch):
    lowered = []
    real = alone.lower
    monkeypatch.setattr(alone, "lower", lambda *a: lowered.append(a) or real(*a))
    found = alone.each_alone(values_of(fan(count)))
    assert len(found.values.materialized) == count
    # Each member twice, and once more each that had to wait for its view.
    assert len(lowered) <= 2 * len(found.kernels) + count
