"""Windows of tuples in Triton: pooling with the place of each maximum."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.steps import KernelStep
from compiler_core.schedule.targets import resolve
from conformance.operations import cases_tuples
from tests.compiler_core.codegen.triton import interpreter

pytestmark = pytest.mark.cpu

CASES = [c for c in cases_tuples.every() if c.name.startswith("window") and c.name.endswith("-f32")]
TUPLES = [c for c in CASES if len(c.graph.outputs[0].operation.types) > 1]


@pytest.mark.parametrize("case", TUPLES, ids=str)
def test_a_window_of_a_tuple_is_a_kernel(case, interpreter_process: ProcessPoolExecutor) -> None:
    fused = fuse(values_of(case.graph), cost.GPU)
    plan = build_plan(fused, OnGpu(resolve("sm_90")))
    assert all(isinstance(s, KernelStep) for s in plan.steps)
    call = interpreter_process.submit(interpreter.execute, plan, list(case.inputs))
    expected = evaluate(case.graph, case.inputs)
    for found, wanted in zip(call.result(timeout=60), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)
