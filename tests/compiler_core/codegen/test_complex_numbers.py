"""Complex numbers in what both printers print: it computes what numpy makes of the graph."""

import numpy as np
import pytest
import torch

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.passes.order import PASSES
from compiler_core.plan.build import build_plan, values_of
from compiler_core.runtime import cpu
from tests.compiler_core.capture import complex_programs as programs
from tests.compiler_core.capture.oracle import captured, to_numpy
from tests.compiler_core.codegen.c.graphs import from_torch, to_torch
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_CPU, ON_GPU
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

# A grid of values at which nothing is on a branch cut, or of both signs.
PARTS = (0.25, -1.0, 0.5, -3.0, 1e-3, 20.0)
CASES = [
    *((f, name, programs.OF_ONE[f][name], 1) for f, name in [
        ("torch", "parts"), ("torch", "powers"), ("torch", "logarithm"), ("torch", "hyperbolic"),
        ("torch", "inverse circular"), ("jax", "exponential"), ("jax", "circular"),
        ("jax", "inverse hyperbolic")]),
    ("jax", "products", programs.OF_TWO["jax"]["products"], 2),
    *(("torch", name, programs.WHOLE["torch"][name], 0) for name in [
        "views", "places", "reductions", "matrix products", "writes", "gradient"]),
    *(("jax", name, programs.WHOLE["jax"][name], 0) for name in ["places", "loops"]),
]  # fmt: skip


def arrays(count):
    if count == 0:
        return [programs.Z, programs.W]
    return programs.pairs(PARTS) if count == 2 else [programs.grid(PARTS)]


def graph_and_inputs(framework, program, count):
    result = captured(framework, program, *programs.given(framework, *arrays(count)))
    graph = result.graph
    for each in PASSES:
        graph, _ = each.run(graph)
    return graph, [to_numpy(x) for x in result.arguments]


def agree(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=5e-5, atol=2e-5)


# Functions whose formulas are of the same operations as those of others.
AS_OTHERS = {"hyperbolic", "inverse circular", "exponential"}


@pytest.mark.parametrize(
    ("framework", "program", "count"),
    thinned(
        [(f, p, c) for f, _, p, c in CASES],
        kept=[(f, p, c) for f, n, p, c in CASES if n not in AS_OTHERS],
    ),
    ids=[f"{f}-{n}" for f, n, *_ in CASES],
)  # fmt: skip
def test_in_c(framework, program, count):
    graph, inputs = graph_and_inputs(framework, program, count)
    plan = build_plan(fuse(values_of(graph), cost.CPU), ON_CPU)
    agree([from_torch(x) for x in cpu.build(plan)([to_torch(x) for x in inputs])],
          evaluate(graph, inputs))  # fmt: skip


SHARE = [c for c in CASES if c[1] in ("parts", "powers", "circular", "products", "places", "views")]


@pytest.mark.parametrize(
    ("framework", "program", "count"),
    [(f, p, c) for f, _, p, c in SHARE], ids=[f"{f}-{n}" for f, n, *_ in SHARE],
)  # fmt: skip
def test_in_triton(framework, program, count, interpreter_process):
    graph, inputs = graph_and_inputs(framework, program, count)
    plan = build_plan(fuse(values_of(graph), cost.GPU), ON_GPU)
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    agree(call.result(timeout=60), evaluate(graph, inputs))


def test_no_launch_reads_what_a_later_one_writes():
    """Kernels with members far apart in the program, each between two of another."""
    graph, _ = graph_and_inputs("torch", programs.each(torch.sqrt, torch.sgn), 1)
    plan = build_plan(fuse(values_of(graph), cost.CPU), ON_CPU)
    written = set(plan.inputs)
    for step in plan.steps:
        assert {b.name for b in step.kernel.inputs} <= written
        written |= {b.name for b in step.kernel.outputs}
