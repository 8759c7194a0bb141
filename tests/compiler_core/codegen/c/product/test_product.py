"""Matrix products as generated C, with the kernels at their ends run on blocks of rows."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from compiler_core.codegen.c import emit as c
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import BF16, F16, F32, F64, DType
from compiler_core.plan.cpu import generated as cpu_generated
from compiler_core.plan.cpu import products as cpu_products
from compiler_core.plan.cpu.libraries import REGISTERS
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.runtime import cpu
from compiler_core.schedule.targets import CpuTarget
from conformance.operations.cases import random
from tests.compiler_core.codegen.c.graphs import gelu, plan_of, run, tensor_type
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

SIZES = ((1, 1, 1), (8, 16, 32), (9, 5, 33), (3, 40, 70), (17, 64, 31), (64, 3, 96), (40, 50, 130))
TOLERANCE = {F32: 2e-5, F64: 1e-13, BF16: 2e-2, F16: 2e-3}


@pytest.fixture(params=["rows", "columns"])
def generated(request, monkeypatch):
    """Products are generated, in one order where that is possible, whatever others would cost."""
    rows, columns = cpu_generated._by_rows, cpu_generated._by_columns

    def unless_columns(*given):
        return rows(*given) if isinstance(columns(*given), str) else "by columns here"

    if request.param == "columns":
        monkeypatch.setattr(cpu_generated, "_by_rows", unless_columns)
    else:
        monkeypatch.setattr(cpu_generated, "_by_columns", lambda *given: "by rows here")
    monkeypatch.setattr(cpu_products, "libraries", lambda step, target: [])
    return request.param


def product(
    b: Builder, m: int, k: int, n: int, dtype: DType = F32, lhs: bool = False, rhs: bool = False
) -> Value:
    x = b.parameter(tensor_type((k, m) if lhs else (m, k), dtype))
    y = b.parameter(tensor_type((n, k) if rhs else (k, n), dtype))
    return b.dot_general(x, y, contract=((0 if lhs else 1,), (1 if rhs else 0,)))


def linear_gelu(b: Builder, m: int, k: int, n: int, dtype: DType = F32) -> Value:
    """gelu(x @ w.T + bias)."""
    x, w, bias = (b.parameter(tensor_type(s, dtype)) for s in ((m, k), (n, k), (n,)))
    product = b.dot_general(x, w, contract=((1,), (1,)))
    return gelu(b, b.node("add", product, b.broadcast(bias, (m, n))))


def linear_gelu_by_rows(b: Builder, m: int, k: int, n: int) -> Value:
    """gelu(x @ w + bias)."""
    x, w, bias = (b.parameter(tensor_type(s)) for s in ((m, k), (k, n), (n,)))
    product = b.dot_general(x, w, contract=((1,), (0,)))
    return gelu(b, b.node("add", product, b.broadcast(bias, (m, n))))


def softmax_after(b: Builder, m: int, k: int, n: int, dtype: DType = F32) -> Value:
    x, w = b.parameter(tensor_type((m, k), dtype)), b.parameter(tensor_type((k, n), dtype))
    product = b.dot_general(x, w, contract=((1,), (0,)))
    top = b.broadcast(b.reduce(product, "maximum", (1,), True), (m, n))
    e = b.node("exponential", b.node("subtract", product, top))
    return b.node("divide", e, b.broadcast(b.reduce(e, "add", (1,), True), (m, n)))


def norm_before(b: Builder, m: int, k: int, n: int, dtype: DType = F32) -> Value:
    """(x / |x| by rows) @ w, after which the halves of a row gate each other."""
    x, w = b.parameter(tensor_type((m, k), dtype)), b.parameter(tensor_type((k, 2 * n), dtype))
    size = b.reduce(b.node("multiply", x, x), "add", (1,), True)
    scaled = b.node("multiply", x, b.broadcast(b.node("rsqrt", size), (m, k)))
    product = b.dot_general(scaled, w, contract=((1,), (0,)))
    low, high = (
        b.node("slice", product, start=(0, i), limit=(m, i + n), strides=(1, 1)) for i in (0, n)
    )
    return b.node("multiply", low, b.node("logistic", high))


def heads(b: Builder, m: int, k: int, n: int, dtype: DType = F32) -> Value:
    """A batch of products of transposed operands, after a copy and before a bias by batch."""
    x = b.parameter(tensor_type((m, 3, k), dtype))
    w, bias = b.parameter(tensor_type((3, n, k), dtype)), b.parameter(tensor_type((3,), dtype))
    rows = b.node("abs", b.transpose(x, (1, 0, 2)))
    product = b.dot_general(rows, w, batch=((0,), (0,)), contract=((2,), (2,)))
    wide = b.broadcast_in_dim(bias, (3, m, n), (0,))
    return b.node("tanh", b.node("add", product, wide))


FUSED = (linear_gelu, softmax_after, norm_before, heads)


def graph_of(make: Callable[..., Value], *sizes: tuple[int, ...], **options: Any) -> Graph:
    """A program of one such value for each of the sizes."""
    b = Builder()
    return b.graph("f", [make(b, *size, **options) for size in sizes])


def inputs_of(graph: Graph) -> list[np.ndarray]:
    return [random(x.type.dtype, x.type.shape, i) for i, x in enumerate(graph.inputs)]


def agrees(graph: Graph) -> None:
    """Whether generated C computes what numpy does in float64."""
    dtype, inputs = graph.inputs[0].type.dtype, inputs_of(graph)
    expected = eval_numpy.evaluate(graph, [x.astype(np.float64) for x in inputs])
    tolerance = TOLERANCE[dtype]
    for i, (found, wanted) in enumerate(zip(run(graph, inputs), expected, strict=True)):
        np.testing.assert_allclose(
            found.astype(np.float64), wanted, tolerance, tolerance * 4, err_msg=f"result {i}"
        )


# Which of the two loops is outside, and what an element is, are printed apart: each type by one
# order, and each order of the type that has the most sizes.
ORDERED = list(itertools.product(("rows", "columns"), TOLERANCE))
KEPT = (("rows", F32), ("columns", F32), ("rows", BF16), ("columns", F16), ("columns", F64))
by_order_and_type = pytest.mark.parametrize(
    ("generated", "dtype"), thinned(ORDERED, KEPT), indirect=["generated"], ids=str
)


@by_order_and_type
def test_every_layout_and_every_rest_of_a_tile(generated, dtype):
    """As one compilation: what products of a type share takes most of its time."""
    b = Builder()
    products = [
        product(b, *size, dtype=dtype, lhs=lhs, rhs=rhs)
        for lhs, rhs in itertools.product([False, True], repeat=2)
        for size in (SIZES if dtype is F32 else SIZES[2::2])
    ]
    graph = b.graph("f", products)
    assert {x.schedule.strategy for x in plan_of(graph).launches} == {REGISTERS}
    agrees(graph)


@by_order_and_type
def test_what_is_at_the_ends_of_a_product_runs_on_its_rows(generated, dtype):
    sizes = SIZES[1:] if dtype is F32 else SIZES[2::4]
    b = Builder()
    graph = b.graph("f", [make(b, *size, dtype=dtype) for make in FUSED for size in sizes])
    launches = plan_of(graph).launches
    assert len(launches) == len(FUSED) * len(sizes)
    assert all(isinstance(x.step, FusedMatmul) for x in launches)
    agrees(graph)


def test_threads_share_panels_of_a_large_product_and_pack_their_own():
    plan = plan_of(graph_of(linear_gelu, (300, 250, 310)))
    (launch,) = plan.launches
    assert launch.schedule.parameters == {
        "threads": "all", "by": "columns", "rows": 48, "packed": "yes", "end": "flat {simd: yes}"
    }  # fmt: skip
    assert not launch.step.scratch and not plan.arena_bytes
    agrees(graph_of(linear_gelu, (300, 250, 310)))


def test_threads_share_rows_where_these_are_needed_whole_and_pack_in_the_plans_memory():
    plan = plan_of(graph_of(softmax_after, (300, 250, 270)))
    (launch,) = plan.launches
    assert launch.schedule.parameters["threads"] == "all" and launch.schedule.order == "rows"
    (packed,) = launch.step.scratch
    assert packed.type.shape == (250 * 288,) and plan.arena_bytes >= packed.type.bytes
    (refused,) = {x.reason for x in launch.candidates if "whole rows" in x.reason}
    assert refused.startswith(
        "by columns: the epilogue needs whole rows of the product, and a panel"
    )
    agrees(graph_of(softmax_after, (300, 250, 270)))


def test_columns_of_a_batch_that_shares_its_right_operand(generated):
    b = Builder()
    x, w = b.parameter(tensor_type((3, 40, 20))), b.parameter(tensor_type((20, 70)))
    product = b.dot_general(x, w, contract=((2,), (0,)))
    agrees(b.graph("f", [b.node("tanh", product)]))


@pytest.mark.parametrize("size", [(32, 64, 64), (512, 1024, 1024)], ids=["small", "large"])
def test_text(golden, size):
    text = c.emit(plan_of(graph_of(linear_gelu, size))).source.text
    golden(text[text.index("// elementwise: on some rows") :])


def test_products_of_one_size_are_one_function():
    b = Builder()
    x, y = (b.parameter(tensor_type((8, 8))) for _ in range(2))
    once = b.dot_general(x, y, contract=((1,), (0,)))
    twice = b.dot_general(once, y, contract=((1,), (0,)))
    text = cpu.build(plan_of(b.graph("f", [twice]))).source.text
    assert text.count("static void k0_matmul(") == 1 and "k1_matmul" not in text
    assert text.count("    k0_matmul(") == 2


def test_all_products_that_are_the_same_in_registers_share_their_tiles(generated):
    b = Builder()
    sizes = ((8, 16, 33, F32), (24, 5, 64, F32), (8, 16, 33, BF16))
    plan = plan_of(b.graph("f", [product(b, *size) for size in sizes]))
    text = c.emit(plan).source.text
    assert [text.count(f"void {name}(") for name in ("panel_f32", "rows_f32", "rows_bf16")] == [
        1
    ] * 3


@pytest.mark.parametrize(("columns", "packed"), [(16, False), (48, False), (40, True), (60, True)])
def test_half_a_panel_is_multiplied_where_no_more_columns_are_left(generated, columns, packed):
    graph = graph_of(linear_gelu_by_rows, (30, 20, columns))
    (launch,) = plan_of(graph).launches
    assert launch.schedule.packed is packed
    agrees(graph)


def test_a_batch_of_small_products_is_one_function_that_threads_share():
    b = Builder()
    x, y = (b.parameter(tensor_type((1024, 16, 16))) for _ in range(2))
    product = b.dot_general(x, y, batch=((0,), (0,)), contract=((2,), (1,)))
    graph = b.graph("f", [b.node("tanh", b.node("add", product, x))])
    (launch,) = plan_of(graph).launches
    assert launch.schedule.strategy == REGISTERS and launch.schedule.parameters["threads"] == "all"
    agrees(graph)


@pytest.mark.parametrize(("rows", "columns", "share"), [
    (2048, 128, 1056), (900, 96, 336), (150, 96, 0), (2048, 512, 0),
])  # fmt: skip
def test_threads_share_the_rows_of_few_panels(rows, columns, share):
    options = cpu_generated.generated(
        FusedMatmul(plan_of(graph_of(product, (rows, 24, columns))).steps[0], {}), (), CpuTarget()
    )
    found = {x.candidate.parameters.get("share", 0) for x in options if x.is_possible}
    assert found == {0, share}


def test_rows_of_few_panels_are_shared_in_c(generated):
    b = Builder()
    graph = b.graph("f", [linear_gelu_by_rows(b, m, 40, 96) for m in (777, 1024)])
    shares = {bool(x.schedule.share) for x in plan_of(graph).launches}
    assert shares == {generated == "columns"}
    agrees(graph)


def test_layers_alike_are_one_function():
    b = Builder()
    x = b.parameter(tensor_type((16, 24)))
    for _ in range(3):
        w = b.parameter(tensor_type((24, 24)))
        x = b.node("tanh", b.dot_general(x, w, contract=((1,), (0,))))
    graph = b.graph("f", [x])
    text = c.emit(plan_of(graph)).source.text
    assert text.count("static void k") == 2 and text.count("    k1_matmul_tanh(") == 3
    agrees(graph)


def test_a_product_in_a_loop_is_generated_for_one_thread_and_says_why_no_library_is():
    from tests.compiler_core.plans import ON_CPU

    (launch,) = ON_CPU.inside()(plan_of(graph_of(product, (32, 128, 128))).steps[0])
    assert launch.schedule.strategy == REGISTERS and not launch.schedule.parameters.get("threads")
    (refused,) = (x for x in launch.candidates if x.strategy == "onednn")
    assert refused.cost_us is None and "every step of a loop" in refused.reason


def test_one_row_of_a_transposed_right_operand_is_a_librarys():
    (launch,) = plan_of(graph_of(product, (1, 256, 256), rhs=True)).launches
    assert launch.schedule.strategy == "blas"


def test_threads_and_one_thread_give_the_same_bits():
    graph = graph_of(linear_gelu, (200, 160, 96))
    program = cpu.build(plan_of(graph))
    given = [numpy_to_torch(x) for x in inputs_of(graph)]
    before = torch.get_num_threads()
    found = []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            found.append(torch_to_numpy(program(given)[0]))
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(*found)


def test_a_side_that_is_a_view_of_a_result():
    """It is read from the repeated rows in memory, which are a result as well."""
    b = Builder()
    x, y = b.parameter(tensor_type((8,))), b.parameter(tensor_type((5, 8)))
    rows = b.broadcast_in_dim(x, (8, 5), (0,))
    product = b.dot_general(b.transpose(rows, (1, 0)), y, batch=((0,), (0,)), contract=((1,), (1,)))
    graph = b.graph("f", [rows, product])
    inputs = [random(F32, (8,)), random(F32, (5, 8), 1)]
    expected = eval_numpy.evaluate(graph, inputs)
    for ours, exact in zip(run(graph, inputs), expected, strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-6)
