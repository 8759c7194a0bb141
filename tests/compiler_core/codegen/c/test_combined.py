"""Every case of reductions, scans and windows, together in one library: what the graphs mean."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.plan.steps import KernelStep
from conformance.operations import cases_tuples
from tests.compiler_core.codegen.c.graphs import plan_of, run_together

pytestmark = pytest.mark.cpu


def test_reductions_and_scans_of_tuples_are_generated_and_right():
    generated = [
        c
        for c in cases_tuples.every()
        if all(isinstance(s, KernelStep) for s in plan_of(c.graph).steps)
    ]
    found = run_together([c.graph for c in generated], [c.inputs for c in generated])
    wrong = []
    for case, values in zip(generated, found, strict=True):
        for value, expected in zip(values, evaluate(case.graph, case.inputs), strict=True):
            a, e = value.astype(np.float64), expected.astype(np.float64)
            close = a.shape == e.shape and np.allclose(a, e, 2e-2, 2e-2, equal_nan=True)
            wrong += [] if close else [f"{case.name}: {a} is not {e}"]
    assert len(generated) > 50 and not wrong, "\n".join(wrong)
