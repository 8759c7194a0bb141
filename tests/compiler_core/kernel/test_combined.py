"""Reductions and scans as kernels: of tuples, in both directions, fused with what is around them,
and why some are not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F32, I32, I64, TensorType
from compiler_core.plan.build import build_plan, values_of

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.compiler_core.plans import ON_CPU, run_plan

SHAPE = (4, 50)


def parameter(b, *shape):
    return b.parameter(TensorType(F32, shape or SHAPE))


def places(b, x, dimension, dtype=I64):
    return b.node("iota", dimension=dimension, type=TensorType(dtype, x.type.shape))


def planned(graph):
    return build_plan(fuse(values_of(graph)), ON_CPU)


def computed(graph):
    """The plan, whose outputs are what the graph means."""
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]
    plan = planned(graph)
    for ours, exact in zip(run_plan(plan, inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-5, atol=1e-5)
    return plan


def text(plan):
    return "\n".join(line for step in plan.steps for line, _ in step.lines())


def test_arg_max_of_which_only_the_place_is_needed(golden):
    b = Builder()
    x = parameter(b)
    _, place = b.operation("reduce", (x, places(b, x, 1)), monoid="argmax", dimensions=(1,))
    golden(text(computed(b.graph("argmax", [place]))))


def test_minimum_and_its_place_are_one_reduction():
    b = Builder()
    x = parameter(b)
    least, place = b.operation("reduce", (x, places(b, x, 0)), monoid="argmin", dimensions=(0,))
    (step,) = computed(b.graph("min", [least, b.node("negate", place)])).steps
    assert [len(p.effects) for p in step.kernel.phases] == [1, 2]


def test_an_extreme_with_its_place_along_columns_walks_them_side_by_side():
    """The place is counted along the column, but is no access to memory."""
    b = Builder()
    x = parameter(b)
    result = b.operation("reduce", (x, places(b, x, 0)), monoid="argmin", dimensions=(0,))
    (step,) = computed(b.graph("min", result)).steps
    assert step.kernel.kind == "column"


def test_place_in_a_flattened_tensor():
    b = Builder()
    x = parameter(b, 5, 6, 7)
    flat = b.reshape(x, (210,))
    _, place = b.operation("reduce", (flat, places(b, flat, 0)), monoid="argmax", dimensions=(0,))
    computed(b.graph("argmax", [place]))


@pytest.mark.parametrize(
    ("shape", "dimension"), [((0, 1), 1), ((1, 0), 0), ((0, 1, 3), 1), ((1, 1), 0), ((3, 1), 1)]
)
def test_an_extreme_with_its_place_of_no_elements_or_of_one(shape, dimension):
    """None of these is folded before, as some are by passes."""
    b = Builder()
    x = parameter(b, *shape)
    of = (x, places(b, x, dimension))
    computed(b.graph("min", b.operation("reduce", of, monoid="argmin", dimensions=(dimension,))))


def running(b, x, monoid="add", dimension=1, reverse=False):
    return b.node("cumulative", x, monoid=monoid, dimension=dimension, reverse=reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dimension", [0, 1, 2])
def test_a_scan_along_any_dimension_in_both_directions(dimension, reverse):
    b = Builder()
    x = parameter(b, 3, 5, 4)
    (step,) = computed(b.graph("scan", [running(b, x, "add", dimension, reverse)])).steps
    assert len(step.kernel.reduce) == 1


def test_a_scan_backwards_with_producer_and_consumer(golden):
    b = Builder()
    x = parameter(b)
    result = b.operation(
        "cumulative", (b.node("exponential", x), places(b, x, 1)),
        monoid="argmax_last", dimension=1, reverse=True,
    )  # fmt: skip
    golden(text(computed(b.graph("cummax", [b.node("negate", result[0]), result[1]]))))


def test_running_share_of_the_total_is_one_kernel(golden):
    """The scan moves to the walk that follows the sum."""
    b = Builder()
    x = parameter(b)
    total = b.broadcast(b.reduce(x, "add", (1,), True), SHAPE)
    golden(text(computed(b.graph("share", [b.node("divide", running(b, x), total)]))))


def test_scan_of_a_scan_in_one_walk():
    b = Builder()
    (step,) = computed(b.graph("twice", [running(b, running(b, parameter(b), "maximum"))])).steps
    assert len(step.kernel.scans) == 2


def test_scan_of_a_reversed_scan_of_reversed_values_in_one_walk():
    """Two reversals and a scan backwards are a scan forwards."""
    b = Builder()
    x = parameter(b)
    turned = b.node("reverse", x, dimensions=(1,))
    back = b.node("reverse", running(b, turned, reverse=True), dimensions=(1,))
    (step,) = computed(b.graph("forwards", [running(b, back)])).steps
    assert len(step.kernel.scans) == 2


def test_a_dimension_of_one_element_has_nothing_to_combine():
    b = Builder()
    (step,) = computed(b.graph("one", [running(b, parameter(b, 4, 1))])).steps
    assert not step.kernel.scans


def refusal(graph):
    return " ".join(r.reason for r in fuse(values_of(graph)).refusals)


def test_running_values_needed_in_two_walks_are_written():
    b = Builder()
    scan = running(b, parameter(b))
    top = b.broadcast(b.reduce(scan, "maximum", (1,), True), SHAPE)
    graph = b.graph("later", [b.node("divide", scan, top)])
    assert len(computed(graph).steps) == 2
    assert "are needed in several passes" in refusal(graph)


def test_scans_against_each_other_are_two_kernels():
    b = Builder()
    x = parameter(b)
    graph = b.graph("both", [b.node("add", running(b, x), running(b, x, reverse=True))])
    assert len(computed(graph).steps) == 2
    assert "scans in the opposite direction to another scan" in refusal(graph)


def test_a_shifted_scan_is_written_first():
    b = Builder()
    scan = running(b, parameter(b))
    tail = b.node("slice", scan, start=(0, 1), limit=SHAPE, strides=(1, 1))
    assert len(computed(b.graph("shifted", [b.node("negate", tail)])).steps) == 2


def test_an_index_is_combined_in_32_bits():
    b = Builder()
    x = parameter(b)
    _, place = b.operation("reduce", (x, places(b, x, 1)), monoid="argmax", dimensions=(1,))
    (step,) = planned(b.graph("argmax", [place])).steps
    ((reduce,), _) = (p.effects for p in step.kernel.phases)
    assert reduce.dtypes == (F32, I32)


@st.composite
def programs(draw):
    """Elementwise operations, reductions and scans over one 2-D input."""
    b = Builder()
    values = [parameter(b, 3, 6)]
    for number in range(draw(st.integers(1, 8))):
        x = draw(st.sampled_from(values))
        kind = draw(st.sampled_from(("scan", "place", "share", "unary", "binary", "turn")))
        dimension = draw(st.integers(0, 1))
        monoid = draw(st.sampled_from(("add", "maximum", "minimum")))
        with b.origin(number):
            match kind:
                case "scan":
                    x = running(b, x, monoid, dimension, draw(st.booleans()))
                case "place":
                    index = b.node("convert", places(b, x, dimension, I32), dtype="f32")
                    whole = b.operation(
                        "cumulative", (x, places(b, x, dimension)),
                        monoid="argmin_last", dimension=dimension, reverse=draw(st.booleans()),
                    )  # fmt: skip
                    x = b.node("add", index, b.node("convert", whole[1], dtype="f32"))
                case "share":
                    total = b.reduce(x, monoid, (dimension,), True)
                    x = b.node("subtract", x, b.broadcast(total, x.type.shape))
                case "unary":
                    x = b.node("tanh", x)
                case "binary":
                    x = b.node("add", x, draw(st.sampled_from(values)))
                case "turn":
                    x = b.node("reverse", x, dimensions=(dimension,))
        values.append(x)
    return b.graph("random", [values[-1], draw(st.sampled_from(values))])


@given(programs())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_plans_with_scans_compute_what_graphs_mean(graph):
    x = np.random.default_rng(0).permutation(18).reshape(3, 6).astype(np.float32) / 4
    for ours, exact in zip(run_plan(planned(graph), [x]), evaluate(graph, [x]), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-4, atol=1e-3)
