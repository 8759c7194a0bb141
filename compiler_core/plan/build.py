"""From fused groups and opaque operations to a Plan: ordered steps, named buffers, the memory
plan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from compiler_core.errors import LoweringError
from compiler_core.fuse.group import Fused, Group, Unit
from compiler_core.ir import eval_torch
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.library import Callee
from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import Undecided, symbols
from compiler_core.ir.types import TensorType
from compiler_core.kernel.fusion_view import FusionView, in_order, materialize
from compiler_core.kernel.kernel import BufferParam, Const
from compiler_core.plan import control, convolution, fused_convolution, in_place
from compiler_core.plan.attention import join as attention_join
from compiler_core.plan.beside import Left, by_base, left_of, with_left
from compiler_core.plan.choose import Chooser
from compiler_core.plan.destinations import own_destinations
from compiler_core.plan.fused_matmul import join
from compiler_core.plan.memory import place
from compiler_core.plan.order import ordered
from compiler_core.plan.plan import Choice, Launch, Plan
from compiler_core.plan.side import moments
from compiler_core.plan.sort import is_place, sort_step
from compiler_core.plan.steps import KernelStep, LibraryCall, Matmul, Step, may_raise
from compiler_core.schedule import matmul
from compiler_core.schedule.choice import Candidate


def values_of(graph: Region) -> FusionView:
    """The values of a graph and of its regions, by their role in fusion. Views are materialized
    that a library call, a region or the caller needs as dense memory, and what a scatter will
    modify."""
    region, (graph, copies) = graph, own_destinations(graph)

    def readable(values: FusionView, consumer: Value, operand: Value) -> bool:
        base, reads = values.base(operand), _READS_IN_PLACE.get(consumer.op)
        if values.is_literal(base):
            return is_place(consumer.operation, operand)
        if reads is not None:
            sides = (i for i, x in enumerate(consumer.operands) if x is operand)
            return all(reads(consumer, side, base) is not None for side in sides)
        return base is in_order(operand)

    regions = (region for operation in graph.operations for region in operation.regions)
    found = materialize(graph, readable, {region: values_of(region) for region in regions})
    return replace(found, materialized=found.materialized | copies, rewritten=region)


def build_plan(
    fused: Fused,
    choose: Chooser,
    name: str = "",
    replaced: Iterable[tuple[int, int]] = (),
    left: Left = MappingProxyType({}),
) -> Plan:
    """The plan of the fused groups and of the operations that have no kernel, in dependence order.
    In regions, names of steps begin with the `name` of the region's plan: k2_body_k0_tanh.
    `replaced`: outputs of the graph that are new values of its inputs, by their positions.
    `left`: candidates for values that the graph was decided against before, by the values' ids."""
    values, names = fused.values, fused.names
    graph, prefix = values.graph, f"{name}_k" if name else "k"
    units = list(ordered(fused))
    steps = [_step(fused, choose, unit, f"{prefix}{i}", left) for i, unit in enumerate(units)]
    against = by_base(values, left) if left else {}
    draft = Draft(
        name or graph.name,
        {names[n]: n.type for n in graph.inputs},
        tuple(names[_stored(values, n)] for n in graph.outputs),
        tuple(n.type for n in graph.outputs),
        {names[n]: n.origins for n in graph.values},
        {output: names[graph.inputs[given]] for output, given in replaced},
        {step.name: left_of(u, against) for u, step in zip(units, steps, strict=True)},
    )
    plan = replace(planned(draft, steps, choose), region=values.region)
    # A region knows the sizes of all around it.
    return plan if name else _with_known_sizes(plan)


def _with_known_sizes(plan: Plan) -> Plan:
    """`plan`. Raises Undecided for a symbol that no input's shape gives."""
    given = {s for t in plan.buffers.values() for dim in t.shape for s in symbols(dim)}
    unknown = given.union(*(x.symbols for x in plan.steps)) - set(plan.symbols)
    if unknown:
        raise Undecided(f"no input says what {', '.join(map(str, sorted(unknown)))} is")
    return plan


@dataclass(frozen=True)
class Draft:
    """A plan without its steps: its name, its inputs, and its outputs by buffer name. `replaced`
    maps the position of each output that is the new value of an input to that input."""

    name: str
    inputs: Mapping[str, TensorType]
    outputs: tuple[str, ...]
    output_types: tuple[TensorType, ...]
    origins: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    replaced: Mapping[int, str] = field(default_factory=dict)
    # What steps were decided against before there were any, by their names.
    left: Mapping[str, tuple[Candidate, ...]] = field(default_factory=dict)


def planned(draft: Draft, steps: Iterable[Step], choose: Chooser) -> Plan:
    """The plan of `steps` in order, each as the launches that `choose` returns for it; all buffers
    that they write, scratch included, are placed in memory."""
    drafted = tuple(steps)
    steps, declined = attention_join.join(drafted, draft.outputs)
    steps = tuple(join(steps, draft.outputs, choose.fits) if choose.fits else steps)
    steps = fused_convolution.join(steps, draft.outputs)
    steps, outputs, over = in_place.settled(steps, draft.inputs, draft.outputs, draft.replaced)
    choices = tuple(Choice(step, with_left(choose(step), step, draft.left)) for step in steps)
    every = [launch for choice in choices for launch in choice.launches]
    launches = choose.arranged(_needed(every, outputs), over)
    unread = {x.step.name for x in every} - {x.step.name for x in launches}
    steps = [step for step in steps if step.name not in unread]
    launched = [launch.step for launch in launches]
    written = {b.name: (b.type, s.origins) for s in (*steps, *launched) for b in _writes(s)}
    buffers = {**draft.inputs, **{name: type_ for name, (type_, _) in written.items()}}
    origins = {name: by for name, (_, by) in written.items()} | dict(draft.origins)
    placements, arena = place(
        launched, buffers, list(draft.inputs), outputs, origins, moments(launches)
    )
    return Plan(
        draft.name, launches, buffers, tuple(draft.inputs), outputs, draft.output_types,
        placements, arena, {name: origins.get(name, ()) for name in buffers}, tuple(declined),
        drafted, choices, over=over,
    )  # fmt: skip


def _needed(launches: Sequence[Launch], outputs: Iterable[str]) -> tuple[Launch, ...]:
    """Drops launches whose results are not read: a template may recompute them itself."""
    read, kept = set(outputs), list[Launch]()
    for launch in reversed(launches):
        step = launch.step
        if may_raise(step) or any(b.name in read for b in step.outputs):
            kept.append(launch)
            read |= {b.name for b in step.inputs}
    return tuple(reversed(kept))


def _writes(step: Step) -> tuple[BufferParam, ...]:
    return (*step.outputs, *step.scratch)


def _stored(values: FusionView, output: Value) -> Value:
    """The value in memory that has the output's elements in the same order."""
    stored = values.base(output)
    if stored.type.elements != output.type.elements:
        raise LoweringError(f"output {output!r} shows {stored!r}, which has other elements")
    return stored


# -- steps


def _step(fused: Fused, choose: Chooser, unit: Unit, number: str, left: Left) -> Step:
    if isinstance(unit, Group):
        return KernelStep(replace(unit.kernel, name=f"{number}_{_title(unit)}"))
    if unit.operation.regions:
        return _control(fused, choose, unit, number, left)
    return STEPS.get(unit.op, _framework)(fused.values, fused.names, unit, number)


def _title(group: Group) -> str:
    """Up to three characteristic operations, in order of appearance: k0_add_erf_multiply."""
    seen = dict.fromkeys(n.op for n in sorted(group.members, key=lambda n: n.id))
    telling = [op for op in seen if OPS[op].telling] or list(seen)
    if all(isinstance(d, Const) for d in group.kernel.defs):
        return "fill"
    if "reduce" in telling and len(telling) > 3:
        telling = ["reduce", *(op for op in telling if op != "reduce")]
    return "_".join(telling[:3])


def _matmul(values: FusionView, names: Mapping[Value, str], dot: Value, number: str) -> Step:
    size = matmul.sizes(dot)
    sides = []
    for side, operand in enumerate(dot.operands):
        base = values.base(operand)
        found = matmul.layout(dot, side, base)
        if found is None:
            raise LoweringError(f"operand {operand!r} of {dot!r} is no dense block")
        sides.append((BufferParam(names[base], base.type, "in"), found))
    (lhs, left), (rhs, right) = sides
    return Matmul(
        name=f"{number}_matmul", dtype=dot.type.dtype,
        batch=size.batch, m=size.m, n=size.n, k=size.k,
        lhs=lhs, rhs=rhs, out=BufferParam(names[dot], dot.type, "out"),
        transpose_lhs=left.transposed, transpose_rhs=not right.transposed,
        lhs_batched=left.batched, rhs_batched=right.batched,
        origins=dot.origins,
    )  # fmt: skip


def _library(values: FusionView, names: Mapping[Value, str], call: Value, number: str) -> Step:
    return LibraryCall(
        name=f"{number}_library",
        callee=call["callee"],
        inputs=tuple(BufferParam(names[values.base(x)], x.type, "in") for x in call.operands),
        outputs=tuple(BufferParam(names[x], x.type, "out") for x in call.operation.results),
        origins=call.origins,
    )


def _control(fused: Fused, choose: Chooser, value: Value, number: str, left: Left) -> Step:
    """A control flow step, with a plan for each region of the operation."""
    operation, names = value.operation, fused.names
    plans = tuple(
        build_plan(fused.regions[r], choose.inside(), f"{number}_{r.name}", left=left)
        for r in operation.regions
    )
    is_loop = OPS[operation.op].regions == "loop"
    passed = control.transfers(plans[-1], operation["carried"]) if is_loop else ()
    operands = ((fused.values.base(x), x) for x in operation.operands)
    return control.Control(
        name=f"{number}_{operation.op}", operation=operation, plans=plans,
        inputs=tuple(BufferParam(names[base], x.type, "in") for base, x in operands),
        outputs=tuple(BufferParam(names[x], x.type, "out") for x in operation.results),
        transfers=passed,
    )  # fmt: skip


def _framework(values: FusionView, names: Mapping[Value, str], node: Value, number: str) -> Step:
    """An operation without a kernel, run as torch calls of the same meaning."""
    operation = node.operation
    if any(t.is_symbolic for t in (*operation.types, *(x.type for x in operation.operands))):
        raise Undecided(f"{operation.op} has no kernel yet, and torch's is made for numbers")
    callee = Callee(
        f"torch:{operation.op}", "torch", f"{operation.op} has no kernel yet: torch runs it",
        eval_torch.callable_of(operation),
    )  # fmt: skip
    return LibraryCall(
        f"{number}_{operation.op}",
        callee,
        tuple(BufferParam(names[values.base(x)], x.type, "in") for x in operation.operands),
        tuple(BufferParam(names[x], x.type, "out") for x in operation.results),
        operation.origins,
    )


def _convolution(values: FusionView, names: Mapping[Value, str], conv: Value, number: str) -> Step:
    sides = []
    for side, x in enumerate(conv.operands):
        base = values.base(x)
        found = convolution.operand(conv, side, base)
        if found is None:
            raise LoweringError(f"operand {x!r} of {conv!r} is not read in steps")
        sides.append(found.named(names[base]))
    out = BufferParam(names[conv], conv.type, "out")
    lhs, rhs = sides
    return convolution.step_of(conv, lhs, rhs, out, f"{number}_convolution")


# The layout of an operation's operand in the memory of its base, by side; None if only a copy can
# be read.
_READS_IN_PLACE: dict[str, Callable[[Value, int, Value], object | None]] = {
    "dot_general": matmul.layout,
    "convolution": convolution.operand,
}
STEPS: dict[str, Callable[..., Step]] = {
    "dot_general": _matmul,
    "convolution": _convolution,
    "library_call": _library,
    "sort": sort_step,
    "top_k": sort_step,
}
