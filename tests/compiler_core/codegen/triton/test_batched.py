"""Templates over a batch whose size is a symbol, on a GPU's plan: loaded once, called with
several sizes."""

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir import eval_numpy
from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import substitute
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from tests.compiler_core.codegen.batched import GRAPHS, B
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.codegen.triton.test_convolution import plan_by
from tests.compiler_core.plans import ON_GPU
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

BATCHES = (2, 5, 9)
NAMES = (
    "plain and what follows", "all and what follows", "channels-last and what follows",
    "depthwise-twice and what follows",
    "plain", "weight gradient", "weight gradient and what follows",
    "largest of windows", "sum of windows", "short rows in order", "greatest five",
)  # fmt: skip

# Groups of few features.
THIN = ("all and what follows", "depthwise-twice and what follows")


def planned(graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.GPU), ON_GPU)


@pytest.mark.parametrize("name", thinned(NAMES, kept={*NAMES} - {"greatest five"}))
def test_one_text_serves_every_batch(name, interpreter_process):
    graph = GRAPHS[name]
    numbers = [substitute(graph, {B: batch}) for batch in BATCHES]
    random = np.random.default_rng(0)
    given = [
        [random.integers(-4, 5, x.type.sizes).astype(np.float32) for x in each.inputs]
        for each in numbers
    ]
    run = interpreter_process.submit(interpreter.execute_all, planned(graph), given)
    for each, inputs, results in zip(numbers, given, run.result(timeout=200), strict=True):
        for ours, theirs in zip(results, eval_numpy.evaluate(each, inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("what follows")])
def test_a_convolution_of_a_symbolic_batch_is_generated(name):
    (launch,) = planned(GRAPHS[name]).launches
    assert launch.schedule.strategy == ("implicit_gemm" if name not in THIN else "windows")


def test_text(golden):
    (source,) = emit_plan(plan_by("implicit_gemm", GRAPHS["all and what follows"])).values()
    golden(source.source.text)


# One of each template.
COMPILED = (
    "all and what follows", "depthwise-twice and what follows", "weight gradient",
    "largest of windows", "short rows in order", "greatest five",
)  # fmt: skip


@pytest.mark.parametrize("name", thinned(NAMES, COMPILED))
def test_it_compiles_for_a_gpu_that_is_not_here(name):
    for source in emit_plan(planned(GRAPHS[name])).values():
        assert compile_offline(source, "sm_90").texts
