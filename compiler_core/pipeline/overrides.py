"""A person's choices in the compiler's stead: what the options override, as steering."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from compiler_core import report
from compiler_core.fuse.alone import Alone
from compiler_core.fuse.group import Fused
from compiler_core.ir.graph import Value
from compiler_core.pipeline.naming import Names
from compiler_core.plan.plan import Launch
from compiler_core.plan.within import written
from compiler_core.schedule.choice import (
    Candidate,
    Option,
    Scope,
    Variable,
    as_asked,
    candidate_names,
)
from compiler_core.steering import Steering, steered

FORBIDDEN = "forbidden by what the run was asked to override"


@dataclass(frozen=True)
class Edge:
    """Two sets of values: one of each may not, or is to, share a kernel with the other."""

    override: report.ForbiddenEdge | report.ForcedEdge
    sources: frozenset[Value]
    targets: frozenset[Value]

    def is_within(self, members: frozenset[Value]) -> bool:
        """Whether `members` has values of both sets."""
        return not (self.sources.isdisjoint(members) or self.targets.isdisjoint(members))

    def pairs(self, names: Names) -> list[tuple[Value, Value]]:
        """The pairs (source, target) of which the target reads the source; the only pair if each
        set has one value."""
        if len(self.sources) == len(self.targets) == 1:
            return [(s, t) for s in self.sources for t in self.targets]
        read = ((s, t) for t in self.targets for s in names.reads(t) if s in self.sources)
        return sorted(read, key=lambda pair: (pair[0].id, pair[1].id))


def edges(names: Names, wanted: Sequence[report.Override]) -> Iterator[Edge]:
    """The forbidden and forced edges among `wanted` whose values are in this graph."""
    for each in wanted:
        if isinstance(each, report.ForbiddenEdge | report.ForcedEdge):
            sources, targets = names.computed(each.from_), names.computed(each.to)
            if sources - targets and targets - sources:
                yield Edge(each, sources - targets, targets - sources)


@dataclass(frozen=True)
class Wanted:
    """A schedule that is wanted for the kernel with its name, or for the one that writes one of
    `buffers`."""

    override: report.WantedSchedule
    buffers: frozenset[str]

    def is_of(self, of: Scope) -> bool:
        """Whether a choice is made for that kernel."""
        return self.override.kernel in of.names or not self.buffers.isdisjoint(of.writes)


@dataclass(frozen=True)
class Overrides(Steering):
    """The overrides of a program, or of one of its graphs, as far as they are known at the time:
    `off` are the passes that are not run, `units` the buffers that each operation's kernel writes
    after fusion."""

    off: frozenset[str] = frozenset()
    forbidden: tuple[Edge, ...] = ()
    wanted_pairs: tuple[tuple[Value, Value], ...] = ()
    units: Mapping[Value, frozenset[str]] = field(default_factory=dict)
    forbidden_pairs: tuple[tuple[Value, Value], ...] = ()
    schedules: tuple[Wanted, ...] = ()

    def runs(self, name: str) -> bool:
        return name not in self.off

    def forbids(self, members: frozenset[Value]) -> str:
        return FORBIDDEN if any(edge.is_within(members) for edge in self.forbidden) else ""

    def forced(self) -> Sequence[tuple[Value, Value]]:
        return self.wanted_pairs

    def picks(self, of: Scope | None, options: Sequence[Option[Any]]) -> Option[Any] | None:
        able = [option for option in options if option.is_possible]
        allowed = self._allowed(able)
        for each in self.schedules if of else ():
            if of and each.is_of(of) and (found := chosen(each.override, options, allowed)):
                return found
        if len(allowed) == len(able):
            return None
        return min(allowed, key=lambda option: option.candidate.cost_us or 0.0)

    def _allowed(self, able: Sequence[Option[Any]]) -> list[Option[Any]]:
        """Without those that join what is to stay apart, and where there are such, only those that
        join what is to be one."""
        rest = [o for o in able if not any(self.joins(o, *pair) for pair in self.forbidden_pairs)]
        rest = rest or list(able)
        for pair in self.wanted_pairs:
            rest = [o for o in rest if self.joins(o, *pair)] or rest
        return rest

    def joins(self, option: Option[Any], source: Value, target: Value) -> bool:
        """Whether one launch of the option computes the kernels of both values, if these are
        different kernels."""
        mine, other = (self.units.get(v, frozenset()) for v in (source, target))
        return mine != other and any(
            not (mine.isdisjoint(buffers) or other.isdisjoint(buffers))
            for buffers in map(written, _steps(option.result))
        )


def _steps(result: Any) -> Iterator[Any]:
    launches = result if isinstance(result, tuple) else (result,)
    return (each.step for each in launches if isinstance(each, Launch))


def chosen(
    wanted: report.WantedSchedule, options: Sequence[Option[Any]], allowed: Sequence[Option[Any]]
) -> Option[Any] | None:
    """The option that `wanted` names, with its parameters; None if there is none or it is not
    possible."""
    names = candidate_names(option.candidate for option in options)
    named = (o for o, name in zip(options, names, strict=True) if name == wanted.candidate)
    option = next(named, None)
    if option is None or not any(option is each for each in allowed):
        return None
    if not wanted.parameters:
        return option
    candidate = option.candidate
    if any(v not in candidate.free.get(n, ()) for n, v in wanted.parameters.items()):
        return None
    reason = f"{as_asked(wanted.parameters)}; what that costs the model does not know"
    result, parameters = _with(option.result, wanted.parameters)
    return Option(
        Candidate(
            candidate.strategy, reason, candidate.cost_us, {**parameters, **wanted.parameters},
            free=candidate.free,
        ),
        result,
    )  # fmt: skip


def _with(result: Any, values: Mapping[str, int | str]) -> tuple[Any, Mapping[str, int | str]]:
    """What can be varied is the schedule of one kernel, as it is or as the only part of several."""
    in_parts = isinstance(result, tuple)
    schedule: Variable = result[0] if in_parts else result
    varied = schedule.varied(values)
    return (varied,) if in_parts else varied, varied.parameters


# -- at each stage


def in_passes(wanted: Sequence[report.Override], backend: str = "") -> AbstractContextManager[None]:
    """Context for running passes, all or those for the plan of a `backend`, without those that
    `wanted` switches off; products whose schedule it names are computed as it says."""
    off = frozenset(each.name for each in wanted if isinstance(each, report.WithoutPass))
    schedules = tuple(
        Wanted(each, frozenset())
        for each in wanted
        if isinstance(each, report.WantedSchedule) and each.backend in ("", backend)
    )
    return steered(Overrides(off, schedules=schedules)) if off or schedules else nullcontext()


def in_fusion(wanted: Sequence[report.Override], alone: Alone) -> AbstractContextManager[None]:
    """Context for fusing a graph, with the pairs forbidden or forced that `wanted` names."""
    return steered(_fusing(wanted, Names(alone))) if wanted else nullcontext()


def in_plan(
    wanted: Sequence[report.Override], alone: Alone, fused: Fused
) -> AbstractContextManager[None]:
    """Context for choosing launches, with the schedules picked that `wanted` names, and fusions by
    templates forbidden or forced."""
    if not wanted:
        return nullcontext()
    names = Names(alone)
    before, units = _fusing(wanted, names), units_of(fused)
    schedules = tuple(
        Wanted(each, frozenset(b for v in names.computed(each.kernel) for b in units.get(v, ())))
        for each in wanted
        if isinstance(each, report.WantedSchedule)
    )
    apart = tuple(pair for edge in before.forbidden for pair in edge.pairs(names))
    return steered(replace(before, units=units, schedules=schedules, forbidden_pairs=apart))


def _fusing(wanted: Sequence[report.Override], names: Names) -> Overrides:
    found = list(edges(names, wanted))
    forbidden = [e for e in found if isinstance(e.override, report.ForbiddenEdge)]
    forced = [e for e in found if isinstance(e.override, report.ForcedEdge)]
    pairs = tuple(pair for edge in forced for pair in edge.pairs(names))
    return Overrides(forbidden=tuple(forbidden), wanted_pairs=pairs)


def units_of(fused: Fused) -> Mapping[Value, frozenset[str]]:
    """For each operation, the buffers that its kernel or library call writes."""
    found: dict[Value, frozenset[str]] = {}
    for each in fused.walk():
        for group in each.groups:
            own = frozenset(each.names[v] for v in group.outputs)
            found |= dict.fromkeys(group.members, own)
        for value in each.values.graph.computed:
            if each.values.is_opaque(value):
                results = value.operation.results
                found[value] = frozenset(each.names[r] for r in results)
    return found
