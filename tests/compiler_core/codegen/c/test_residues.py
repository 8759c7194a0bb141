"""Parts that are interleaved along an outer axis: each residue has its own loops, without masks."""

import itertools

import numpy as np
import pytest

from compiler_core.backends.registry import running
from compiler_core.fuse.alone import each_alone
from compiler_core.fuse.groups import fuse_by
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core.codegen.c.graphs import run_together

pytestmark = pytest.mark.cpu


def interleaved(rows: int, columns: int, parts: int, shift: int) -> Graph:
    """As many arrays, of which each has every `parts`-th row, from its own on; `shift` before the
    first they begin, so that indices are negative there."""
    b = Builder()
    given = [b.parameter(TensorType(F32, (rows, columns))) for _ in range(parts)]
    none, result = b.scalar(0, F32), None
    for n, x in enumerate(given):
        low, high = (n - shift, 0), (parts - 1 - n + shift, 0)
        padded = b.node("pad", x, none, low=low, high=high, interior=(parts - 1, 0))
        scaled = b.node("multiply", padded, padded)
        result = scaled if result is None else b.node("add", result, scaled)
    return b.graph("interleaved", [result])


@pytest.mark.parametrize("parts", [2, 3, 9])
def test_each_row_is_of_the_part_that_its_residue_says(parts):
    shapes = itertools.product((1, 2, 3, 8), (1, 5, 64), (0, 1, 3))
    graphs = [interleaved(rows, columns, parts, shift) for rows, columns, shift in shapes]
    rng = np.random.default_rng(0)
    inputs = [[rng.standard_normal(x.type.sizes, np.float32) for x in g.inputs] for g in graphs]
    for graph, given, found in zip(graphs, inputs, run_together(graphs, inputs), strict=True):
        np.testing.assert_allclose(found[0], evaluate(graph, given)[0], rtol=1e-6)


def text(parts: int) -> str:
    backend = running("cpu")
    graph = interleaved(64, 64, parts, 0)
    fused = fuse_by(backend.model, each_alone(values_of(graph)))
    return str(backend.emit(build_plan(fused, backend.choose)).texts[0].source.text)


def test_a_loop_of_one_residue_asks_for_none():
    of_two, of_nine = text(2), text(9)
    assert "% 2 == 0) {" in of_two and "% 2 == 1) {" in of_two
    assert "remainder_i32(v" not in of_two.split("% 2 == 0) {")[1].split("}")[0]
    # Nine loops would be longer than what they save.
    assert "% 9 ==" not in of_nine and "remainder_i32(v" in of_nine
