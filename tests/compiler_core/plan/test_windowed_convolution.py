"""A convolution as a reduction over windows means what the convolution does, in any layout."""

from dataclasses import dataclass

import numpy as np
import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.steps import KernelStep
from compiler_core.plan.windowed_convolution import of_windows
from compiler_core.schedule.targets import CpuTarget
from conformance.operations.cases import random
from conformance.operations.cases_convolution import DEPTHWISE, NUMBERS, SAME
from tests.compiler_core.plans import run_plan

CASES = {name: x for name, x in (NUMBERS | DEPTHWISE).items() if name not in ("empty", "no-batch")}


@dataclass(frozen=True)
class Summed(OnCpu):
    """Every convolution as a sum over windows."""

    skipping: bool = False

    def __call__(self, step):
        if isinstance(step, ConvolutionStep | FusedConvolution):
            kernel = of_windows(step, skipping=self.skipping)
            assert isinstance(kernel, Kernel), kernel
            step = KernelStep(kernel)
        return super().__call__(step)


def check(graph, *, skipping=False):
    """It is one launch, and what numpy says."""
    plan = build_plan(fuse(values_of(graph)), Summed(CpuTarget(), skipping))
    assert len(plan.launches) == 1
    inputs = [random(F32, x.type.sizes, i) for i, x in enumerate(graph.inputs)]
    for found, expected in zip(run_plan(plan, inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


def convolution(left, right, attrs, more=None):
    """`more` makes the results of the builder, the input, the kernel and the convolution."""
    b = Builder()
    x, w = (b.parameter(TensorType(F32, sizes)) for sizes in (left, right))
    conv = b.convolution(x, w, **attrs)
    return b.graph("f", more(b, x, w, conv) if more else [conv])


@pytest.mark.parametrize("skipping", [False, True], ids=["zeros", "skipping"])
@pytest.mark.parametrize("name", CASES)
def test_it_is_a_convolution(name, skipping):
    check(convolution(*CASES[name]), skipping=skipping)


def biased(b, x, w, conv):
    """A bias for each feature of a result [batch, feature, ...], and tanh."""
    bias = b.parameter(TensorType(F32, conv.type.shape[1:2]))
    return [b.node("tanh", b.node("add", conv, b.broadcast_in_dim(bias, conv.type.shape, (1,))))]


def other_shape(b, x, w, conv):
    return [b.node("tanh", b.reshape(conv, (2, 5, 63)))]


def its_own_input(b, x, w, conv):
    return [b.node("add", conv, x)]


def squared(b, x, w, conv):
    return [b.node("multiply", conv, conv), b.node("negate", conv)]


def places(b, x, w, conv):
    return [b.node("multiply", conv, b.iota(F32, conv.type.shape, 3))]


@pytest.mark.parametrize("more", [biased, other_shape, its_own_input, squared, places])
def test_what_follows_is_in_the_kernel(more):
    check(convolution((2, 5, 7, 9), (5, 1, 3, 3), {"groups": 5, **SAME}, more))
