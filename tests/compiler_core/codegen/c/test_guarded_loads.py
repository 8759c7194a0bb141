"""Loads that only part of a loop makes, at every small size: no compiler's vectors may read
what the mask forbids, or lose what it allows."""

import itertools

import numpy as np
import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import BF16, F32, I8, I64, DType
from conformance.operations import cases
from tests.compiler_core.codegen.c.graphs import run_together, tensor_type
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
SIZES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33)
# Of two dimensions: below, at and above what the vectors of any type hold.
COLUMNS = (1, 3, 4, 7, 8, 16, 17, 33)


def cat(b: Builder, x: Value, dimension: int) -> Value:
    return b.node("concatenate", x, b.node("negate", x), dimension=dimension)


def twice(b: Builder, x: Value, dimension: int) -> Value:
    """The same memory twice, as in torch.cat([x, x])."""
    return b.node("concatenate", x, x, dimension=dimension)


def pad(b: Builder, x: Value, dimension: int) -> Value:
    low = tuple(int(i == dimension) * 2 for i in range(x.type.rank))
    value = b.scalar(3, x.type.dtype)
    return b.node("pad", x, value, low=low, high=low[::-1], interior=(0,) * x.type.rank)


def crop(b: Builder, x: Value, dimension: int) -> Value:
    """A pad that takes away at one end and adds at the other."""
    low = tuple(-int(i == dimension and x.type.shape[i] > 1) for i in range(x.type.rank))
    high = tuple(3 * int(i == dimension) for i in range(x.type.rank))
    value = b.scalar(1, x.type.dtype)
    return b.node("pad", x, value, low=low, high=high, interior=(0,) * x.type.rank)


def roll(b: Builder, x: Value, dimension: int) -> Value:
    shape, ones = x.type.shape, (1,) * x.type.rank
    cut = tuple(s // 2 if i == dimension else 0 for i, s in enumerate(shape))
    limit = tuple(c or s for c, s in zip(cut, shape, strict=True))
    tail = b.node("slice", x, start=cut, limit=shape, strides=ones)
    if cut[dimension] == 0:
        return b.node("negate", tail)
    head = b.node("slice", x, start=(0,) * x.type.rank, limit=limit, strides=ones)
    return b.node("concatenate", tail, head, dimension=dimension)


def program(make, shape: tuple[int, ...], dimension: int, dtype: DType) -> Graph:
    b = Builder()
    x = b.parameter(tensor_type(shape, dtype))
    return b.graph(make.__name__, [make(b, x, dimension)])


def check(graphs: list[Graph], **tolerance: float) -> None:
    inputs = [[cases.random(x.type.dtype, x.type.shape) for x in g.inputs] for g in graphs]
    for graph, given, found in zip(graphs, inputs, run_together(graphs, inputs), strict=True):
        (expected,) = evaluate(graph, given)
        where = f"{graph.name} of {graph.inputs[0].type}"
        np.testing.assert_allclose(found[0], expected, err_msg=where, **tolerance)


MADE = list(itertools.product([cat, twice, pad, crop, roll], [F32, BF16, I8, I64]))
# Each kind of part of one type, and one kind of every type: what is guarded and what an element is
# are printed apart.
KEPT = [(make, dtype) for make, dtype in MADE if make is cat or dtype is F32]


@pytest.mark.parametrize(
    ("make", "dtype"), thinned(MADE, KEPT), ids=lambda x: getattr(x, "__name__", str(x))
)
def test_every_small_size(make, dtype):
    shapes = [(n,) for n in SIZES] + [(m, n) for m in (2, 5) for n in COLUMNS]
    check([program(make, s, d, dtype) for s in shapes for d in range(len(s))], rtol=0)


@pytest.mark.parametrize("make", thinned([cat, twice, pad, crop, roll], kept=(cat, pad)))
def test_inside_a_reduction_at_every_small_size(make):
    """Sums, and softmax-like kernels, over either axis."""
    graphs = []
    for shape in [(m, n) for m in (1, 5, 40) for n in COLUMNS]:
        for dimension, over in ((0, 0), (0, 1), (1, 0), (1, 1)):
            b = Builder()
            result = make(b, b.parameter(tensor_type(shape)), dimension)
            total = b.broadcast(b.reduce(result, "add", (over,), True), result.type.shape)
            graphs.append(
                b.graph(f"{make.__name__}_{dimension}{over}", [b.node("subtract", result, total)])
            )
    check(graphs, rtol=1e-4, atol=1e-4)
