"""A convolution is one step, which reads its operands where they lie."""

import numpy as np
import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.steps import KernelStep
from tests.compiler_core.codegen.c.graphs import plan_of, run
from tests.compiler_core.ir import cases_convolution


@pytest.mark.cpu
def test_every_case_computes_what_it_means():
    wrong = []
    for case in cases_convolution.every():
        (found,) = run(case.graph, case.inputs)
        (expected,) = evaluate(case.graph, case.inputs)
        tolerance = 2e-2 if expected.dtype.itemsize == 2 else 1e-5
        a, e = found.astype(np.float64), expected.astype(np.float64)
        close = a.shape == e.shape and np.allclose(a, e, tolerance, tolerance)
        wrong += [] if close else [f"{case}: {a} is not {e}"]
    assert not wrong, "\n".join(wrong)


def test_views_are_read_in_place():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 8, 9, 3))), b.parameter(TensorType(F32, (4, 3, 3, 3)))
    image = b.transpose(x, (0, 3, 1, 2))
    cut = b.node("slice", image, start=(0, 0, 1, 1), limit=(2, 3, 8, 8), strides=(1, 1, 1, 2))
    plan = plan_of(b.graph("f", [b.convolution(cut, w)]))
    (step,) = plan.steps
    assert isinstance(step, ConvolutionStep)
    assert step.lhs.strides == (216, 1, 27, 6) and step.lhs.offset == 27 + 3


def test_what_lies_backwards_is_copied_first():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 3, 8, 9))), b.parameter(TensorType(F32, (4, 3, 3, 3)))
    turned = b.node("reverse", w, dimensions=(2, 3))
    steps = plan_of(b.graph("f", [b.convolution(x, turned)])).steps
    assert [type(s) for s in steps] == [KernelStep, ConvolutionStep]


def test_a_step_says_what_it_convolves_and_by_what():
    case = cases_convolution.case("all", F32)
    (step,) = plan_of(case.graph).steps
    assert step.lines()[0][0] == (
        "out0 = convolution in0 in1  # 2 x [4,9x11] * [6,2,3x2], convolution: the vendor's library"
    )
    assert step.flops() == 2 * (2 * 6 * 5 * 11) * (2 * 3 * 2)
