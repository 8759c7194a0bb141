"""Templates over a batch whose size is a symbol, in C: compiled once, called with several sizes."""

import numpy as np
import pytest
import torch

from compiler_core.codegen.c import emit as c
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import substitute
from compiler_core.ir.types import F32, TensorType
from compiler_core.runtime import cpu
from tests.compiler_core.codegen import batched
from tests.compiler_core.codegen.batched import GRAPHS, B
from tests.compiler_core.codegen.c.graphs import plan_of

# The least, one more and one less than a power of two, and enough for several threads.
BATCHES = (2, 15, 17, 64)


def inputs_of(graph: Graph, seed: int) -> list[np.ndarray]:
    """Whole numbers, so that sums are exact and some elements are equal."""
    random = np.random.default_rng(seed)
    return [random.integers(-4, 5, x.type.sizes).astype(np.float32) for x in graph.inputs]


def held(graph: Graph, compiled, batch: int) -> None:
    numbers = substitute(graph, {B: batch})
    inputs = inputs_of(numbers, batch)
    results = compiled([torch.from_numpy(x) for x in inputs])
    for ours, theirs in zip(results, eval_numpy.evaluate(numbers, inputs), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-6, atol=2e-6)


@pytest.mark.cpu
@pytest.mark.parametrize("name", GRAPHS)
def test_one_compilation_serves_every_batch(name):
    graph = GRAPHS[name]
    compiled = cpu.build(plan_of(graph))
    for batch in BATCHES:
        held(graph, compiled, batch)


@pytest.mark.parametrize("name", ["plain", "padded", "all", "transposed", "channels-last"])
def test_a_convolution_of_a_symbolic_batch_is_generated(name):
    (launch,) = plan_of(GRAPHS[name]).launches
    assert launch.schedule.strategy == "direct"


@pytest.mark.parametrize("name", ["plain and what follows", "volume and what follows"])
def test_what_follows_a_convolution_of_a_symbolic_batch_is_computed_on_its_tiles(name):
    (launch,) = plan_of(GRAPHS[name]).launches
    assert launch.step.kind == "convolution" and "tanh" in launch.step.ops


def test_text(golden):
    text = c.emit(plan_of(GRAPHS["plain and what follows"])).source.text
    golden(text[text.index("// Some features at some places") :])


@pytest.mark.cpu
def test_two_layers_and_a_pooling_are_compiled_once():
    b = Builder()
    x = b.parameter(TensorType(F32, (batched.ROWS, 3, 12, 12)))
    y = b.convolution(x, b.parameter(TensorType(F32, (8, 3, 3, 3))), low=(1, 1), high=(1, 1))
    zero = b.scalar(0.0, F32, y.type.shape)
    y = b.node("maximum", y, zero)
    ones = (1, 1, 1, 1)
    (y,) = b.operation(
        "reduce_window", [y], monoid="maximum", window=(1, 1, 2, 2), strides=(1, 1, 2, 2),
        base_dilation=ones, window_dilation=ones, low=(0,) * 4, high=(0,) * 4,
    )  # fmt: skip
    y = b.convolution(y, b.parameter(TensorType(F32, (5, 8, 3, 3))), strides=(2, 2))
    graph = b.graph("f", [b.reduce(y, "add", (2, 3))])
    compiled = cpu.build(plan_of(graph))
    for batch in BATCHES:
        held(graph, compiled, batch)
