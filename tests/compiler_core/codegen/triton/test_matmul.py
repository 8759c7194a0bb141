"""The generated matrix product with its epilogue: text, numbers, and what it compiles to."""

from concurrent.futures import ProcessPoolExecutor

import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from tests.compiler_core.codegen.triton.products import (
    MANY,
    ROWS,
    assert_computed,
    linear,
    plan_by,
    plan_of,
    product,
)
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu


BATCHED = """
graph scores(%0: f32[3,2,10,8], %1: f32[3,2,8,12], %2: f32[3,2,10,12]) {
  %3 = dot_general(%0, %1) {lhs_batch = (0, 1), rhs_batch = (0, 1), lhs_contract = (3), rhs_contract = (2)} : f32[3,2,10,12]
  %4 = multiply(%3, %2) : f32[3,2,10,12]
  %5 = exponential(%4) : f32[3,2,10,12]
  return %4, %5
}"""  # noqa: E501

SHAPED_AFTER = """
graph heads(%0: f32[2,5,24], %1: f32[24,16], %2: f32[2,16]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (2), rhs_contract = (0)} : f32[2,5,16]
  %4 = broadcast_in_dim(%2) {dimensions = (0, 2)} : f32[2,5,16]
  %5 = add(%3, %4) : f32[2,5,16]
  %6 = reshape(%5) : f32[10,4,4]
  return %6
}"""  # noqa: E501

GRAPHS = {
    "one tile": linear(16, 16, 16),
    "several tiles": linear(150, 40, 130),
    "sides that no block divides": linear(33, 7, 65),
    "batched, two results": BATCHED,
    "rows of two dimensions, result of another shape": SHAPED_AFTER,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_one_kernel_computes_the_product_and_what_follows(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_of(GRAPHS[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    assert_computed(GRAPHS[name], plan, interpreter_process)


@pytest.mark.parametrize("text", [linear(1, 20, 40), linear(40, 20, 1)], ids=["row", "column"])
def test_what_follows_is_computed_on_a_tile_of_a_single_row_or_column(
    text: str, interpreter_process: ProcessPoolExecutor
) -> None:
    assert_computed(text, plan_by("matmul", text), interpreter_process)


def test_the_text_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(linear(4096, 1024, 1000))).values()
    golden(source.source.text)


@pytest.mark.parametrize(("target", "dtype"), crossed(["sm_90", "gfx942"], ["f32", "bf16"]))
def test_it_compiles_without_spills(target: str, dtype: str) -> None:
    (source,) = emit_plan(plan_of(linear(512, 256, 384, dtype))).values()
    compiled = compile_offline(source, target)
    assert compiled.spills == 0


def test_both_ways_are_shown_with_their_cost() -> None:
    (launch,) = plan_of(linear(256, 256, 256)).launches
    assert [c.strategy for c in launch.candidates] == ["matmul", "matmul", "split k", "vendor"]
    one, *others = (c.cost_us for c in launch.candidates)
    assert all(one < other for other in others)


def test_a_product_of_doubles_is_left_to_the_vendor() -> None:
    plan = plan_of(linear(64, 64, 64, "f64"))
    assert [x.schedule.strategy for x in plan.launches] == ["vendor", "flat"]
    refused = plan.launches[0].candidates[0]
    assert refused.cost_us is None and "f64" in refused.reason


def test_a_product_that_is_read_twice_stays_in_memory() -> None:
    text = linear(32, 32, 32).replace("return %6", "return %6, %3")
    assert [x.step.name for x in plan_of(text).launches] == ["k0_matmul", "k1_add_tanh"]


SOFTMAX_AFTER = """
graph weights(%0: f32[32,16], %1: f32[16,24]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[32,24]
  %3 = exponential(%2) : f32[32,24]
  %4 = reduce(%3) {monoid = add, dimensions = (1)} : f32[32]
  return %4
}"""  # noqa: E501


def test_a_reduction_of_the_product_is_a_kernel_of_its_own() -> None:
    assert [x.step.name for x in plan_of(SOFTMAX_AFTER).launches] == [
        "k0_matmul", "k1_exponential_reduce",
    ]  # fmt: skip


def test_a_product_of_one_element_is_no_tile() -> None:
    first, _ = plan_of(linear(1, 16, 1)).launches
    assert any("the product is a single number" in c.reason for c in first.candidates)


REDUCED_OVER_NOTHING = """
graph kept(%0: f32[8,16], %1: f32[16,1]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[8,1]
  %3 = reduce(%2) {monoid = add, dimensions = (1)} : f32[8]
  %4 = negate(%3) : f32[8]
  return %4
}"""  # noqa: E501


def test_a_reduction_over_one_element_ends_no_product() -> None:
    assert [x.step.name for x in plan_of(REDUCED_OVER_NOTHING).launches] == [
        "k0_matmul", "k1_reduce_negate",
    ]  # fmt: skip


# -- alone


ALONE = {
    "even": product((64, 32), (32, 32), ROWS.format(lhs=1, rhs=0), "64,32"),
    "uneven": product((33, 21), (21, 50), ROWS.format(lhs=1, rhs=0), "33,50"),
    "both transposed": product((21, 33), (50, 21), ROWS.format(lhs=0, rhs=1), "33,50"),
    "batched": product((5, 18, 7), (5, 7, 20), MANY.format(lhs=2, rhs=1), "5,18,20"),
    "batched, transposed": product((5, 7, 18), (5, 20, 7), MANY.format(lhs=1, rhs=2), "5,18,20"),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_product_alone_is_generated(name: str, interpreter_process: ProcessPoolExecutor) -> None:
    plan = plan_of(ALONE[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    assert_computed(ALONE[name], plan, interpreter_process)


def test_no_mask_stands_where_tiles_come_out_even() -> None:
    (even,), (uneven,) = (emit_plan(plan_of(ALONE[n])).values() for n in ("even", "uneven"))
    assert "mask" not in even.source.text and "mask" in uneven.source.text
