"""The stages from a graph to machine code, which run for each backend. No stage asks which backend
it is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from compiler_core import report
from compiler_core.backends.backend import Backend, MachineCode
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.fuse.alone import Alone, each_alone
from compiler_core.fuse.group import Fused
from compiler_core.fuse.groups import fuse_by
from compiler_core.ir.graph import Value
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.measure.clock import Clock
from compiler_core.pipeline import report_building
from compiler_core.pipeline.computed import results
from compiler_core.pipeline.context import Compilation, Work
from compiler_core.pipeline.naming import Names
from compiler_core.pipeline.overrides import in_fusion, in_plan
from compiler_core.pipeline.summary import summary
from compiler_core.pipeline.time_left import Share
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import COPY, listing
from compiler_core.plan.summed import left
from compiler_core.processes import ending_within
from compiler_core.report.columns import size
from compiler_core.wording import counted

# The most seconds for compiling a program's kernels for a machine that is not present, and for
# disassembling each graph's; fewer if the run has too little time left (time_left.py).
COMPILING_S = 20.0
DISASSEMBLING_S = 10.0
# The most kinds of operations that a summary names for not being fused.
_MOST_KINDS = 2
# How many kernels are disassembled at a time: of a large program, the first ones are shown.
_TOGETHER = 16


def runs(c: Compilation, work: Work) -> bool:
    """Whether this is the work of the backend that runs the program."""
    return work is c.running


def fuse_graph(c: Compilation, work: Work) -> None:
    """Fusion by the backend's cost model: which operations become one kernel."""
    with c.stage("fuse", "fuse", work) as draft:
        alone = work.alone = _alone(c, work)
        with in_fusion(c.overrides, alone):
            fused = work.fused = fuse_by(work.backend.model, alone)
        draft.summary = _fused(fused)


def _alone(c: Compilation, work: Work) -> Alone:
    """What fusion begins with, which backends share whose passes have left the same graph."""
    assert work.graph is not None
    known = (other.alone for other in c.works if other.graph is work.graph and other.alone)
    return next(known, None) or each_alone(values_of(work.graph))


def _fused(fused: Fused) -> str:
    """What became one, and what of it several kernels compute; and how many steps, products, say,
    are left to the schedule, which may add a group to the launch of one: kernels are then counted
    there."""
    groups = [group for each in fused.walk() for group in each.groups]
    members = len({member for group in groups for member in group.members})
    again = sum(len(each.recomputed) for each in fused.walk())
    more = f"; {counted(again, 'value')} computed by each reader, not kept" if again else ""
    apart = [v for each in fused.walk() for v in each.values.place if _is_step(v, each.values)]
    if not apart:
        return f"{counted(members, 'operation')} in {counted(len(groups), 'kernel')}{more}"
    left = f"({_kinds(apart)}) left to the schedule stage"
    if not groups:
        return f"{counted(len(apart), 'operation')} {left}"
    text = f"{counted(members, 'operation')} in {counted(len(groups), 'group')}"
    return f"{text}; {len(apart)} more {left}{more}"


def _kinds(values: Sequence[Value]) -> str:
    """ "dot_general", "dot_general, sort and others": the most frequent operations first."""
    found = [op for op, _ in Counter(value.op for value in values).most_common()]
    return ", ".join(found[:_MOST_KINDS]) + (" and others" if len(found) > _MOST_KINDS else "")


def _is_step(value: Value, values: FusionView) -> bool:
    return values.is_opaque(value) and value.index == 0


def schedule_groups(c: Compilation, work: Work) -> None:
    """The plan: launches in order with their schedules, and the memory plan."""
    assert work.fused is not None and work.alone is not None and c.source is not None
    with c.stage("schedule", "schedule", work) as draft:
        with in_plan(c.overrides, work.alone, work.fused):
            plan = build_plan(
                work.fused,
                work.backend.choose,
                replaced=c.source.replaced,
                left=left(work.decided),
            )
        plan = work.plan = replace(plan, flushes_denormals=c.program.framework == "jax")
        loops, nodes = listing(plan.launches)
        draft.artifacts = [report.Artifact("loops", "loops", "fuselab", loops, nodes)]
        temporaries = f"{size(plan.arena_bytes)} of temporaries"
        launches = sum(step.launches for step in plan.steps)
        draft.summary = (
            f"{counted(launches, 'launch')}, {temporaries}"
            f"{_in_place(plan, c.source.copied)}{_costed(work.backend)}"
        )
    name, ids, called = work.backend.name, c.regions(work), Names(work.alone).called
    last = {launch: called(value) for launch, value in results(plan, work.fused).items()}
    c.emit_facts(
        backend=name,
        kernels=report_building.kernels(work.fused, plan, name, c.line_of, ids, last),
        fusion_refusals=report_building.refusals(work.fused, plan, name, ids),
        buffers=report_building.buffers(plan, name, ids),
    )
    if runs(c, work):
        root = c.root or c
        root.emit_facts(summary=summary(root))


def emit(c: Compilation, work: Work) -> None:
    """Code generation: the plan in the backend's language."""
    assert work.plan is not None
    with c.stage(work.backend.language, "codegen", work) as draft:
        work.emitted = work.backend.emit(work.plan)
        draft.artifacts = [
            _artifact(t.kernel or t.kind, t.kind, t.source, t.kernel) for t in work.emitted.texts
        ]
        draft.summary = f"{_launches(work.plan)} for {work.backend.target}"


def build(c: Compilation, work: Work) -> None:
    """The whole program, compiled and loaded on this machine."""
    assert work.emitted is not None
    with c.stage("build", "codegen", work) as draft:
        built = c.executable = work.backend.build(work.emitted)
        draft.summary = "; ".join(
            filter(None, (f"{_launches(work.emitted.plan)} bound", built.note))
        )


def _launches(plan: Plan) -> str:
    """How many entries it has, those within loops and branches included."""
    return counted(sum(1 for _ in plan.walk()), "launch")


def compiles(c: Compilation, work: Work) -> bool:
    """Whether the backend can show machine code of single launches."""
    return work.backend.compiles_launches


def compile_launches(c: Compilation, work: Work) -> None:
    """The machine code of every launch. The target machine need not be present. A launch that is
    refused fails the stage with its sentence, and takes no other's machine code away. What is not
    compiled in time is left out."""
    assert work.emitted is not None
    name = f"compile {work.backend.target}"
    root = c.root or c
    part = root.compiling = root.compiling or root.share(COMPILING_S)
    with c.stage(name, "compile", work) as draft:
        compiled, refused, left = _compiled(c, work, name, part.clock)
        draft.artifacts += [
            _artifact(f"{each.name}.{kind}", kind, text, each.name)
            for each in compiled
            for kind, text in each.texts.items()
        ]
        done = f"{counted(len(compiled), 'kernel')} compiled for {work.backend.target}"
        draft.summary = done + _left_out(left, part)
        if refused:
            draft.status, draft.summary = "failed", "; ".join(x.sentence for x in refused)
    if refused:
        c.fail(refused[0].failure(name), work)
    work.machine_code = tuple(compiled)
    c.emit_facts(
        backend=work.backend.name,
        resources=report_building.resources(
            compiled, work.emitted.plan, work.backend, c.regions(work)
        ),
    )


def _compiled(
    c: Compilation, work: Work, name: str, clock: Clock
) -> tuple[list[MachineCode], list[ToolchainError], int]:
    """The launches that were compiled, why others were refused, and how many were left when
    the time was over."""
    compiled, refused, left = list[MachineCode](), list[ToolchainError](), 0
    assert work.emitted is not None
    for compile_launch in work.backend.compile_launches(work.emitted):
        if clock.left < 0:
            left += 1
            continue
        with ending_within(clock.left):
            each = compile_launch()
        if isinstance(each, ToolchainError) and clock.left <= 0:
            left += 1
        elif isinstance(each, ToolchainError):
            refused.append(each)
        else:
            c.emit_began(name, each.name)
            compiled.append(each)
    return compiled, refused, left


def disassemble(c: Compilation, work: Work) -> None:
    """The machine code as text. It is the last stage, since disassembling takes longer than
    compiling."""
    assert work.machine_code is not None
    part, left = c.share(DISASSEMBLING_S), 0
    with c.stage("disassemble", "compile", work) as draft:
        for begin in range(0, len(work.machine_code), _TOGETHER):
            few = work.machine_code[begin : begin + _TOGETHER]
            # In a run's last seconds none is begun, which would be stopped before it ends.
            if part.clock.left < 0 or not part.is_all:
                left += len(few)
                continue
            texts = _disassembled(work, few, part.clock)
            left += 0 if texts else len(few)
            for each, found in zip(few, texts, strict=False):
                if found is not None:
                    kind, text = found
                    draft.artifacts.append(_artifact(f"{each.name}.{kind}", kind, text, each.name))
        draft.summary = counted(len(draft.artifacts), "kernel") + _left_out(left, part)


def _disassembled(
    work: Work, few: Sequence[MachineCode], clock: Clock
) -> Sequence[tuple[str, Source] | None]:
    """The machine code of each as text; nothing if that took too long. Raises ToolchainError."""
    try:
        with ending_within(clock.left):
            return work.backend.disassembled(few)
    except ToolchainError:
        if clock.left > 0:
            raise
        return ()


def _in_place(plan: Plan, copied: Sequence[str]) -> str:
    """Where the new values of inputs are written; `copied`: those that the framework copies."""
    computed = {b.name for x in plan.launches for b in x.step.outputs if x.step.ops != (COPY,)}
    over = sum(name in computed for name in plan.over)
    parts = [f"{counted(over, 'input')} written over in place"] if over else []
    if len(plan.over) > over:
        parts.append(f"{counted(len(plan.over) - over, 'new value')} copied over its input")
    if copied:
        parts.append(f"PyTorch copies to {', '.join(copied)}, which is not dense")
    return "".join(f"; {part}" for part in parts)


def _costed(backend: Backend) -> str:
    """By which machine's figures, where they are not this one's."""
    assumed = backend.model.assumed
    return f"; costs are those of {assumed}: nothing was measured of this processor" * bool(assumed)


def _left_out(kernels: int, part: Share) -> str:
    return f"; {kernels} left out: {part.why}" if kernels else ""


def _artifact(name: str, kind: str, source: Source, kernel: str | None) -> report.Artifact:
    nodes = [list(origins) for origins in source.nodes]
    return report.Artifact(name, kind, source.language, source.text, nodes, kernel)
