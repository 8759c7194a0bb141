"""What fusion and lowering make of a graph computes what the graph means: random graphs against the
numpy evaluator, and each loop nest's own laws."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from compiler_core.fuse.groups import fuse
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.verify import verify
from compiler_core.kernel.effects import Store
from compiler_core.passes.order import PASSES
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.steps import KernelStep

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.compiler_core.plans import ON_CPU, run_plan
from tests.compiler_core.random_graphs import graphs
from tests.sweep_plugin import thinned

EXAMPLES = pytest.mark.parametrize("examples", thinned((75, 300), kept=(75,)))


def some(examples):
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


def inputs_of(graph):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]


def close(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        assert a.shape == e.shape
        scale = np.maximum(1, np.abs(e[np.isfinite(e)])).max(initial=1)
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-4 * scale)


def planned(graph):
    return build_plan(fuse(values_of(graph)), ON_CPU)


def optimised(graph):
    for each in PASSES:
        graph, _ = each.run(graph)
        verify(graph, each.name)
    return graph


@EXAMPLES
def test_passes_keep_the_meaning(examples):
    @given(graphs())
    @some(examples)
    def keep(graph):
        verify(graph)
        inputs = inputs_of(graph)
        close(evaluate(optimised(graph), inputs), evaluate(graph, inputs))

    keep()


@EXAMPLES
def test_a_plan_computes_what_its_graph_means_and_writes_each_element_once(examples):
    given(graphs())(some(examples)(assert_planned))()


def assert_planned(graph):
    graph = optimised(graph)
    inputs, plan = inputs_of(graph), planned(graph)
    close(run_plan(plan, inputs), evaluate(graph, inputs))
    assert_temporaries_alive_together_do_not_overlap(plan)
    for step in plan.steps:
        if isinstance(step, KernelStep):
            for phase in step.kernel.phases:
                for effect in phase.effects:
                    if isinstance(effect, Store):
                        assert_injective(step.kernel, effect)


def assert_injective(kernel, store):
    axes = kernel.axes if kernel.is_tile_effect(store) else kernel.parallel
    shape = [a.extent for a in axes]
    grid = np.indices(shape).reshape(len(shape), int(np.prod(shape)))
    at = sum((store.access.stride(a.name) * g for a, g in zip(axes, grid, strict=True)), 0)
    written = np.broadcast_to(at, grid.shape[1:] or (1,))
    assert len(np.unique(written)) == len(written)


def assert_temporaries_alive_together_do_not_overlap(plan):
    places = [p for p in plan.placements if p.offset is not None]
    for i, a in enumerate(places):
        for b in places[:i]:
            together = a.first <= b.last and b.first <= a.last
            apart = a.offset + a.type.bytes <= b.offset or b.offset + b.type.bytes <= a.offset
            assert apart or not together
