"""Plans, groups and refusals in the report's words."""

from collections.abc import Iterable, Mapping

from compiler_core import report
from compiler_core.backends.backend import Backend, MachineCode
from compiler_core.capture.captured import Captured
from compiler_core.fuse.groups import Fused, Refusal
from compiler_core.ir.graph import Value
from compiler_core.plan.plan import Launch, Plan
from compiler_core.snippet.program import FoundProgram

LineOf = Mapping[int, int | None]


def kernels(plan: Plan, backend: str, line_of: LineOf) -> list[report.Kernel]:
    """One entry a launch, in order; what a loop or a branch launches follows it."""
    return [_kernel(launch, backend, line_of) for launch in plan.walk()]


def _kernel(launch: Launch, backend: str, line_of: LineOf) -> report.Kernel:
    step, schedule = launch.step, launch.schedule
    reads, writes = step.traffic()
    return report.Kernel(
        id=step.name,
        kind=step.kind,
        library=step.library,
        ops=list(step.ops),
        bytes_read=reads,
        bytes_written=writes,
        lines=snippet_lines(step.origins, line_of),
        nodes=list(step.origins),
        flops=step.flops(),
        reason=step.reason,
        backend=backend,
        schedule=report.Schedule(schedule.strategy, dict(schedule.parameters), schedule.reason),
        candidates=[
            report.ScheduleCandidate(x.strategy, dict(x.parameters), x.cost_us, x.chosen, x.reason)
            for x in launch.candidates
        ],
    )


def snippet_lines(origins: Iterable[int], line_of: LineOf) -> list[int]:
    """The snippet's lines that captured operations come from, each once, in order."""
    return sorted({line for o in origins if (line := line_of.get(o)) is not None})


def refusals(fused: Fused, plan: Plan, backend: str) -> list[report.FusionRefusal]:
    """Each edge between two launches, by the launches' names where they have one."""
    owner = {b.name: x.step.name for x in plan.walk() for b in x.step.outputs}
    return [
        _refusal(r, each, owner, backend)
        for each in fused.walk()
        for r in each.refusals
        if not _was_joined(r, each, owner)
    ]


def _was_joined(refusal: Refusal, fused: Fused, owner: Mapping[str, str]) -> bool:
    """Whether the plan made one launch of the two after all: nothing writes what is between."""
    return fused.values.is_opaque(refusal.producer) and fused.names[refusal.producer] not in owner


def _refusal(
    refusal: Refusal, fused: Fused, owner: Mapping[str, str], backend: str
) -> report.FusionRefusal:
    def name(node: Value) -> str:
        return owner.get(fused.names.get(node, ""), "")

    producer = f"{refusal.producer} {refusal.producer.op}"
    consumer = f"{refusal.consumer} {refusal.consumer.op}"
    return report.FusionRefusal(
        f"{producer} ({name(refusal.producer)})" if name(refusal.producer) else producer,
        f"{consumer} ({name(refusal.consumer)})" if name(refusal.consumer) else consumer,
        refusal.reason,
        sorted({*refusal.producer.origins, *refusal.consumer.origins}),
        backend=backend,
    )


def buffers(plan: Plan, backend: str) -> list[report.Buffer]:
    """The memory plan."""
    return [
        report.Buffer(
            p.name, str(p.type), p.type.bytes, p.offset, p.first, p.last, list(p.origins),
            backend=backend,
        )
        for p in plan.placements
    ]  # fmt: skip


def resources(
    compiled: Iterable[MachineCode], plan: Plan, backend: Backend
) -> list[report.Resources]:
    """One entry a launch that was compiled."""
    steps = {x.step.name: x.step for x in plan.walk()}
    return [
        report.Resources(
            kernel=x.name,
            target=backend.target,
            registers=x.registers,
            spills=x.spills,
            shared_bytes=x.shared_bytes,
            num_warps=x.num_warps,
            estimate_us=backend.floor_us(steps[x.name]),
            backend=backend.name,
        )
        for x in compiled
    ]


def graphs(program: FoundProgram, captured: Captured) -> list[report.Graph]:
    """The program itself, then its graphs."""
    root = report.Graph(name=program.name, line=program.line)
    return [root] + [
        report.Graph(g.id, g.name, g.role, g.line, root.id, list(g.saved)) for g in captured.graphs
    ]
