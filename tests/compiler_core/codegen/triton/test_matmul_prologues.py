"""Kernels that compute an operand of a product on the tiles that it loads: text, numbers, and when
they stay apart."""

from concurrent.futures import ProcessPoolExecutor

import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from tests.compiler_core.codegen.triton.products import (
    ROWS,
    assert_computed,
    before,
    exponential_then,
    plan_of,
)
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

TRANSPOSED = before(
    "%0: f32[20,3,8], %1: f32[3,20,12]",
    "lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (1)",
    """\
  %2 = transpose(%0) {permutation = (1, 2, 0)} : f32[3,8,20]
  %8 = abs(%2) : f32[3,8,20]
  %9 = exponential(%1) : f32[3,20,12]""",
    "f32[3,8,12]",
)

DEQUANTIZED = before(
    "%0: f32[18,24], %1: i8[40,24], %2: f32[40]",
    ROWS.format(lhs=1, rhs=1),
    """\
  %3 = convert(%1) {dtype = f32} : f32[40,24]
  %4 = broadcast_in_dim(%2) {dimensions = (0)} : f32[40,24]
  %9 = multiply(%3, %4) : f32[40,24]
  %8 = cosine(%0) : f32[18,24]""",
    "f32[18,40]",
)

BEFORE = {
    "both operands": exponential_then(33, 21, 18),
    "a right operand stored by columns": exponential_then(33, 21, 18, rhs=1),
    "one inner element": exponential_then(20, 1, 24),
    "batched, transposed": TRANSPOSED,
    "weights of eight bits": DEQUANTIZED,
}


@pytest.mark.parametrize("name", BEFORE)
def test_operands_are_computed_where_they_are_loaded(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_of(BEFORE[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    assert_computed(BEFORE[name], plan, interpreter_process, scale=3)


def test_a_prologue_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(DEQUANTIZED)).values()
    golden(source.source.text)


@pytest.mark.parametrize("target", thinned(["sm_90", "gfx942"], kept=("sm_90",)))
def test_a_prologue_compiles_without_spills(target: str) -> None:
    text = exponential_then(512, 256, 384).replace("f32", "bf16")
    (source,) = emit_plan(plan_of(text)).values()
    assert compile_offline(source, target).spills == 0


def test_an_operand_that_many_programs_would_compute_again_is_a_kernel_of_its_own() -> None:
    """256 programs read each row of x; its sixteen sines a point cost more than to write it."""
    sines = "\n".join(f"  %{i} = sine(%{i - 1}) : f32[2048,512]" for i in range(20, 36))
    lines = f"  %19 = abs(%0) : f32[2048,512]\n{sines}\n  %8 = abs(%35) : f32[2048,512]"
    lines += "\n  %9 = negate(%1) : f32[512,16384]"
    text = before(
        "%0: f32[2048,512], %1: f32[512,16384]", ROWS.format(lhs=1, rhs=0), lines, "f32[2048,16384]"
    )
    plan = plan_of(text)
    assert [x.schedule.strategy for x in plan.launches] == ["flat", "matmul"]
    assert plan.launches[1].step.name == "k3_negate_matmul_tanh"
    kept, *others = plan.launches[1].candidates
    assert not kept.chosen and "lhs is computed where it is loaded, 256 times" in kept.reason
    assert any(x.chosen and "k0_abs_sine apart" in x.reason for x in others)


SOFTMAX_BEFORE = """
graph weighted(%0: f32[32,24], %1: f32[24,40]) {
  %2 = exponential(%0) : f32[32,24]
  %3 = reduce(%2) {monoid = add, dimensions = (1)} : f32[32]
  %4 = broadcast_in_dim(%3) {dimensions = (0)} : f32[32,24]
  %5 = divide(%2, %4) : f32[32,24]
  %6 = dot_general(%5, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[32,40]
  return %6
}"""  # noqa: E501


def test_a_kernel_that_stays_apart_says_why() -> None:
    plan = plan_of(SOFTMAX_BEFORE)
    assert [x.schedule.strategy for x in plan.launches] == ["persistent", "matmul"]
    refused = plan.launches[1].candidates[0]
    assert (
        refused.cost_us is None
        and "the prologue reduces, and every tile would repeat the reduction" in refused.reason
    )
