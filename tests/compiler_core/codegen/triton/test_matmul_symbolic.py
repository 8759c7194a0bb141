"""Products whose sizes are symbols: one kernel for every size."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from tests.compiler_core.codegen.symbolic import calls
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.codegen.triton.products import plan_of
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu

SYMBOLIC = {
    "rows": """
graph f[B = 32 in 2..](%0: f32[B,48], %1: f32[24,48], %2: f32[24]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (1)} : f32[B,24]
  %4 = broadcast_in_dim(%2) {dimensions = (1)} : f32[B,24]
  %5 = add(%3, %4) : f32[B,24]
  %6 = tanh(%5) : f32[B,24]
  return %6
}
""",  # noqa: E501
    "rows of two symbols": """
graph f[B = 4 in 2.., T = 8 in 2..](%0: f32[B,T,20], %1: f32[20,24]) {
  %2 = negate(%0) : f32[B,T,20]
  %3 = dot_general(%2, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (2), rhs_contract = (0)} : f32[B,T,24]
  %4 = tanh(%3) : f32[B,T,24]
  return %4
}
""",  # noqa: E501
    "rows and columns, by heads": """
graph f[T = 16 in 2..](%0: f32[3,T,20], %1: f32[3,T,20]) {
  %2 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (2)} : f32[3,T,T]
  %3 = logistic(%2) : f32[3,T,T]
  return %3
}
""",  # noqa: E501
    "what is summed over, of a batch": """
graph f[B = 4 in 2.., K = 32 in 2..](%0: f32[B,18,K], %1: f32[B,K,20]) {
  %2 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (1)} : f32[B,18,20]
  %3 = tanh(%2) : f32[B,18,20]
  return %3
}
""",  # noqa: E501
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_one_kernel_with_its_ends_serves_every_size(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_of(SYMBOLIC[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    given = list(calls(SYMBOLIC[name], (2, 17, 70)))
    run = interpreter_process.submit(interpreter.execute_all, plan, [inputs for inputs, _ in given])
    for (found,), (_, (wanted,)) in zip(run.result(timeout=100), given, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


def test_sizes_that_are_symbols_are_arguments(golden) -> None:
    (source,) = emit_plan(plan_of(SYMBOLIC["rows"])).values()
    golden(source.source.text)


@pytest.mark.parametrize(
    ("name", "target"), crossed(["rows", "rows and columns, by heads"], ["sm_90", "gfx942"])
)
def test_a_kernel_of_every_size_compiles_without_spills(name: str, target: str) -> None:
    (source,) = emit_plan(plan_of(SYMBOLIC[name])).values()
    assert compile_offline(source, target).spills == 0
