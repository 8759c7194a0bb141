"""Plans, fusion results and machine code as the report's types."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from msgspec import structs

from compiler_core import report
from compiler_core.analysis.eager_memory import live_bytes
from compiler_core.backends.backend import Backend, MachineCode
from compiler_core.capture.captured import Captured
from compiler_core.fuse.group import Fused, Refusal
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.origins import captured
from compiler_core.ir.substitute import at_hint
from compiler_core.pipeline.computed import computed, named
from compiler_core.pipeline.regions import region_graphs
from compiler_core.plan.apart import Edges
from compiler_core.plan.equal import first_of_each
from compiler_core.plan.plan import Launch, Plan
from compiler_core.snippet.program import FoundProgram, tensors

LineOf = Mapping[int, int | None]
# The report's id of a graph and of each region in it.
Ids = Mapping[Region, str]
# By the name of a launch, the name in overrides of the last value that it writes.
Results = Mapping[str, str]
EMPTY: Results = MappingProxyType({})
# As compiler_core/kernel/refusal.py names a value.
_NAMED = re.compile(r"%(\d+) \(")


def kernels(
    fused: Fused, plan: Plan, backend: str, line_of: LineOf, ids: Ids, results: Results = EMPTY
) -> list[report.Kernel]:
    """One kernel of the report for each launch, in order; those of a loop or branch follow it."""
    together: dict[int, list[str]] = {}
    for launch in plan.walk():
        # Launches of one choice share its candidates.
        together.setdefault(id(launch.candidates), []).append(launch.step.name)
    first = first_of_each(plan.walk())
    values = computed(plan, fused)
    found = (
        _kernel(launch, backend, line_of, graph, together[id(launch.candidates)], first)
        for launch, graph in _launches(plan, ids)
    )
    return [
        structs.replace(
            kernel,
            values=list(values.get(kernel.id, ())),
            result=results.get(kernel.id, ""),
        )
        for kernel in found
    ]


def _launches(plan: Plan, ids: Ids) -> Iterator[tuple[Launch, str]]:
    """As Plan.walk, each with the id of the graph or region that it is launched in."""
    for launch in plan.launches:
        yield launch, _graph(plan.region, ids)
        for inner in launch.step.plans:
            yield from _launches(inner, ids)


def _graph(region: Region | None, ids: Ids) -> str:
    return report.WHOLE if region is None else ids.get(region, report.WHOLE)


def _kernel(
    launch: Launch, backend: str, line_of: LineOf, graph: str, together: list[str],
    first: Mapping[str, str],
) -> report.Kernel:  # fmt: skip
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
        nodes=list(captured(step.origins)),
        flops=step.flops(),
        reason="" if step.library is None else schedule.reason,
        graph=graph,
        backend=backend,
        schedule=report.Schedule(schedule.strategy, dict(schedule.parameters), schedule.reason),
        candidates=[
            report.ScheduleCandidate(
                x.strategy,
                dict(x.parameters),
                x.cost_us,
                x.chosen,
                x.reason,
                name,
                {free: list(values) for free, values in x.free.items()},
                x.of,
            )
            for name, x in launch.named
        ],
        chosen_with=together if launch.candidates and len(together) > 1 else [],
        same_as=first[step.name] if first[step.name] != step.name else "",
    )


def snippet_lines(origins: Iterable[int], line_of: LineOf) -> list[int]:
    """The snippet's lines of captured operations: sorted, without duplicates."""
    return sorted({line for o in origins if (line := line_of.get(o)) is not None})


def refusals(fused: Fused, plan: Plan, backend: str, ids: Ids) -> list[report.FusionRefusal]:
    """The reason for each edge between two launches, and for steps that a template nearly
    joined."""
    owner = {b.name: x.step.name for x in plan.walk() for b in x.step.outputs}
    edges = {each.region: Edges(each) for each in _plans(plan)}
    return [
        structs.replace(
            _refusal(_planned(r, each, edges.get(each.values.region)), each, owner),
            graph=_graph(each.values.region, ids),
            backend=backend,
        )
        for each in fused.walk()
        for r in each.refusals
        if not _was_joined(r, each, owner)
    ] + [structs.replace(x, backend=backend) for x in _declined(plan, ids)]


def _plans(plan: Plan) -> Iterator[Plan]:
    """The plan, and those within."""
    yield plan
    for launch in plan.launches:
        for inner in launch.step.plans:
            yield from _plans(inner)


def _planned(refusal: Refusal, fused: Fused, edges: Edges | None) -> Refusal:
    """The refusal with the reason that the plan has for it, where it decided."""
    if edges is None or not refusal.left_to_plan:
        return refusal
    decided = edges.decided(fused.names[refusal.producer], _writes(refusal.consumer, fused))
    return replace(refusal, reason=decided) if decided else refusal


def _writes(value: Value, fused: Fused) -> set[str]:
    """The buffers that the step of a value writes."""
    group = next((g for g in fused.groups if value in g.members), None)
    return {fused.names[v] for v in (group.outputs if group else value.operation.results)}


def _declined(plan: Plan, ids: Ids) -> Iterator[report.FusionRefusal]:
    """Also of the plans within."""
    for each in plan.declined:
        nodes = sorted({*captured(each.first.origins), *captured(each.last.origins)})
        yield report.FusionRefusal(
            each.first.name, each.last.name, str(each.reason), nodes, _graph(plan.region, ids),
            kind=each.reason.kind,
        )  # fmt: skip
    for launch in plan.launches:
        for inner in launch.step.plans:
            yield from _declined(inner, ids)


def _was_joined(refusal: Refusal, fused: Fused, owner: Mapping[str, str]) -> bool:
    """Whether the plan made one launch of the two after all: nothing writes what is between."""
    return fused.names[refusal.producer] not in owner


def _refusal(refusal: Refusal, fused: Fused, owner: Mapping[str, str]) -> report.FusionRefusal:
    ids = named(fused.values)

    def name(node: Value) -> str:
        return owner.get(fused.names.get(node, ""), "")

    producer = f"{refusal.producer} {refusal.producer.op}"
    consumer = f"{refusal.consumer} {refusal.consumer.op}"
    return report.FusionRefusal(
        f"{producer} ({name(refusal.producer)})" if name(refusal.producer) else producer,
        f"{consumer} ({name(refusal.consumer)})" if name(refusal.consumer) else consumer,
        str(refusal.reason),
        sorted({*captured(refusal.producer.origins), *captured(refusal.consumer.origins)}),
        from_value=ids.get(refusal.producer.id),
        to_value=ids.get(refusal.consumer.id),
        named=_named(refusal.reason, fused),
        kind=refusal.reason.kind,
    )


def _named(reason: str, fused: Fused) -> dict[str, list[int]]:
    """The captured operations of each value that a reason names, by its number."""
    origins = {str(value.id): value.origins for value in fused.values.graph.values}
    return {
        number: [*captured(origins[number])]
        for number in _NAMED.findall(reason)
        if number in origins
    }


def buffers(plan: Plan, backend: str, ids: Ids) -> list[report.Buffer]:
    """The memory plan. Buffers of a region lie in the scratch memory of the step that runs it."""
    own = [
        report.Buffer(
            p.name, str(p.type), p.type.at_hint().bytes, p.offset, p.first, p.last,
            list(captured(p.origins)),
            _graph(plan.region, ids), backend, over=plan.over.get(p.name, ""),
        )
        for p in plan.placements
    ]  # fmt: skip
    inner = (each for launch in plan.launches for each in launch.step.plans)
    return own + [buffer for each in inner for buffer in buffers(each, backend, ids)]


def resources(
    compiled: Iterable[MachineCode], plan: Plan, backend: Backend, ids: Ids
) -> list[report.Resources]:
    """Registers, spills, shared memory and the roofline bound of each compiled launch, and of those
    that are equal to it."""
    steps = {x.step.name: (x.step, graph) for x, graph in _launches(plan, ids)}
    equal: dict[str, list[str]] = {}
    for name, first in first_of_each(plan.walk()).items():
        equal.setdefault(first, []).append(name)
    return [
        report.Resources(
            kernel=name,
            target=backend.target,
            registers=x.registers,
            spills=x.spills,
            shared_bytes=x.shared_bytes,
            num_warps=x.num_warps,
            estimate_us=backend.floor_us(steps[name][0]),
            graph=steps[name][1],
            backend=backend.name,
        )
        for x in compiled
        for name in equal[x.name]
    ]


def graphs(program: FoundProgram, captured: Captured) -> list[report.Graph]:
    """The program, then its graphs, each followed by its regions."""
    root = report.Graph(name=program.name, line=program.line)
    line_of = {n.id: n.line for n in captured.nodes}
    if captured.session is None:
        whole = at_hint(captured.whole.graph)
        given = len(tensors(program.framework, program.args, program.kwargs))
        root = structs.replace(
            root,
            held_eager=live_bytes(whole),
            given_bytes=sum(x.type.bytes for x in whole.inputs[:given]),
            weight_bytes=sum(x.type.bytes for x in whole.inputs[given:]),
        )
        return [root, *region_graphs(captured.whole.graph, root.id, line_of)]
    found = [root]
    for g in captured.graphs:
        eager = live_bytes(at_hint(g.graph))
        found.append(report.Graph(g.id, g.name, g.role, g.line, root.id, list(g.saved), eager))
        found += region_graphs(g.graph, g.id, line_of)
    return found
