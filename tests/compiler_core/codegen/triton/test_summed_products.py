"""Products in parts of k, and of a single row or column: numbers, text, and machine code."""

import itertools
from concurrent.futures import ProcessPoolExecutor

import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.schedule.targets import TARGETS
from tests.compiler_core.codegen.triton.products import (
    MANY,
    ROWS,
    assert_computed,
    before,
    exponential_then,
    linear,
    plan_by,
    plan_of,
    product,
)
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

# -- in parts of k

LONG = {
    "parts of whole steps": linear(16, 1024, 24),
    "a last part that is shorter": product(
        (18, 700), (700, 20), ROWS.format(lhs=1, rhs=0), "18,20"
    ),
    "a step that is not complete": product(
        (18, 333), (333, 20), ROWS.format(lhs=1, rhs=0), "18,20"
    ),
    "both transposed": product((300, 18), (20, 300), ROWS.format(lhs=0, rhs=1), "18,20"),
    "batched": product((3, 18, 260), (3, 260, 20), MANY.format(lhs=2, rhs=1), "3,18,20"),
    "both operands computed": exponential_then(17, 300, 18),
    "no end that fits": linear(1, 300, 1),
}


@pytest.mark.parametrize("name", LONG)
def test_parts_of_k_add_up_to_the_product(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_by("split k", LONG[name])
    partial, finish = [x for x in plan.launches if x.schedule.strategy == "split k"]
    assert partial.schedule.parts > 1 and finish.step.name.endswith("_finish")
    assert_computed(LONG[name], plan, interpreter_process, rtol=1e-4)


def test_parts_are_added_in_f32_and_rounded_once(interpreter_process: ProcessPoolExecutor) -> None:
    text = product((16, 512), (512, 16), ROWS.format(lhs=1, rhs=0), "16,16", "f16")
    plan = plan_by("split k", text)
    (parts,) = (b for name, b in plan.buffers.items() if name.endswith("_parts"))
    assert str(parts) == "f32[4,1,16,16]"
    assert_computed(text, plan, interpreter_process, scale=0.1, rtol=1e-3)


def test_few_tiles_of_a_long_k_are_split() -> None:
    text = product((64, 16384), (16384, 64), ROWS.format(lhs=1, rhs=0), "64,64", "bf16")
    partial, finish = plan_of(text).launches
    assert partial.schedule.strategy == finish.schedule.strategy == "split k"
    assert partial.candidates is finish.candidates
    (chosen,) = (c for c in partial.candidates if c.chosen)
    assert chosen.cost_us == pytest.approx(partial.cost_us + finish.cost_us)
    assert "tiles are few for 132 processors" in chosen.reason and "in order" in chosen.reason


def test_tiles_that_occupy_all_processors_are_not_split() -> None:
    text = product((2048, 2048), (2048, 2048), ROWS.format(lhs=1, rhs=0), "2048,2048")
    (launch,) = plan_of(text).launches
    assert [c.strategy for c in launch.candidates] == ["matmul", "vendor"]


def test_how_k_is_divided_depends_on_no_symbol() -> None:
    text = """
graph f[B = 32 in 2..](%0: f32[B,4096], %1: f32[4096,24]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[B,24]
  return %2
}"""  # noqa: E501
    (launch,) = plan_of(text).launches
    (refused,) = (c for c in launch.candidates if c.strategy == "split k")
    assert refused.cost_us is None and "a size that is a symbol" in refused.reason


def test_the_text_of_parts_of_k(golden) -> None:
    partial, finish = emit_plan(plan_by("split k", linear(64, 16384, 64, "bf16"))).values()
    golden(f"{partial.source.text}\n\n{finish.source.text}")


COMPILED = list(itertools.product(TARGETS, ("f32", "bf16")))


@pytest.mark.parametrize(
    ("target", "dtype"), thinned(COMPILED, kept=(("sm_90", "bf16"), ("gfx942", "f32")))
)
def test_parts_of_k_compile_without_spills(target: str, dtype: str) -> None:
    for source in emit_plan(plan_by("split k", linear(64, 16384, 60, dtype), target)).values():
        assert compile_offline(source, target).spills == 0


# -- a single row or column

BIAS_OF_A_ROW = before(
    "%0: f32[1,40], %1: f32[40,70]",
    ROWS.format(lhs=1, rhs=0),
    "  %8 = exponential(%0) : f32[1,40]\n  %9 = negate(%1) : f32[40,70]",
    "f32[1,70]",
)
SINGLE = {
    "a row by columns": product((1, 40), (40, 70), ROWS.format(lhs=1, rhs=0), "1,70"),
    "a row by rows": linear(1, 40, 70),
    "a column": product((70, 40), (40, 1), ROWS.format(lhs=1, rhs=0), "70,1"),
    "a column, transposed": product((40, 70), (40, 1), ROWS.format(lhs=0, rhs=0), "70,1"),
    "a bias after a column": linear(70, 40, 1),
    "one number": product((1, 3000), (3000, 1), ROWS.format(lhs=1, rhs=0), "1,1"),
    "a batch of rows": product((5, 1, 40), (5, 40, 30), MANY.format(lhs=2, rhs=1), "5,1,30"),
    "a batch of columns": product((5, 30, 40), (5, 1, 40), MANY.format(lhs=2, rhs=2), "5,30,1"),
    "doubles": product((1, 40), (40, 70), ROWS.format(lhs=1, rhs=0), "1,70", "f64"),
    "operands computed apart": BIAS_OF_A_ROW,
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_row_or_column_is_a_reduction(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_by("reduction", SINGLE[name])
    *apart, own = plan.launches
    assert own.schedule.strategy == "reduction" and len(apart) in (0, 2)
    assert_computed(SINGLE[name], plan, interpreter_process, rtol=1e-4)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f64"])
@pytest.mark.parametrize("rhs", [0, 1], ids=["by columns", "by rows"])
def test_a_long_row_is_no_tile_that_is_mostly_empty(dtype: str, rhs: int) -> None:
    text = product((1, 4096), (4096, 4096), ROWS.format(lhs=1, rhs=rhs), "1,4096", dtype)
    (launch,) = plan_of(text).launches
    assert launch.schedule.strategy == "reduction" and launch.step.kernel.kind == (
        "row" if rhs else "column"
    )
    assert launch.schedule.grid[0] >= 128


def test_a_matrix_that_a_batch_shares_is_not_read_again_for_each_row() -> None:
    text = product(
        (5, 1, 40),
        (40, 30),
        "lhs_batch = (), rhs_batch = (), lhs_contract = (2), rhs_contract = (0)",
        "5,1,30",
    )
    (launch,) = plan_of(text).launches
    assert launch.schedule.strategy != "reduction"


def test_the_text_of_a_single_row(golden) -> None:
    (source,) = emit_plan(plan_of(linear(1, 4096, 4096, "bf16"))).values()
    golden(source.source.text)


def test_the_text_of_a_row_by_columns(golden) -> None:
    text = product((1, 4096), (4096, 4096), ROWS.format(lhs=1, rhs=0), "1,4096")
    (source,) = emit_plan(plan_of(text)).values()
    golden(source.source.text)


# By columns (0) and by rows (1) of what is on the right.
OF_A_ROW = list(itertools.product(TARGETS, (0, 1)))


@pytest.mark.parametrize(("target", "rhs"), thinned(OF_A_ROW, (("sm_90", 1), ("gfx942", 0))))
def test_a_single_row_compiles_without_spills(target: str, rhs: int) -> None:
    text = product((1, 4096), (4096, 4096), ROWS.format(lhs=1, rhs=rhs), "1,4096", "bf16")
    for source in emit_plan(plan_of(text, target)).values():
        assert compile_offline(source, target).spills == 0
