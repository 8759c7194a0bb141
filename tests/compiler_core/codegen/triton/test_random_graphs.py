"""Random graphs through Triton's interpreter, each walked in every way that a schedule can."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from compiler_core.fuse.groups import fuse
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.plan.build import build_plan, values_of
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_CPU
from tests.compiler_core.random_graphs import graphs
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
TARGET = resolve("sm_90")
# A GPU on which every reduction is worth splitting.
WIDE = replace(TARGET, processors=10_000, launch_us=0.0)


@pytest.mark.parametrize("examples", thinned((12, 40), kept=(12,)))
@pytest.mark.parametrize("profile", interpreter.PROFILES)
def test_a_program_means_what_its_graph_means(
    profile: str, examples: int, interpreter_process: ProcessPoolExecutor
) -> None:
    @given(graphs())
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def holds(graph: Graph) -> None:
        random = np.random.default_rng(0)
        inputs = [
            np.asarray(random.standard_normal(x.type.shape), np.float32) for x in graph.inputs
        ]
        plan = build_plan(fuse(values_of(graph)), ON_CPU)
        target = WIDE if profile == "in parts" else TARGET
        call = interpreter_process.submit(interpreter.plan_and_run, plan, target, inputs, profile)
        for found, wanted in zip(call.result(timeout=60), evaluate(graph, inputs), strict=True):
            assert found.shape == wanted.shape
            scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1)
            np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * scale)

    holds()
