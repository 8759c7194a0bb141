"""What counts in 64 bits though 32 hold it is computed in 32, and nothing else is."""

import numpy as np
import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F32, I32, I64, TensorType
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import (
    Axis,
    BufferParam,
    Compute,
    Const,
    Index,
    Kernel,
    Load,
    operands,
)
from compiler_core.kernel.narrow import narrowed
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core.codegen.c.graphs import kernels_of, tensor_type
from tests.compiler_core.plans import ON_CPU, run_plan

N = 40
_ALONE = {
    "offset_dims": (), "collapsed_slice_dims": (0,), "start_index_map": (0,), "slice_sizes": (1,),
    "operand_batching_dims": (), "start_indices_batching_dims": (), "out_of_bounds": "wrap",
    "fill": 0,
}  # fmt: skip
AXIS = Axis("i0", N, "parallel")


def number(b, value):
    return b.scalar(value, I64, (N,))


def neighbour(b, x, at):
    """x at the place behind `at`, or at the last one."""
    after = b.node("minimum", b.node("add", at, number(b, 1)), number(b, N - 1))
    places = b.reshape(after, (N, 1))
    return b.node("gather", x, places, index_vector_dim=1, **_ALONE)


def of_kernel(make, *types):
    """The only kernel of what `make` makes of inputs of `types`."""
    b = Builder()
    graph = b.graph("f", [make(b, *map(b.parameter, types))])
    (kernel,) = kernels_of(graph)
    return graph, kernel


def operations(kernel):
    return [d for d in kernel.defs if isinstance(d, Compute)]


def test_an_index_that_is_known_to_be_small_is_computed_in_32_bits():
    graph, kernel = of_kernel(lambda b, x: neighbour(b, x, b.iota(I64, (N,), 0)), tensor_type((N,)))
    assert all(d.dtype is not I64 for d in kernel.defs)
    x = np.arange(N, dtype=np.float32)
    plan = build_plan(fuse(values_of(graph)), ON_CPU)
    np.testing.assert_array_equal(run_plan(plan, [x])[0], evaluate(graph, [x])[0])


@pytest.mark.parametrize("op", ["remainder", "and"])
def test_a_place_that_is_counted_round_is_computed_in_32_bits(op):
    def turned(b, x):
        at = b.node(op, b.node("add", b.iota(I64, (N,), 0), number(b, 1)), number(b, 7))
        return neighbour(b, x, at)

    graph, kernel = of_kernel(turned, tensor_type((N,)))
    assert {d.dtype for d in operations(kernel) if d.op == op} == {I32}
    x = np.arange(N, dtype=np.float32)
    plan = build_plan(fuse(values_of(graph)), ON_CPU)
    np.testing.assert_array_equal(run_plan(plan, [x])[0], evaluate(graph, [x])[0])


def test_what_is_only_known_to_be_64_bits_stays_so():
    def shifted(b, x, at):
        return neighbour(b, x, b.node("add", at, number(b, 1)))

    _, kernel = of_kernel(shifted, tensor_type((N,)), TensorType(I64, (N,)))
    assert {d.dtype for d in operations(kernel) if d.op == "minimum"} == {I64}


def test_what_is_stored_as_64_bits_is_computed_so():
    _, kernel = of_kernel(lambda b: b.node("add", b.iota(I64, (N,), 0), number(b, 1)))
    assert [d.dtype for d in kernel.defs] == [I64] * 3


def test_a_float_that_is_known_to_be_small_is_a_small_index():
    """That it is small is known of the graph, which has ranges of floats."""
    b = Builder()
    few = b.node("minimum", b.iota(F32, (N,), 0), b.scalar(9.0, F32, (N,)))
    found = neighbour(b, b.parameter(tensor_type((N,))), b.convert(few, I64))
    (kernel,) = kernels_of(b.graph("f", [found]))
    assert [d.dtype for d in operations(kernel) if d.op == "minimum"] == [F32, I32]


def test_an_index_of_a_place_that_is_narrow_reads_it_by_the_name_that_it_has_then():
    """A place is one of 40 in i64, in i32 where an index follows it, and that index counts on."""
    at = Affine(((AXIS.name, 1),))
    chosen = Affine(indirect=(Indirect("place", 1),))
    defs = (
        Load("at", I64, "places", at), Const("least", I64, 0), Const("most", I64, N - 1),
        Compute("long", I64, "clamp", ("least", "at", "most")),
        Compute("place", I32, "convert", ("long",)),
        Index("index", I64, chosen), Compute("next", I64, "add", ("index", "index")),
        Compute("short", I32, "convert", ("next",)),
    )  # fmt: skip
    buffers = (BufferParam("places", TensorType(I64, (N,)), "in"),
               BufferParam("out", TensorType(I32, (N,)), "out"))  # fmt: skip
    phases = (Phase((Store("out", at, "short"),)),)
    kernel = Kernel("f", "elementwise", (AXIS,), buffers, defs, phases)
    found = narrowed(kernel, {"at": (-9, 99), "index": (0, N - 1)})
    known = [d.name for d in found.defs]
    assert all(known.index(a) < known.index(d.name) for d in found.defs for a in operands(d))
    assert found.dtype_of("next") is I32
