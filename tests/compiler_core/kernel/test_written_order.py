"""Loops follow what is written."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.kernel.kernel import Load
from tests.compiler_core.codegen.c.graphs import kernels_of, run

# What is computed of planes, as pixels.
PIXELS = """
graph f(%0: f32[2,CHANNELS,24,40]) {
  %1 = tanh(%0) : f32[2,CHANNELS,24,40]
  %2 = transpose(%1) {permutation = (0, 2, 3, 1)} : f32[2,24,40,CHANNELS]
  return %2
}
"""
BOTH = PIXELS.replace("return %2", "return %1, %2")


def steps(text):
    """Of the innermost loop, through what the kernel reads and through what it writes."""
    (kernel,) = kernels_of(parse(text))
    last = kernel.parallel[-1].name
    (load,) = (d for d in kernel.defs if isinstance(d, Load))
    return load.access.stride(last), [e.access.stride(last) for e in kernel.stores]


@pytest.mark.parametrize("channels", [3, 8, 64])
def test_loops_are_in_the_order_of_what_is_written(channels):
    assert steps(PIXELS.replace("CHANNELS", str(channels))) == (24 * 40, [1])


def test_where_stores_differ_loops_follow_what_is_computed():
    assert steps(BOTH.replace("CHANNELS", "64")) == (1, [1, 64])


@pytest.mark.parametrize("channels", [3, 5, 64])
@pytest.mark.parametrize("text", [PIXELS, BOTH], ids=["pixels", "both"])
def test_numbers_are_the_same(text, channels):
    graph = parse(text.replace("CHANNELS", str(channels)))
    x = np.random.default_rng(0).standard_normal((2, channels, 24, 40), np.float32)
    for found, expected in zip(run(graph, [x]), evaluate(graph, [x]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
