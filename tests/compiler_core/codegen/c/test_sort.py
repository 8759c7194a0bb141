"""Rows in order as generated C: a network, a radix sort, a selection and a collection against
numpy's meaning."""

import itertools
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from compiler_core.codegen.c.emit import emit
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.sizes import Symbol, size
from compiler_core.ir.types import BF16, F16, F32, F64, I32, I64, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.runtime import cpu
from compiler_core.schedule.targets import CpuTarget
from conformance.operations.cases import random
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.sorts import (
    By,
    argsort,
    argsort_graph,
    by_two,
    every,
    in_total_order,
    top_k,
    top_k_graph,
    united,
)
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

CPU = CpuTarget()


def plan_by(way, graph, target=CPU):
    return build_plan(fuse(values_of(graph), cost.CPU), By(target, way))


def computed(plan, inputs):
    return [torch_to_numpy(x) for x in cpu.build(plan)([numpy_to_torch(x) for x in inputs])]


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))


# The loop over rows, which threads share or not, is the same for all ways.
ORDERED = list(itertools.product(("network", "radix", "selection"), (0.0, inf)))
KEPT = (("network", inf), ("radix", 0.0), ("selection", 0.0))


@pytest.mark.parametrize(("way", "waking_us"), thinned(ORDERED, KEPT))
def test_each_way_orders_every_type_and_shape(way, waking_us):
    graph, inputs = united(every(turned=waking_us == inf))
    plan = plan_by(way, graph, CpuTarget(waking_us=waking_us))
    taken = {launch.schedule.strategy for launch in plan.launches}
    assert way in taken
    assert_same(computed(plan, inputs), evaluate(graph, inputs))


def test_equal_keys_keep_their_order_whatever_their_bits():
    values = np.array([[0.0, -0.0, np.nan, -np.nan, 0.0, -0.0, -np.nan, np.nan]], np.float32)
    for way in ("network", "radix"):
        for descending, first in ((False, [0, 1, 4, 5]), (True, [2, 3, 6, 7])):
            graph, _ = argsort(F32, values.shape, descending=descending)
            ordered, places = computed(plan_by(way, graph), [values])
            assert places[0, :4].tolist() == first
            assert ordered.tobytes() == values[0, places[0]].tobytes()


FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0])


@pytest.fixture(scope="module")
def small():
    graph, _ = united([argsort(F32, (3, 12)), top_k(F32, (3, 12), 5)])
    return graph, {w: cpu.build(plan_by(w, graph)) for w in ("network", "radix", "selection")}


@given(arrays.arrays(np.float32, (3, 12), elements=FLOATS))
@settings(max_examples=150, deadline=None)
def test_small_tables_of_any_numbers(small, table):
    graph, programs = small
    expected = evaluate(graph, [table, table])
    for program in programs.values():
        found = program([numpy_to_torch(table), numpy_to_torch(table)])
        assert_same(map(torch_to_numpy, found), expected)


def test_rows_of_nothing_and_none_of_the_greatest():
    graph, inputs = united(
        [argsort(F32, (3, 0)), argsort(F32, (0, 3)), top_k(F32, (3, 5), 0), argsort(I32, (4, 1))]
    )
    plan = plan_of(graph)
    assert len(plan.launches) == 1
    assert_same(computed(plan, inputs), evaluate(graph, inputs))


WAYS = {"network": 9, "radix": 200, "selection": 9, "collection": 200}


@pytest.mark.parametrize("dtype", [F32, F64, F16, BF16], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_the_greatest_in_total_order(way, dtype):
    graph, inputs = in_total_order(dtype, (5, 12 if way == "network" else 300), WAYS[way])
    assert_same(computed(plan_by(way, graph), inputs), evaluate(graph, inputs))


def test_long_rows():
    graph, inputs = united([argsort(F32, (2, 100_000)), top_k(BF16, (2, 70_000), 9)])
    plan = plan_of(graph)
    assert [x.schedule.strategy for x in plan.launches] == ["radix", "selection"]
    assert_same(computed(plan, inputs), evaluate(graph, inputs))


@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=str)
@pytest.mark.parametrize("kept", [65, 500])
@pytest.mark.parametrize("waking_us", [0.0, inf], ids=["threads", "one-thread"])
def test_the_first_of_long_rows_are_collected(dtype, kept, waking_us):
    """Among many that are equal, the first; in rows that rise, where every element is taken, and
    that fall; of a length that no block divides."""
    shape = (4, 5003)
    graph, (table,) = top_k(dtype, shape, kept)
    table[1] = np.sort(table[1])
    table[2] = np.sort(table[2])[::-1]
    if dtype is not BF16:
        table[3] = np.random.default_rng(2).permutation(shape[1])
    plan = plan_by("collection", graph, CpuTarget(waking_us=waking_us))
    assert [x.schedule.strategy for x in plan.launches] == ["collection"]
    assert_same(computed(plan, [table]), evaluate(graph, [table]))


def test_columns_are_collected_too():
    """The least ones of each, by a sort along the first axis and a slice."""
    graph, inputs = argsort(F32, (3000, 5), 0)
    b = Builder(graph.next_id)
    attrs = {"start": (0, 0), "limit": (100, 5), "strides": (1, 1)}
    sliced = [b.node("negate", b.node("slice", x, **attrs)) for x in graph.outputs]
    graph = type(graph).of("f", graph.inputs, sliced)
    plan = plan_of(graph)
    assert plan.launches[0].schedule.strategy == "collection"
    assert_same(computed(plan, inputs), evaluate(graph, inputs))


def test_a_result_that_nobody_reads_is_not_written():
    graph, inputs = argsort(F32, (64, 32))
    graph = type(graph).of("f", graph.inputs, graph.outputs[1:])
    (launch,) = plan_of(graph).launches
    assert len(launch.step.outputs) == 1
    assert_same(computed(plan_of(graph), inputs), evaluate(graph, inputs))


def test_only_what_is_sliced_is_ordered():
    """The least ones by a sort and a slice: a selection, as of a top-k."""
    graph, inputs = argsort(F32, (64, 2000))
    b = Builder(graph.next_id)
    attrs = {"start": (0, 0), "limit": (64, 5), "strides": (1, 1)}
    sliced = [b.node("negate", b.node("slice", x, **attrs)) for x in graph.outputs]
    graph = type(graph).of("f", graph.inputs, sliced)
    plan = plan_of(graph)
    assert plan.launches[0].schedule.strategy == "selection"
    assert plan.launches[0].step.kept == 5
    assert_same(computed(plan, inputs), evaluate(graph, inputs))


def test_one_compilation_orders_batches_of_any_size():
    batch = Symbol("B", hint=16)
    b = Builder()
    x = b.parameter(TensorType(F32, (size(batch), 20)))
    across = b.parameter(TensorType(F64, (300, size(batch))))
    top = b.operation("top_k", [x], k=3, total=False)
    down = b.operation("sort", [across], dimension=0, keys=1, descending=True, stable=True)
    graph = b.graph("f", [*top, *down])
    program = cpu.build(plan_of(graph))
    for rows in (2, 16, 37):
        inputs = [random(F32, (rows, 20)), random(F64, (300, rows))]
        result = program([numpy_to_torch(x) for x in inputs])
        wanted = [np.sort(inputs[0])[:, :-4:-1], None, np.sort(inputs[1], 0)[::-1]]
        for found, expected in zip(result, wanted, strict=True):
            assert expected is None or (torch_to_numpy(found) == expected).all()


def test_rows_of_a_symbols_length_are_left_to_torch():
    length = size(Symbol("T", hint=16))
    b = Builder()
    x = b.parameter(TensorType(F32, (3, length)))
    given = [x, b.iota(I64, (3, length), 1)]
    result = b.operation("sort", given, dimension=1, keys=1, descending=False, stable=True)
    plan = plan_of(b.graph("f", result))
    (launch,) = plan.launches
    assert "rows of T elements" in launch.schedule.reason
    table = random(F32, (3, 40))
    values, places = computed(plan, [table])
    assert (values == np.sort(table)).all() and (places == np.argsort(table, kind="stable")).all()


def test_programs_that_sort_alike_share_a_function():
    graph, _ = united([argsort(F32, (64, 32)), argsort(F32, (64, 32), seed=1)])
    assert emit(plan_of(graph)).source.text.count("static void k") == 1


TEXTS = {
    "network": argsort_graph(F32, (1024, 256)),
    "network-several-keys": by_two(F32, F64, (40, 30), descending=True)[0],
    "radix": argsort_graph(I32, (4, 10_000, 3), 1, descending=True),
    "selection": top_k_graph(F32, (256, 32000), 10),
    "collection": top_k_graph(F32, (256, 32000), 200),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text(golden, name):
    golden(emit(plan_of(TEXTS[name])).source.text)


def test_lines_come_from_the_operation():
    source = emit(plan_of(argsort_graph(F32, (64, 32)))).source
    of_line = dict(zip(source.text.splitlines(), source.nodes, strict=False))
    assert all(of_line[x] == (3,) for x in of_line if "order_f32(x0" in x or " y0[" in x)
