"""The errors of values in memory, whatever their memory has become meanwhile."""

import torch

from compiler_core import report
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.measure.clock import Clock
from compiler_core.measure.precision import locate
from compiler_core.plan.written import Written

X = torch.arange(6.0).reshape(2, 3)


def located(b, inputs, places, found):
    graph = b.graph("f", [p.value for p in places])
    return locate(graph, places, inputs, found, None, (), Clock.of(60)).errors


def test_memory_may_have_the_elements_of_its_value_in_another_shape():
    b = Builder()
    x = b.parameter(TensorType(F32, (2, 3)), "x")
    y = b.node("negate", x)
    z = b.transpose(y, (1, 0))
    places = [Written("k0", "b0", y, (x,)), Written("k1", "b1", z, (y,))]
    errors = located(b, [X], places, [-X.reshape(-1), -X.T])
    assert [e.own for e in errors] == [report.ErrorSize()] * 2


def test_what_a_launch_read_may_have_been_written_over():
    b = Builder()
    x = b.parameter(TensorType(F32, (2, 3)), "x")
    y = b.node("negate", b.node("abs", x))
    (error,) = located(b, [X], [Written("k0", "b0", y, ())], [-X])
    assert error.own == report.ErrorSize()
