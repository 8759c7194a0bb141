"""Attention whose sizes are symbols, in Triton: loaded once, called with several sizes."""

import itertools

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from tests.compiler_core import symbolic_attentions
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def planned(name: str) -> Plan:
    graph = symbolic_attentions.case(name)
    plan = build_plan(fuse(values_of(graph), cost.GPU), ON_GPU)
    assert "attention" in [x.schedule.strategy for x in plan.launches]
    return plan


# How its forms of a caller become one kernel is the plan's; what differs in the kernel is here.
KERNELS = ("causal, as many keys as another symbol", "added mask", "grouped", "heads last")


@pytest.mark.parametrize("name", thinned(symbolic_attentions.CASES, kept=KERNELS))
def test_one_text_serves_every_size(name, interpreter_process):
    inputs, expected = zip(*symbolic_attentions.calls(name), strict=True)
    run = interpreter_process.submit(interpreter.execute_all, planned(name), list(inputs))
    for (ours,), theirs in zip(run.result(timeout=300), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=3e-6)


def test_text(golden):
    (source,) = emit_plan(planned("heads last")).values()
    golden(source.source.text)


COMPILED = ["causal", "added mask", "grouped", "jax"]


VENDORS = list(itertools.product(COMPILED, ("sm_90", "gfx942")))
KEPT = (("causal", "sm_90"), ("jax", "gfx942"))


@pytest.mark.parametrize(("name", "target"), thinned(VENDORS, KEPT))
def test_it_compiles_without_spills(name, target):
    (source,) = emit_plan(planned(name)).values()
    assert compile_offline(source, target).spills == 0
