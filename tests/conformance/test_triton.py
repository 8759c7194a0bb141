"""The part `triton`: what it goes over, and that it finds what is wrong with a kernel."""

from functools import cache
from typing import get_args

import numpy as np
import pytest

from compiler_core import report
from compiler_core.backends.gpu import Gpu
from compiler_core.codegen.triton import ops as triton_ops
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.ir import ops
from compiler_core.pipeline.one_graph import plan_of
from compiler_core.plan.gpu import sorts as gpu_sorts
from compiler_core.plan.gpu.convolutions import IMPLICIT
from compiler_core.plan.plan import Plan
from compiler_core.schedule.gpu import schedule as gpu_schedule
from compiler_core.schedule.gpu.attention import STRATEGY as ATTENTION
from compiler_core.schedule.targets import TARGETS, resolve
from conformance import run_graphs
from conformance.judge_graphs import judge
from conformance.knobs import turned
from conformance.operations import every
from conformance.templates import TEMPLATES
from conformance.triton import samples

pytestmark = pytest.mark.cpu

# What only a GPU's own templates are called.
NONE = Plan("none", (), {}, (), (), ())
MADE_BY_TEMPLATES = {
    "matmul",
    ATTENTION,
    IMPLICIT,
    gpu_schedule.REDUCTION,
    gpu_schedule.SPLIT_K,
    gpu_schedule.WINDOWS,
}


def test_every_operation_has_generated_graphs():
    found = {operation.op for case in every() for operation in case.graph.walk()}
    # A library call is a framework's own kernel.
    assert found | {"parameter", "library_call"} == set(ops.OPS)


@cache
def strategies():
    """Of all launches of the templates, under the compiler's own choices and others."""
    found = set()
    for name in TEMPLATES:
        for sample in samples(name, "templates Triton"):
            with turned(sample.knobs):
                plan = plan_of(sample.program.graph, Gpu(resolve("sm_90")))
            found |= {launch.schedule.strategy for launch in plan.walk()}
    return found


@pytest.mark.parametrize("strategy", sorted({*MADE_BY_TEMPLATES, *gpu_sorts.STRATEGIES}))
def test_every_template_is_launched(strategy):
    assert strategy in strategies()


def sample_of(entry, start):
    return next(s for s in samples(entry, "operations Triton") if s.name.startswith(start))


def test_a_kernel_that_computes_something_else_is_wrong(monkeypatch):
    sample = sample_of("tanh", "tanh-f32")
    nothing = [numpy_to_torch(np.zeros_like(x)) for x in sample.program.inputs[0]]
    monkeypatch.setattr(run_graphs, "interpreted", lambda graph, calls: (NONE, [nothing]))
    assert judge(sample).kind == "wrong"


def test_a_kernel_that_triton_refuses_is_a_fault_of_ours_for_each_target(monkeypatch):
    monkeypatch.setitem(triton_ops.RULES, "tanh", "tl.no_such_function({0})")
    sample = sample_of("tanh", "tanh-f32")
    verdict = judge(sample)
    assert verdict.kind == "fault" and "no_such_function" in verdict.reason


def test_the_targets_are_those_that_a_run_may_ask_for():
    assert {"auto", report.NO_TARGET, *TARGETS} == set(get_args(report.Target))
