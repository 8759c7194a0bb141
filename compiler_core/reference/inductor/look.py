"""TorchInductor opened up: its passes on each graph, its fusion decisions, and the code that it
generates.

A look compiles a second time, up to the texts: the C++ compiler, which takes nearly all of the
time, is not called, and torch runs the graphs.
"""

from collections.abc import Iterator
from dataclasses import replace

import torch

from compiler_core import report
from compiler_core.errors import sentence_of
from compiler_core.measure.runnable import device_of
from compiler_core.reference.inductor import figures, stages
from compiler_core.reference.inductor.arguments import CompileArguments
from compiler_core.reference.inductor.bound import Bound, bind
from compiler_core.reference.inductor.facts import facts, groups
from compiler_core.reference.inductor.gpu_stand_in import why_not
from compiler_core.reference.inductor.on_gpu import on_gpu
from compiler_core.reference.inductor.process import passing_files, settings
from compiler_core.reference.inductor.reasons import TEMPLATE, TIMED_THERE
from compiler_core.reference.inductor.recording import Recording
from compiler_core.reference.inductor.records import Compiled, Lowered
from compiler_core.reference.inductor.stages import Naming
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.schedule.targets import resolve
from compiler_core.snippet.output import suppress, unlogged


def look(subject: Subject) -> Look:
    """The stages of Inductor's compilation of the program, or why it cannot be compiled by it."""
    bound = bind(subject.captured, subject.framework)
    return bound if isinstance(bound, str) else _look(subject, bound)


def _look(subject: Subject, bound: Bound) -> Iterator[Item]:
    recording = recorded(subject, bound)
    lines = SourceLines(subject.captured.nodes)
    backend = "cpu" if device_of(subject.captured) == "cpu" else "gpu"
    several = len(recording.compiled) > 1
    timed = CompileArguments(subject.program.options).autotunes_products
    for number, compiled in enumerate(recording.compiled, 1):
        graph = f"graph {number}" if several else ""
        naming = Naming(lines, graph, template="" if timed else TEMPLATE)
        yield from _of_graph(subject, naming, compiled, backend)
        if backend == "cpu" and subject.options.target != report.NO_TARGET:
            yield from _for_gpu(subject, Naming(lines, graph), compiled)
    yield stages.phases_stage(Naming(lines), recording.phases)
    yield figures.of_look(recording.compiled, recording.phases)


def recorded(subject: Subject, bound: Bound) -> Recording:
    """The recording of Inductor while it writes its texts for the program; none of them is
    compiled."""
    captured, recording = subject.captured, Recording()
    alone = captured.session is None
    inputs = bound.prepare(captured.arguments)
    arguments = CompileArguments(subject.program.options)
    with (
        settings(reset=alone), arguments.settings(), passing_files(), unlogged(), suppress(),
        recording.listening(),
    ):  # fmt: skip
        try:
            with torch.set_grad_enabled(captured.grad):
                compiled = torch.compile(
                    bound.function, backend=recording.backend, **arguments.dynamos
                )
                bound.call(compiled, inputs)
        finally:
            if captured.session is not None:
                captured.session.restore()
            else:
                torch.compiler.reset()
    return recording


def _of_graph(subject: Subject, naming: Naming, compiled: Compiled, backend: str) -> Iterator[Item]:
    for passes in compiled.passes:
        yield stages.passes_stage(naming, passes)
    for lowered in compiled.lowered:
        role = lowered.role if len(compiled.lowered) > 1 else ""
        of = ", ".join(filter(None, [naming.of, role]))
        own = replace(
            naming, lines=subject.lines(lowered.role == "backward"), of=of, backend=backend
        )
        yield from of_lowered(own, lowered, "C++" if backend == "cpu" else "Triton")


def _for_gpu(subject: Subject, naming: Naming, compiled: Compiled) -> Iterator[Item]:
    """The same graphs as Inductor writes them for the target, under a stage of their own."""
    target, arguments = resolve(subject.options.target), CompileArguments(subject.program.options)
    base = f"Triton for {target.device}"
    try:
        found = why_not(target) or on_gpu(compiled, target, arguments)
    except Exception as error:
        found = f"TorchInductor writes no Triton for this: {sentence_of(error)}"
    if isinstance(found, str):
        yield report.Stage(naming.name(base), "skipped", 0.0, summary=found, backend="gpu")
        return
    yield stages.target_stage(naming, base, found.phases, arguments.untimed)
    template = TIMED_THERE if arguments.autotunes_products else TEMPLATE
    under = replace(naming, parent=naming.name(base), backend="gpu", template=template)
    (there,) = found.compiled
    for lowered in there.lowered:
        role = lowered.role if len(there.lowered) > 1 else ""
        of = ", ".join(filter(None, [naming.of, role, target.name]))
        own = replace(under, lines=subject.lines(lowered.role == "backward"), of=of)
        yield from of_lowered(own, lowered, "Triton")


def of_lowered(naming: Naming, lowered: Lowered, code: str) -> Iterator[Item]:
    """The stages of one graph from its last passes on, and the facts about its fusions."""
    for passes in lowered.passes:
        yield stages.passes_stage(naming, passes)
    found = list(facts(naming, lowered))
    refused = sum(isinstance(f, report.FusionDecision) and not f.fused for f in found)
    yield stages.units_stage(naming, lowered)
    yield stages.fusion_stage(naming, lowered, refused)
    yield from found
    yield from groups(naming, lowered)
    yield stages.code_stage(naming, lowered, code)
    yield stages.memory_stage(naming, lowered)
    if lowered.cudagraphs or naming.backend == "gpu":
        yield stages.graphs_stage(naming, lowered)
