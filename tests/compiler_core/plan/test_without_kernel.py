"""What has no kernel yet runs as torch's meaning of it, and says so."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.ops import OPS
from compiler_core.ir.types import F32
from compiler_core.plan import build
from compiler_core.plan.steps import KernelStep, LibraryCall
from conformance.operations import cases_convolution, cases_indexing, cases_tuples
from tests.compiler_core.codegen.c.graphs import plan_of, run
from tests.compiler_core.codegen.sorts import united

WITH_KERNELS = ("reduce-argmax-(2, 0)-(1,)-f32", "cumulative-welford-reverse-f32", "order-f32")


@pytest.mark.cpu
def test_a_program_with_such_an_operation_computes_what_it_means():
    wrong, every = [], [*cases_indexing.every(), *cases_tuples.every()]
    # Those whose index, zeros and ones are written by a kernel would each be compiled.
    alone = [c for c in every if all(not isinstance(s, KernelStep) for s in plan_of(c.graph).steps)]
    some = [*alone, *(c for c in every if c.name in WITH_KERNELS)]
    results = iter(run(*united([(c.graph, c.inputs) for c in some])))
    for case in some:
        for expected in evaluate(case.graph, case.inputs):
            value = next(results)
            a, e = value.astype(np.float64), expected.astype(np.float64)
            close = a.shape == e.shape and np.allclose(a, e, 2e-2, 2e-2, equal_nan=True)
            wrong += [] if close else [f"{case}: {a} is not {e}"]
    assert len(alone) > 20 and not wrong, "\n".join(wrong)


def test_an_operation_without_a_step_of_its_own_is_labelled(monkeypatch):
    monkeypatch.delitem(build.STEPS, "convolution")
    case = cases_convolution.case("plain", F32)
    (step,) = plan_of(case.graph).steps
    assert isinstance(step, LibraryCall) and not step.by_design
    assert step.callee.reason == "convolution has no kernel yet: torch runs it"
    assert step.callee.framework == "torch" and OPS[step.library.removeprefix("torch:")]
