"""AOTAutograd opened up: the joint graph, the graphs that it is split into, what is saved between
them and what is recomputed, and what became of in-place writes."""

from collections.abc import Iterator

import torch

from compiler_core.reference.aot import stages
from compiler_core.reference.aot.recording import Recording
from compiler_core.reference.aot.records import Divided
from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.inductor.stages import Naming
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.snippet.output import suppress, unlogged

_JAX = "AOTAutograd divides PyTorch's graphs: JAX makes both passes of a program itself"


def look(subject: Subject) -> Look:
    """The stages of AOTAutograd, or why there are none."""
    return _JAX if subject.framework == "jax" else _look(subject)


def _look(subject: Subject) -> Iterator[Item]:
    recording = _recorded(subject)
    several = len(recording.graphs) > 1
    for number, graph in enumerate(recording.graphs, 1):
        yield from _of_graph(subject, f"graph {number}" if several else "", graph)


def _recorded(subject: Subject) -> Recording:
    calling, recording = Calling(subject), Recording()
    alone = subject.captured.session is None
    if alone:
        torch.compiler.reset()
    try:
        with unlogged(), suppress():
            calling.make(calling.calls[0], calling.compiled(recording.backend))
    finally:
        if alone:
            torch.compiler.reset()
    return recording


def _of_graph(subject: Subject, of: str, graph: Divided) -> Iterator[Item]:
    every = Naming(SourceLines(subject.captured.nodes), of)
    forward, backward = (Naming(subject.lines(back), of) for back in (False, True))
    if graph.writes:
        yield stages.writes_stage(forward, graph)
    if graph.inference:
        yield stages.text_stage(forward, "inference graph", graph.inference, stages.NO_GRADIENTS)
        return
    yield stages.text_stage(every, "joint graph", graph.joint, "forward and backward in one")
    yield stages.partition_stage(forward, graph)
    yield stages.text_stage(forward, "forward graph", graph.forward)
    yield stages.text_stage(backward, "backward graph", graph.backward)
    yield from stages.findings(forward, graph)
