"""A graph straight to what runs it, through the stages of the pipeline, with nobody listening."""

from typing import Any

from compiler_core import report
from compiler_core.capture.captured import CapturedGraph
from compiler_core.errors import Unsupported
from compiler_core.pipeline import stages
from compiler_core.pipeline.context import Compilation, no_lease
from compiler_core.snippet.program import FoundProgram

_BUILD = {"cpu": stages.compile_cpu, "cuda": stages.load_gpu}


def compile_graph(captured: CapturedGraph, device: str) -> Any:
    """Call the result with the graph's inputs in order, tensors on `device` ("cpu" or "cuda"); it
    returns the outputs in order. Raises FuselabError where a stage refuses."""
    if device not in _BUILD:
        raise Unsupported(f"there are no kernels for tensors on {device}")
    program = FoundProgram(captured.name, "torch", captured.line, compile_graph, ())
    c = Compilation(0, program, report.Options(), device, _unheard, no_lease)
    c.source, c.graph, c.parts = captured, captured.graph, [c]
    for stage in (stages.run_passes, stages.fuse_graph, stages.schedule_groups, _BUILD[device]):
        stage(c)
    return c.executable


def _unheard(event: report.Event) -> None:
    pass
