"""Loads and stores at places that are truths, but for numbers: a lane of a truth is -1 in a
compiler's vectors, and no index."""

import numpy as np
import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import BOOL, F32, I32, I64, TensorType
from tests.compiler_core.codegen.c.graphs import run_together, tensor_type

pytestmark = pytest.mark.cpu
ROWS = {
    "offset_dims": (), "collapsed_slice_dims": (0,), "start_index_map": (0,), "slice_sizes": (1,),
    "operand_batching_dims": (), "start_indices_batching_dims": (), "fill": 0,
}  # fmt: skip


def number(b: Builder, x: Value, value: int) -> Value:
    return b.scalar(value, x.type.dtype, x.type.shape)


def plus_one(b: Builder, x: Value) -> Value:
    index = b.convert(x, I64)
    return b.node("add", index, number(b, index, 1))


def remainder(b: Builder, x: Value) -> Value:
    index = plus_one(b, x)
    return b.node("remainder", index, number(b, index, 4))


def chosen(b: Builder, x: Value) -> Value:
    return b.node("select", x, *(b.scalar(n, I32, x.type.shape) for n in (2, 1)))


def of_two(b: Builder, x: Value) -> Value:
    other = b.node("reverse", x, dimensions=(0,))
    return b.node("add", plus_one(b, x), b.convert(other, I64))


def beside_a_place(b: Builder, x: Value) -> Value:
    return b.node("add", b.convert(x, I64), b.iota(I64, x.type.shape, 0))


MAKE = (plus_one, remainder, chosen, of_two, beside_a_place)
POLICIES = ("in_bounds", "clamp", "wrap", "mask")


def gathered(make, dtype, size: int, policy: str) -> Graph:
    """Of a table, at what is made of the truths."""
    b = Builder()
    x, table = b.parameter(tensor_type((size,), BOOL)), b.parameter(TensorType(dtype, (size + 4,)))
    index = make(b, x)
    result = b.node("gather", table, index, out_of_bounds=policy, index_vector_dim=1, **ROWS)
    return b.graph(make.__name__, [result])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dtype", [BOOL, F32], ids=str)
def test_a_table_is_read_at_truths(dtype, policy):
    graphs = [gathered(make, dtype, n, policy) for make in MAKE for n in (1, 3, 4, 8, 17, 40)]
    inputs = []
    for graph in graphs:
        truths, table = (x.type.sizes[0] for x in graph.inputs)
        values = np.arange(1, table + 1) % 3 - 1
        given = values > 0 if dtype is BOOL else values.astype(np.float32)
        inputs.append([np.arange(truths) % 4 != 0, given])
    for graph, given, (found,) in zip(graphs, inputs, run_together(graphs, inputs), strict=True):
        (expected,) = evaluate(graph, given)
        np.testing.assert_array_equal(
            found, expected, err_msg=f"{graph.name} {graph.inputs[0].type}"
        )
