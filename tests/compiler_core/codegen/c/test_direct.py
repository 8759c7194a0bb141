"""Convolutions in C: tiles of features by places, in registers."""

import itertools

import numpy as np
import pytest

from compiler_core.codegen.c.emit import emit
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F16, F32, F64, DType, TensorType
from compiler_core.plan.plan import Plan
from conformance.operations import cases_convolution
from conformance.operations.cases import random
from tests.compiler_core.codegen.c.graphs import plan_of, run


def graph_of(dtype: DType, *convolutions) -> Graph:
    """Each of (input sizes, kernel sizes, numbers), side by side."""
    b = Builder()
    results = []
    for left, right, attrs in convolutions:
        x, w = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
        results.append(b.convolution(x, w, **attrs))
    return b.graph("f", results)


def check(graph: Graph) -> Plan:
    """Everything in it is generated, and is what numpy says."""
    plan = plan_of(graph)
    assert {x.schedule.strategy for x in plan.launches} == {"direct"}
    dtype = graph.inputs[0].type.dtype
    inputs = [random(dtype, x.type.sizes, i) for i, x in enumerate(graph.inputs)]
    for found, expected in zip(run(graph, inputs), evaluate(graph, inputs), strict=True):
        tolerance = _TOLERANCE[dtype]
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    return plan


_TOLERANCE = {F64: 1e-12, F32: 2e-5, F16: 2e-3}

# Features and sizes around those of a tile, whole and with rests.
TILES = [
    ((batch, 3, high, wide), (features, 3, 3, 3), {"low": (1, 1), "high": (1, 1)})
    for number, (batch, high, wide, features) in enumerate(
        itertools.product((1, 2), (1, 5), (4, 16, 35), (1, 3, 8, 10, 17))
    )
    # Half of them: each features and width with one batch and height, and with the other ones.
    if (number + batch + high) % 2
]
STEPS = [
    ((2, 4, 13, 14), (6, 4 // groups, *window),
     {"strides": (stride, 1 + stride // 2), "rhs_dilation": (dilation, 1), "low": (low, 1),
      "high": (1, low), "groups": groups})
    for window, stride, dilation, low, groups in itertools.product(
        ((1, 1), (3, 2), (5, 5)), (1, 2, 3), (1, 2), (0, 2), (1, 2)
    )
    # A third of them, in which any two choices meet.
    if (window[0] // 2 + stride + dilation + low // 2 + groups) % 3 == 0
]  # fmt: skip
IN_PLACE = [
    ((2, 5, 6, wide), (features, 5, *window), {})
    for wide, features, window in itertools.product((3, 16, 37), (4, 9), ((1, 1), (1, 3), (3, 3)))
    if window[1] <= wide
]

# As large strides have them: many planes, some with bounds of their own.
PATCHES = [
    ((2, 3, 35, 33), (5, 3, *window), {"strides": strides, "low": low, "high": (1, 0),
                                       "rhs_dilation": apart})
    for window, strides, low, apart in (
        ((16, 16), (16, 16), (0, 0), (1, 1)), ((16, 8), (16, 8), (3, 2), (1, 1)),
        ((7, 7), (5, 6), (2, 3), (1, 1)), ((9, 6), (8, 7), (5, 0), (2, 3)),
    )
]  # fmt: skip


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("some", "dtype"),
    [
        (TILES, F32),
        (TILES[::3], F64),
        (STEPS, F32),
        (PATCHES, F32),
        (IN_PLACE, F32),
        (TILES[::4], F16),
        (STEPS[::2], F16),
        (IN_PLACE[::3], F16),
    ],
    ids=[
        "tiles",
        "tiles-f64",
        "steps",
        "patches",
        "in-place",
        "tiles-f16",
        "steps-f16",
        "in-place-f16",
    ],
)
def test_it_is_a_convolution(some, dtype):
    plan = check(graph_of(dtype, *some))
    packed = {bool(x.step.scratch) for x in plan.launches}
    # Of 16 bits it is converted as it is copied.
    assert packed == ({False, True} if some is IN_PLACE else {True})


@pytest.mark.parametrize(("wide", "packed"), [(5, True), (16, False)])
def test_an_image_of_fewer_places_than_a_tile_is_copied_to_be_read_past_its_end(wide, packed):
    (launch,) = plan_of(graph_of(F32, ((1, 4, 5, wide), (4, 4, 1, 1), {}))).launches
    assert launch.schedule.packed is packed


def test_sums_of_a_single_feature_are_held_in_vectors():
    depthwise = ((1, 8, 40, 40), (8, 1, 3, 3), {"groups": 8, "low": (1, 1), "high": (1, 1)})
    text = emit(plan_of(graph_of(F32, depthwise))).source.text
    assert "held[f * many + j] += y * ((f32_line *)x)[j];" in text and "sum[f" in text


@pytest.mark.parametrize(("wide", "outer"), [(40, "features"), (640, "places")])
def test_an_image_that_stays_in_cache_is_read_again_for_other_features(wide, outer):
    (launch,) = plan_of(graph_of(F32, ((1, 16, 40, wide), (32, 16, 1, 1), {}))).launches
    assert launch.schedule.outer == outer


@pytest.mark.cpu
def test_operands_in_any_order_and_turned():
    names = ("channels-last", "channels-first-out", "reversed", "cropped", "line", "volume")
    check(graph_of(F32, *(cases_convolution.NUMBERS[name] for name in names)))


@pytest.mark.cpu
def test_threads_share_what_is_large_and_change_nothing():
    plan = check(graph_of(F32, ((2, 16, 33, 34), (20, 16, 3, 3), {})))
    assert "#pragma omp parallel num_threads(threads)" in emit(plan).source.text


@pytest.mark.cpu
def test_an_image_that_is_its_own_kernel():
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 3, 5, 5)))
    check(b.graph("f", [b.convolution(x, x, low=(2, 2), high=(2, 2))]))


def test_convolutions_of_one_shape_are_one_function():
    shape = ((1, 4, 8, 8), (4, 4, 3, 3), {"low": (1, 1), "high": (1, 1)})
    b = Builder()
    x = b.parameter(TensorType(F32, shape[0]))
    for _ in range(3):
        x = b.convolution(x, b.parameter(TensorType(F32, shape[1])), **shape[2])
    text = emit(plan_of(b.graph("f", [x]))).source.text
    assert text.count("static void") == 1 and text.count("    k0_convolution(") == 3


def test_large_patches_have_a_short_text():
    graph = graph_of(F32, ((1, 3, 224, 224), (8, 3, 16, 16), {"strides": (16, 16)}))
    assert len(emit(plan_of(graph)).source.text.splitlines()) < 150


def test_every_line_knows_its_operation():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (1, 4, 8, 8))), b.parameter(TensorType(F32, (4, 4, 3, 3)))
    with b.origin(7):
        result = b.convolution(x, w)
    source = emit(plan_of(b.graph("f", [result]))).source
    lines = dict(zip(source.text.splitlines(), source.nodes, strict=False))
    assert all(nodes == (7,) for line, nodes in lines.items() if "sum[" in line)


def test_the_text_reads_as_a_person_would_write_it(golden):
    golden(emit(plan_of(cases_convolution.case("strided", F32).graph)).source.text)


def test_an_image_without_edges_is_read_in_place(golden):
    graph = graph_of(F32, ((8, 64, 28, 28), (96, 64, 1, 1), {}))
    golden(emit(plan_of(graph)).source.text)


# -- with a kernel at its end


def ended(left, right, attrs, more=None) -> Graph:
    """A convolution, a bias for each feature, and tanh; or what `more` makes of the three."""
    b = Builder()
    x, w = b.parameter(TensorType(F32, left)), b.parameter(TensorType(F32, right))
    conv = b.convolution(x, w, **attrs)
    feature = attrs.get("out_dims", range(len(left)))[1]
    bias = b.parameter(TensorType(F32, (conv.type.sizes[feature],)))
    biased = b.node("add", conv, b.broadcast_in_dim(bias, conv.type.shape, (feature,)))
    return b.graph("f", more(b, x, biased) if more else [b.node("tanh", biased)])


ENDS = {
    name: ended(*cases_convolution.NUMBERS[name])
    for name in (
        "padded", "strided", "all", "transposed", "grouped", "pointwise", "line", "volume",
        "channels-last", "depthwise",
    )
}  # fmt: skip
SQUARE = ((2, 4, 9, 8), (4, 4, 3, 3), {"low": (1, 1), "high": (1, 1)})
ENDS["residual"] = ended(*SQUARE, lambda b, x, y: [b.node("add", x, y)])
ENDS["two results"] = ended(*SQUARE, lambda b, x, y: [b.node("tanh", y), b.node("negate", y)])
ENDS["another shape"] = ended(
    *SQUARE, lambda b, x, y: [b.reshape(b.node("tanh", y), (2, 4, 72))]
)  # fmt: skip
ENDS["by columns"] = ended(
    *SQUARE,
    lambda b, x, y: [
        b.node("multiply", y, b.broadcast_in_dim(b.iota(F32, (8,), 0), y.type.shape, (3,)))
    ],
)


@pytest.mark.cpu
@pytest.mark.parametrize("name", ENDS)
def test_the_kernel_after_it_is_computed_on_each_tile(name):
    graph = ENDS[name]
    plan = check(graph)
    assert [x.step.kind for x in plan.launches] == ["convolution"]


def test_a_kernel_at_the_end_reads_as_a_person_would_write_it(golden):
    golden(emit(plan_of(ENDS["residual"])).source.text)


def test_each_way_with_the_kernel_is_a_candidate():
    (launch,) = plan_of(ENDS["padded"]).launches
    assert [x.reason.rpartition("; ")[2] for x in launch.candidates] == [
        "the kernel on each tile", "then the kernel", "then the kernel"
    ]  # fmt: skip
    assert launch.candidates[0].chosen


def test_a_kernel_that_needs_whole_rows_stays_apart():
    def norm(b, x, y):
        total = b.reduce(y, "add", (2, 3))
        return [b.node("subtract", y, b.broadcast_in_dim(total, y.type.shape, (0, 1)))]

    first, *rest = plan_of(ended(*SQUARE, norm)).launches
    assert first.schedule.strategy == "direct" and rest
    assert "reduces" in first.candidates[0].reason


@pytest.mark.cpu
def test_dimensions_in_another_order_keep_the_kernel_apart():
    numbers = cases_convolution.NUMBERS["channels-first-out"]
    graph = ended(*numbers)
    launches = plan_of(graph).launches
    assert [x.schedule.strategy for x in launches] == ["direct", "flat"]
    assert "another order" in launches[0].candidates[0].reason
