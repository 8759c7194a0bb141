"""The stages that all backends share: capture and the passes. A stage reads and sets fields of the
Compilation and emits its result. order.py has the order of all stages."""

import time
from contextlib import suppress

from msgspec import structs

from compiler_core import report
from compiler_core.capture import capture
from compiler_core.capture.captured import Captured, CapturedGraph, CapturedText
from compiler_core.capture.edges import with_reads
from compiler_core.errors import at_line
from compiler_core.ir.origins import with_values
from compiler_core.ir.verify import verify
from compiler_core.passes.order import PASSES, of_target
from compiler_core.passes.recording import ir_artifact, run_pass
from compiler_core.passes.vectors import SumProducts
from compiler_core.pipeline import report_building
from compiler_core.pipeline.context import Compilation, Work
from compiler_core.pipeline.overrides import in_passes
from compiler_core.pipeline.regions import placed
from compiler_core.pipeline.sizes import settled, sizes_sentence, varying_specs, why_fixed
from compiler_core.pipeline.summary import of_outside, summary
from compiler_core.plan.summed import decide, sums
from compiler_core.wording import counted

_LEFT_OUT = (
    "is left out of what is compiled, which has no effects but its results: eager alone runs it, "
    "and takes its time; return the value instead"
)


def capture_program(c: Compilation) -> None:
    """Captures the program: the framework's own trace, and the IR lowered from it."""
    with c.stage("capture", "capture") as draft, at_line(c.program.line):
        captured = settled(capture(c.program), c.backends, c.overrides)
        for each in captured.graphs:
            verify(each.graph)
        c.divide(captured)
        draft.summary = counted(len(captured.nodes), "operation")
        if captured.session is None:
            draft.artifacts = _captured_texts(captured.whole)
        else:
            draft.summary += f" in {counted(len(captured.graphs), 'graph')}"
    c.emit_facts(graphs=report_building.graphs(c.program, captured), python=list(captured.python))
    if captured.session is not None:
        _stages_of_parts(c, captured)
    _emit_notices(c, captured)
    nodes = [
        node
        for part, graph in zip(c.parts, captured.graphs, strict=True)
        for node in placed(with_reads(graph.nodes, graph.graph), graph.graph, part.id)
    ]
    c.emit_facts(nodes=nodes, graph_breaks=list(captured.graph_breaks))


def _stages_of_parts(c: Compilation, captured: Captured) -> None:
    """A stage of its own for each graph of a program that has several."""
    for part, graph in zip(c.parts, captured.graphs, strict=True):
        if graph.joint is not None:
            part.emit_stage(_joint_stage(graph, graph.joint))
        count, texts = counted(len(graph.nodes), "operation"), _captured_texts(graph)
        part.emit_stage(report.Stage("capture", "ok", 0.0, texts, "capture", summary=count))


def _emit_notices(c: Compilation, captured: Captured) -> None:
    """Says what is no graph, what torch runs itself, which sizes vary, what is written to, and
    which effects are left out."""
    if not captured.graphs:
        text = f"{c.program.name} runs in Python as eager does: no part of it became a graph"
        c.emit(report.Noticed(report.Notice("warning", text, c.program.line)))
        c.emit_facts(summary=summary(c))
    elif text := of_outside(captured, c.program.name):
        c.emit(report.Noticed(report.Notice("info", text, c.program.line)))
    sentence = sizes_sentence(captured, c.program.name)
    if sentence:
        c.emit_facts(inputs=varying_specs(c.program, captured))
        c.add_findings("core", why_fixed(captured, c.program))
        line = captured.asked_on or c.program.line
        c.emit(report.Noticed(report.Notice("info", sentence, line)))
    if captured.written:
        inputs = ", ".join(captured.written)
        text = f"{c.program.name} writes into its inputs: {inputs}; each run is given copies"
        c.emit(report.Noticed(report.Notice("info", text, c.program.line)))
    _emit_effects(c, captured)


def _emit_effects(c: Compilation, captured: Captured) -> None:
    """Says what is left out of the graphs; what the program prints by it is shown once."""
    for called, line in captured.effects:
        c.emit(report.Noticed(report.Notice("warning", f"`{called}` {_LEFT_OUT}", line)))
    if captured.effects and not c.program.ran:
        with suppress(Exception):  # a program that fails is told of where it is checked
            captured.eager(captured.arguments)


def _joint_stage(forward: CapturedGraph, joint: CapturedText) -> report.Stage:
    """Both passes as one graph, which was cut in two."""
    nodes = [list(n) for n in joint.nodes]
    text = report.Artifact("joint", "captured", forward.language, joint.text, nodes)
    count = counted(sum(1 for n in nodes if n), "operation")
    summary = f"{count}, cut into forward and backward"
    return report.Stage("joint", "ok", 0.0, [text], "capture", summary=summary)


def _captured_texts(captured: CapturedGraph) -> list[report.Artifact]:
    nodes = [list(n) for n in captured.text_nodes]
    return [
        report.Artifact("captured", "captured", captured.language, captured.text, nodes),
        ir_artifact("ir", captured.graph),
    ]


def run_passes(c: Compilation) -> None:
    """Runs the passes in order, but for those that are switched off."""
    with in_passes(c.overrides):
        _run_passes(c)


def _run_passes(c: Compilation) -> None:
    """Runs every pass in order; each is emitted as a stage of its own."""
    assert c.graph is not None
    for each in PASSES:
        with c.failing_as(each.name, "pass"):
            c.graph, stage = run_pass(c.graph, each)
        c.emit_stage(stage)
    c.graph = with_values(c.graph)


def run_target_passes(c: Compilation, work: Work) -> None:
    """Runs the passes that decide by the backend's costs, for its own plan."""
    assert c.graph is not None
    graph, model = c.graph, work.backend.model
    with in_passes(c.overrides, work.backend.name):
        begun = time.perf_counter()
        with c.failing_as(SumProducts.name, "pass", work):
            work.decided = decide(graph, model, work.backend.choose)
        # Deciding is most of what the pass costs.
        ms = {SumProducts.name: (time.perf_counter() - begun) * 1e3}
        for each in of_target(model.ops_per_byte, sums(work.decided)):
            with c.failing_as(each.name, "pass", work):
                graph, stage = run_pass(graph, each)
            own = stage.ms + ms.get(each.name, 0.0)
            c.emit_stage(structs.replace(stage, backend=work.backend.name, ms=own))
    work.graph = graph if graph is c.graph else with_values(graph)
