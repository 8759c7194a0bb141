"""A graph at the sizes of one call."""

import numpy as np

from compiler_core.ir import eval_numpy
from compiler_core.ir.parse import parse
from compiler_core.ir.substitute import at_hint, substitute, symbols_of
from compiler_core.ir.text import to_text
from compiler_core.ir.verify import verify

HALVES = """\
graph f[B = 4 in 2..](%0: f32[B,6]) {
  %1 = slice(%0) {start = (0, 0), limit = (B, 3), strides = (1, 1)} : f32[B,3]
  %2 = reduce(%1) {monoid = add, dimensions = (1)} : f32[B]
  return %2
}
"""


def test_symbols_become_the_sizes_of_a_call():
    graph = parse(HALVES)
    (b,) = symbols_of(graph)
    x = np.arange(30, dtype=np.float32).reshape(5, 6)
    (result,) = eval_numpy.evaluate(verify(substitute(graph, {b: 5})), [x])
    np.testing.assert_array_equal(result, x[:, :3].sum(1))


def test_the_graph_at_the_hint_reads_as_one_without_symbols():
    said = to_text(at_hint(parse(HALVES)))
    assert said == HALVES.replace("[B = 4 in 2..]", "").replace("B", "4")


def test_a_graph_without_symbols_is_left_alone():
    graph = parse("graph f(%0: f32[4]) {\n return %0\n}")
    assert at_hint(graph) is graph
