"""Compiles one graph without a report: what torch.compile's back end calls."""

from compiler_core.backends.backend import Backend, Executable
from compiler_core.backends.registry import running
from compiler_core.capture.captured import CapturedGraph
from compiler_core.fuse.groups import fuse
from compiler_core.ir.graph import Graph
from compiler_core.passes.order import PASSES
from compiler_core.passes.recording import run_pass
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan


def compile_graph(captured: CapturedGraph, device: str) -> Executable:
    """A function of the graph's inputs in order, tensors on `device` ("cpu" or "cuda"), that
    returns the outputs in order. Raises FuselabError where a stage refuses the graph."""
    backend = running(device)
    return backend.build(backend.emit(plan_of(captured.graph, backend)))


def plan_of(graph: Graph, backend: Backend) -> Plan:
    """The launches of a graph for a backend, after all passes. Raises FuselabError."""
    for each in PASSES:
        graph, _ = run_pass(graph, each)
    return build_plan(fuse(values_of(graph), backend.model), backend.choose)
