"""What a scatter updates with, and where, is computed in vectors before the updates are applied."""

import numpy as np
import pytest

from compiler_core.capture.places import put
from compiler_core.codegen.c.emit import emit
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import I32
from compiler_core.schedule.cpu.loops import UPDATES
from tests.compiler_core.codegen.c.graphs import plan_of, run, tensor_type

BINS = 16


def histogram(count, weighted=False):
    """How many numbers are in each of 16 bins, or the sum of those that are."""
    b = Builder()
    x = b.parameter(tensor_type((count,)))

    def number(value, dtype):
        return b.scalar(value, dtype, (count,))

    wide = b.node("multiply", x, number(4.0, x.type.dtype))
    at = b.convert(b.node("add", wide, number(8.0, x.type.dtype)), I32)
    at = b.node("minimum", b.node("maximum", at, number(0, I32)), number(BINS - 1, I32))
    updates = wide if weighted else number(1, I32)
    bins = b.scalar(0, updates.type.dtype, (BINS,))
    return b.graph("histogram", [put(b, bins, [0], [at], 0, updates, "add", "clamp")])


@pytest.mark.cpu
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("count", [UPDATES, 3 * UPDATES + 5])
def test_every_update_is_applied(count, weighted):
    graph = histogram(count, weighted)
    x = np.random.default_rng(0).standard_normal(count).astype(np.float32)
    np.testing.assert_allclose(run(graph, [x])[0], evaluate(graph, [x])[0], rtol=1e-4)
    plan = plan_of(graph)
    assert f"_block[{UPDATES}]" in emit(plan).source.text
    assert plan.launches[-1].schedule.parameters["updates ahead"] == UPDATES


def test_few_updates_are_applied_as_they_are_computed():
    plan = plan_of(histogram(UPDATES - 1))
    assert "_block[" not in emit(plan).source.text
    assert "updates ahead" not in plan.launches[-1].schedule.parameters
