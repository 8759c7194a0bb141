"""Convolutions in C as sums over windows, alone and with what follows them."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from compiler_core.codegen.c.emit import emit
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import BF16, F16, F32, F64, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.cpu import convolutions as cpu_convolutions
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.plan import Launch
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.schedule import STRATEGIES
from compiler_core.schedule.targets import CpuTarget
from conformance.operations.cases import random
from conformance.operations.cases_convolution import DEPTHWISE
from tests.compiler_core.codegen.c.graphs import from_torch, to_torch
from tests.sweep_plugin import thinned


@dataclass(frozen=True)
class ByWindows(OnCpu):
    """Convolutions as sums over windows, whatever else is thought to be faster."""

    def __call__(self, step):
        if isinstance(step, FusedConvolution):
            options = cpu_convolutions.with_end(step, super().__call__, self.target)
            return next(x.result for x in options if x.candidate.strategy in STRATEGIES)
        if not isinstance(step, ConvolutionStep):
            return super().__call__(step)
        options = cpu_convolutions.alone(step, self.target)
        way = next(x.result for x in options if x.candidate.strategy in STRATEGIES)
        return (Launch(cpu_convolutions.generated(step, way), way),)


def graph_of(names, dtype, *, ended: bool) -> Graph:
    """Each of the convolutions; `ended`: with a tanh of it and what is added."""
    b = Builder()
    results = []
    for name in names:
        left, right, attrs = DEPTHWISE[name]
        x, w = (b.parameter(TensorType(dtype, sizes)) for sizes in (left, right))
        conv = b.convolution(x, w, **attrs)
        if ended:
            conv = b.node("tanh", b.node("add", conv, b.parameter(conv.type)))
        results.append(conv)
    return b.graph("f", results)


TOLERANCES = {F32: 2e-5, F64: 1e-12, F16: 4e-3, BF16: 3e-2}


# What follows a sum is printed alike whatever it is a sum of.
CASES = list(itertools.product(TOLERANCES, (False, True)))
KEPT = ((F32, False), (F32, True), (F64, False), (F16, True), (BF16, False))


@pytest.mark.cpu
@pytest.mark.parametrize(("dtype", "ended"), thinned(CASES, KEPT))
def test_each_is_a_convolution(dtype, ended):
    graph = graph_of(DEPTHWISE, dtype, ended=ended)
    plan = build_plan(fuse(values_of(graph)), ByWindows(CpuTarget()))
    assert len(plan.launches) == len(DEPTHWISE)
    assert all(x.step.library is None for x in plan.launches)
    inputs = [random(dtype, x.type.sizes, i) for i, x in enumerate(graph.inputs)]
    found = cpu.build(plan)([to_torch(x) for x in inputs])
    wanted = evaluate(graph, [x.astype(np.float64) for x in inputs])
    for ours, theirs in zip(found, wanted, strict=True):
        tolerance = TOLERANCES[dtype]
        result = from_torch(ours).astype(np.float64)
        np.testing.assert_allclose(result, theirs, rtol=tolerance, atol=tolerance)


def test_the_text_reads_as_a_person_would_write_it(golden):
    graph = graph_of(["same"], F32, ended=True)
    golden(emit(build_plan(fuse(values_of(graph)), ByWindows(CpuTarget()))).source.text)
