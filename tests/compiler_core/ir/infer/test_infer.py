"""Type rules where sizes are symbols."""

from compiler_core.ir.build import Builder
from compiler_core.ir.sizes import Symbol, size
from compiler_core.ir.types import F32, TensorType

b = size(Symbol("B", hint=32))


def test_a_pad_without_gaps_asks_nothing_of_the_size():
    graph = Builder()
    x = graph.parameter(TensorType(F32, (b - 1,)))
    y = graph.node("pad", x, graph.scalar(0.0, F32), low=(1,), high=(2,), interior=(0,))
    assert y.type.shape == (b + 2,)
