"""What each stage of the pipeline does, from a captured program to kernels; order.py has
their order. A stage reads and fills fields of the Compilation and shows what it made."""

from compiler_core import report
from compiler_core.analysis import traffic, work
from compiler_core.analysis.roofline import estimate_us
from compiler_core.capture import capture
from compiler_core.capture.captured import CapturedGraph
from compiler_core.codegen.triton import emit as triton
from compiler_core.codegen.triton import offline
from compiler_core.codegen.writer import Source
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.verify import verify
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.work import flops as flops_of
from compiler_core.kernel.work import traffic as traffic_of
from compiler_core.passes.order import PASSES
from compiler_core.passes.recording import ir_artifact, run_pass
from compiler_core.pipeline import report_building
from compiler_core.pipeline.context import Compilation, counted
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.steps import KernelStep, listing
from compiler_core.runtime import cpu
from compiler_core.schedule.gpu import choose_gpu
from compiler_core.schedule.targets import resolve


def capture_program(c: Compilation) -> None:
    """The framework's own trace, and the graph made from it."""
    with c.stage("capture", "capture") as draft:
        captured = capture(c.program)
        for each in captured.graphs:
            verify(each.graph)
        c.divide(captured)
        draft.summary = counted(len(captured.nodes), "operation")
        if captured.session is None:
            draft.artifacts = _captured_texts(captured.whole)
        else:
            draft.summary += f" in {counted(len(captured.graphs), 'graph')}"
    if captured.session is not None:
        c.facts(graphs=report_building.graphs(c.program, captured), python=list(captured.python))
        for part, graph in zip(c.parts, captured.graphs, strict=True):
            count = counted(len(graph.nodes), "operation")
            texts = _captured_texts(graph)
            part.done(report.Stage("capture", "ok", 0.0, texts, "capture", summary=count))
    if captured.written:
        inputs = ", ".join(captured.written)
        text = f"{c.program.name} writes into its inputs: {inputs}; each run is given copies"
        c.emit(report.Noticed(report.Notice("info", text, c.program.line)))
    c.facts(nodes=list(captured.nodes), graph_breaks=list(captured.graph_breaks))


def _captured_texts(captured: CapturedGraph) -> list[report.Artifact]:
    nodes = [list(n) for n in captured.text_nodes]
    return [
        report.Artifact("captured", "captured", captured.language, captured.text, nodes),
        ir_artifact("ir", captured.graph),
    ]


def run_passes(c: Compilation) -> None:
    """Every pass in order; each is a stage of its own."""
    assert c.graph is not None
    for each in PASSES:
        with c.failing_as(each.name, "pass"):
            c.graph, stage = run_pass(c.graph, each)
        c.done(stage)


def fuse_graph(c: Compilation) -> None:
    """Which operations become one kernel."""
    assert c.graph is not None
    with c.stage("fuse", "fuse") as draft:
        c.fused = fuse(values_of(c.graph), cost.GPU if c.device == "cuda" else cost.CPU)
        groups = [group for fused in c.fused.walk() for group in fused.groups]
        count, members = len(groups), sum(len(g.members) for g in groups)
        draft.summary = f"{counted(members, 'operation')} in {counted(count, 'kernel')}"


def schedule_groups(c: Compilation) -> None:
    """Loop-level kernels, their order, and the memory plan."""
    assert c.fused is not None
    with c.stage("schedule", "schedule") as draft:
        c.plan = build_plan(c.fused)
        loops, nodes = listing(c.plan.steps)
        draft.artifacts = [report.Artifact("loops", "loops", "fuselab", loops, nodes)]
        temporaries = f"{c.plan.arena_bytes} bytes of temporaries"
        launches = sum(step.launches for step in c.plan.steps)
        draft.summary = f"{counted(launches, 'launch')}, {temporaries}"
    c.facts(
        kernels=report_building.kernels(c.plan, c.line_of),
        fusion_refusals=report_building.refusals(c.fused, c.plan),
        buffers=report_building.buffers(c.plan),
    )
    root = c.root or c
    root.facts(summary=_summary(root))


def _summary(root: Compilation) -> report.Summary:
    """Over all graphs that are planned."""
    summed = [_counts(p) for p in root.parts if p.plan is not None]
    steps = [step for p in root.parts if p.plan is not None for step in p.plan.walk()]
    totals = {name: sum(each[name] for each in summed) for name in summed[0]}
    return report.Summary(**totals, native_share=work.native_share(steps))


def _counts(c: Compilation) -> dict[str, int]:
    """Fields of a Summary, of one graph."""
    assert c.source is not None and c.graph is not None and c.plan is not None
    eager, core = traffic.of_graph(c.source.graph), traffic.core(c.plan)
    return {
        "ops_captured": len(c.source.nodes), "ops_final": len(c.graph.computed),
        "launches_eager": eager.launches, "launches_core": core.launches,
        "bytes_eager": eager.bytes, "bytes_core": core.bytes,
    }  # fmt: skip


def emit_triton(c: Compilation) -> None:
    """Triton source of every kernel, for the chosen GPU."""
    assert c.plan is not None
    target = resolve(c.options.target)
    with c.stage("triton", "codegen") as draft:
        kernels = [
            s.kernel for s in c.plan.walk() if isinstance(s, KernelStep) and _has_points(s.kernel)
        ]
        c.triton = tuple(triton.emit(k, choose_gpu(k, target)) for k in kernels)
        draft.artifacts = [
            _artifact(s.kernel.name, "triton", s.source, s.kernel.name) for s in c.triton
        ]
        draft.summary = f"{counted(len(c.triton), 'kernel')} for {target.name}"


def _has_points(kernel: Kernel) -> bool:
    return all(axis.extent for axis in kernel.axes)


def compile_cpu(c: Compilation) -> None:
    """C source of the whole program, compiled and loaded."""
    assert c.plan is not None
    with c.stage("c", "codegen") as draft:
        c.executable = cpu.build(c.plan)
        draft.artifacts = [_artifact("c", "c", c.executable.source, None)]
        draft.summary = f"{counted(len(c.plan.steps), 'launch')} in one library"


def load_gpu(c: Compilation) -> None:
    """The whole program as Triton kernels and the vendor's matmul on this machine's GPU."""
    from compiler_core.runtime import gpu

    assert c.plan is not None
    with c.stage("load", "codegen") as draft:
        c.executable = gpu.build(c.plan, resolve("auto"))
        draft.summary = f"{counted(len(c.plan.steps), 'launch')} bound"


def compile_triton(c: Compilation) -> None:
    """TTIR to PTX (or AMDGCN) of every kernel, without a GPU; structurally equal ones once."""
    assert c.triton is not None
    target = resolve(c.options.target).name
    resources: list[report.Resources] = []
    machine_code: list[tuple[str, offline.Compiled]] = []
    with c.stage(f"compile {target}", "compile") as draft:
        for source in c.triton:
            c.began(f"compile {target}", source.kernel.name)
            for compiled in offline.compile_offline(source, target):
                name = compiled.launch.entry
                for kind, made in compiled.texts.items():
                    text = _artifact(f"{name}.{kind}", kind, made, source.kernel.name)
                    draft.artifacts.append(text)
                machine_code.append((source.kernel.name, compiled))
                resources.append(_resources(compiled, source.kernel, target))
        draft.summary = f"{counted(len(resources), 'launch')} compiled for {target}"
    c.machine_code = tuple(machine_code)
    c.facts(resources=resources)


def for_nvidia(c: Compilation) -> bool:
    """AMD's assembly is what its compiler gives already."""
    return resolve(c.options.target).backend == "cuda"


def disassemble(c: Compilation) -> None:
    """SASS of every kernel: last, because the disassembler takes longer than compiling did."""
    assert c.machine_code is not None
    with c.stage("disassemble", "compile") as draft:
        for kernel, compiled in c.machine_code:
            sass = compiled.sass()
            if sass is not None:
                name = f"{compiled.launch.entry}.sass"
                draft.artifacts.append(_artifact(name, "sass", sass, kernel))
        draft.summary = f"{counted(len(draft.artifacts), 'kernel')} as SASS"


def _resources(compiled: offline.Compiled, kernel: Kernel, target: str) -> report.Resources:
    return report.Resources(
        kernel=compiled.launch.entry,
        target=target,
        registers=compiled.registers,
        spills=compiled.spills,
        shared_bytes=compiled.shared_bytes,
        num_warps=compiled.num_warps,
        estimate_us=estimate_us(sum(traffic_of(kernel)), flops_of(kernel), target),
    )


def _artifact(name: str, kind: str, source: Source, kernel: str | None) -> report.Artifact:
    nodes = [list(origins) for origins in source.nodes]
    return report.Artifact(name, kind, source.language, source.text, nodes, kernel)
