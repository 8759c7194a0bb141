"""Compiles one graph without a report: what torch.compile's back end calls."""

from collections.abc import Sequence

from compiler_core import report
from compiler_core.backends.backend import Backend, Executable
from compiler_core.backends.registry import running
from compiler_core.capture.captured import CapturedGraph
from compiler_core.fuse.alone import each_alone
from compiler_core.fuse.groups import fuse_by
from compiler_core.ir.graph import Graph
from compiler_core.passes.order import PASSES, of_target
from compiler_core.passes.recording import run_pass
from compiler_core.pipeline.overrides import in_fusion, in_passes, in_plan
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from compiler_core.plan.summed import decide, left, sums


def compile_graph(captured: CapturedGraph, device: str) -> Executable:
    """A function of the graph's inputs in order, tensors on `device` ("cpu" or "cuda"), that
    returns the outputs in order; of those that are `replaced` it changes the inputs. Raises
    FuselabError where a stage refuses the graph."""
    backend = running(device)
    plan = plan_of(captured.graph, backend, replaced=captured.replaced)
    return backend.build(backend.emit(plan))


def plan_of(
    graph: Graph,
    backend: Backend,
    overrides: Sequence[report.Override] = (),
    replaced: Sequence[tuple[int, int]] = (),
) -> Plan:
    """The launches of a graph for a backend, after all passes, with what is overridden; `replaced`
    are outputs that are new values of inputs, by their positions. Raises FuselabError."""
    model = backend.model
    with in_passes(overrides, backend.name):
        for each in PASSES:
            graph, _ = run_pass(graph, each)
        decided = decide(graph, model, backend.choose)
        for each in of_target(model.ops_per_byte, sums(decided)):
            graph, _ = run_pass(graph, each)
    alone = each_alone(values_of(graph))
    with in_fusion(overrides, alone):
        fused = fuse_by(model, alone)
    with in_plan(overrides, alone, fused):
        return build_plan(fused, backend.choose, replaced=replaced, left=left(decided))
