"""The outcome of each override of a run: applied, or refused and why."""

from collections.abc import Iterator, Sequence

from compiler_core import report
from compiler_core.ir.graph import Value
from compiler_core.passes.order import PASSES, of_target
from compiler_core.pipeline.context import Compilation, Work
from compiler_core.pipeline.naming import Names
from compiler_core.pipeline.overrides import Edge, edges, units_of
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.summed import SUM, Decided, of_name
from compiler_core.plan.within import scope_of, written
from compiler_core.schedule.choice import Candidate, candidate_names
from compiler_core.wording import counted

NAME = "overrides"
# Any figure of a target: the names of passes do not depend on it.
_ANY = 1.0
_TOO_EARLY = "the program did not get as far"


def wants(c: Compilation) -> bool:
    """Whether anything of the program is overridden."""
    return bool(c.overrides)


def report_overrides(c: Compilation) -> None:
    """Emits for every override whether it was applied, for each plan that it concerns."""
    with c.stage(NAME, NAME) as draft:
        found = [x for each in c.overrides for x in _became(each, c)]
        refused = sum(each.state == "refused" for each in found)
        applied = [f"{len(found) - refused} applied"] if len(found) > refused else []
        draft.summary = ", ".join(applied + ([f"{refused} refused"] if refused else []))
    c.emit_facts(overrides=found)


def absent(options: report.Options, programs: int) -> Iterator[report.Noticed]:
    """A warning for each override of a program that the snippet has not."""
    for each in options.overrides:
        if not isinstance(each, report.WithoutPass) and each.program >= programs:
            has = f"the snippet has {counted(programs, 'program')}, numbered from 0"
            text = f"{report.spelled(each)}: there is no program {each.program}; {has}"
            yield report.Noticed(report.Notice("warning", text))


def _became(override: report.Override, c: Compilation) -> list[report.Overridden]:
    """One entry, or one for each plan where these differ."""
    if isinstance(override, report.WithoutPass):
        return [_entry(override, _pass(override.name))]
    found = [
        _entry(override, reason, work.backend.name, part.id)
        for part in c.parts
        for work in part.works
        if (reason := _reason(override, part, work)) is not None
    ]
    if isinstance(override, report.WantedSchedule) and not override.backend:
        found = [x for x in found if x.state == "applied"] or found[:1]
    if len({(x.state, x.reason) for x in found}) == 1:
        found = [_entry(override, found[0].reason, graph=found[0].graph)]
    return found or [_entry(override, _not_there(override, c))]


def _entry(
    override: report.Override, reason: str, backend: str = "", graph: str = report.WHOLE
) -> report.Overridden:
    state: report.OverrideState = "refused" if reason else "applied"
    # Fusion's own sentences have a kind as well, which is no part of it.
    return report.Overridden(override, state, str(reason), backend, graph)


def _pass(name: str) -> str:
    known = {each.name: each for each in (*PASSES, *of_target(_ANY))}
    if name not in known:
        return f"there is no pass {name}: choose among {', '.join(known)}"
    needed = known[name].needed
    return f"{name} cannot be switched off: {needed}" if needed else ""


def _reason(override: report.Override, part: Compilation, work: Work) -> str | None:
    """Why it is refused, "" where it is applied; None where it is of nothing in this plan."""
    if work.alone is None or work.fused is None or work.plan is None:
        return None
    names = Names(work.alone)
    if isinstance(override, report.WantedSchedule):
        is_of = override.backend in ("", work.backend.name)
        return _schedule(override, names, work) if is_of else None
    (edge,) = [*edges(names, [override])] or (None,)
    return _Plan(names, work).of_edge(edge) if edge else None


# -- edges


class _Plan:
    """What a plan made of pairs of operations."""

    def __init__(self, names: Names, work: Work) -> None:
        assert work.fused is not None and work.plan is not None
        self.names, self.fused, self.plan = names, work.fused, work.plan
        self.units = units_of(work.fused)

    def of_edge(self, edge: Edge) -> str:
        pairs = edge.pairs(self.names)
        joined = [pair for pair in pairs if self._is_joined(*pair)]
        if isinstance(edge.override, report.ForbiddenEdge):
            return "they are one step, and there is no other way to run it" if joined else ""
        if not pairs:
            return f"nothing of {edge.override.to} reads what {edge.override.from_} computes"
        apart = next((pair for pair in pairs if pair not in joined), None)
        return self._why_apart(*apart) if apart else ""

    def _is_joined(self, source: Value, target: Value) -> bool:
        mine, other = (self.units.get(v, frozenset()) for v in (source, target))
        if mine == other:
            return True
        both = (written(launch.step) for launch in self.plan.walk())
        return any(not (mine.isdisjoint(b) or other.isdisjoint(b)) for b in both)

    def _why_apart(self, source: Value, target: Value) -> str:
        for each in self.fused.walk():
            if reason := each.forced.get((source, target)):
                return f"no kernel can be made of both: {reason}"
        reasons = [x.reason for x in self._refused(source, target)]
        if reasons:
            return f"no kernel can be made of both: {reasons[0]}"
        edge = (r for each in self.fused.walk() for r in each.refusals)
        found = (r.reason for r in edge if (r.producer, r.consumer) == (source, target))
        why = next(found, "")
        return f"no kernel can be made of both: {why}" if why else "no kernel can be made of both"

    def _refused(self, source: Value, target: Value) -> list[Candidate]:
        """The ways that the launches of the two had, and that were not possible."""
        near = self.units.get(source, frozenset()) | self.units.get(target, frozenset())
        launches = (x for x in self.plan.walk() if not near.isdisjoint(written(x.step)))
        return [c for x in launches for c in x.candidates if c.cost_us is None]


# -- schedules


def _schedule(wanted: report.WantedSchedule, names: Names, work: Work) -> str | None:
    assert work.fused is not None and work.plan is not None
    decided = of_name(work.decided, wanted.kernel)
    if decided and (decided.summed or wanted.candidate == SUM):
        return _before_fusion(wanted, decided)
    units = units_of(work.fused)
    buffers = frozenset(b for v in names.computed(wanted.kernel) for b in units.get(v, ()))
    launches = [x for x in work.plan.walk() if _is_of(wanted, buffers, x)]
    if not launches:
        return None
    if any(_is_chosen(wanted, launch) for launch in launches):
        return ""
    named = [(name, c) for x in launches for name, c in x.named]
    found = next((c for name, c in named if name == wanted.candidate), None)
    if found is None:
        own = ", ".join(dict.fromkeys(name for name, _ in named)) or "none"
        return f"{launches[0].step.name} has no candidate {wanted.candidate}: it has {own}"
    if found.cost_us is None:
        return f"{wanted.candidate} is not possible: {found.reason}"
    if found.of:
        return f"{wanted.candidate} is a way to compute {found.of}: ask for it by that name"
    for name, value in wanted.parameters.items():
        if value not in found.free.get(name, ()):
            return _cannot_be(wanted.candidate, name, value, found)
    return "what else is overridden leaves no such way to run it"


def _before_fusion(wanted: report.WantedSchedule, decided: Decided) -> str:
    """The same of a product that is a sum, or was asked to be one."""
    named = dict(zip(candidate_names(decided.candidates), decided.candidates, strict=True))
    found = named.get(wanted.candidate)
    if found is None:
        return f"{decided.name} has no candidate {wanted.candidate}: it has {', '.join(named)}"
    if found.cost_us is None:
        return f"{wanted.candidate} is not possible: {found.reason}"
    if wanted.parameters:
        return f"of {wanted.candidate} nothing can be set here: ask for that of the launch"
    return "" if found.chosen else "what else is overridden leaves no such way to run it"


def _is_of(wanted: report.WantedSchedule, buffers: frozenset[str], launch: Launch) -> bool:
    """Whether the launch is of that kernel, or shows what was chosen for both and more."""
    scopes = filter(None, (launch.of, scope_of(launch.step)))
    return any(wanted.kernel in of.names or not buffers.isdisjoint(of.writes) for of in scopes)


def _is_chosen(wanted: report.WantedSchedule, launch: Launch) -> bool:
    strategy = wanted.candidate.partition(".")[0]
    given = wanted.parameters.items()
    return any(
        c.chosen
        and (name == wanted.candidate or (given and c.strategy == strategy))
        and all(c.parameters.get(n) == v for n, v in given)
        for name, c in _decided(launch)
    )


def _decided(launch: Launch) -> Iterator[tuple[str, Candidate]]:
    """The candidates of each choice that the launch shows, each with its name among them."""
    for candidates in (launch.candidates, *launch.decisions):
        yield from zip(candidate_names(candidates), candidates, strict=True)


def _cannot_be(candidate: str, name: str, value: int | str, found: Candidate) -> str:
    if name not in found.free:
        free = ", ".join(found.free) or "nothing"
        return f"{name} of {candidate} cannot be set: of its parameters {free} can"
    return f"{name} of {candidate} cannot be {value}: choose among {_listed(found.free[name])}"


def _listed(values: Sequence[int | str]) -> str:
    return ", ".join(map(str, values))


# -- what nobody knows


def _not_there(override: report.Override, c: Compilation) -> str:
    known = [Names(work.alone) for part in c.parts for work in part.works if work.alone is not None]
    if not known or not any(work.plan for part in c.parts for work in part.works):
        return _TOO_EARLY
    match override:
        case report.ForbiddenEdge() | report.ForcedEdge():
            return _no_edge(override, known)
        case report.WantedSchedule():
            plans = [work.plan for part in c.parts for work in part.works if work.plan]
            return _no_kernel(override.kernel, plans)
    return ""


def _no_edge(override: report.ForbiddenEdge | report.ForcedEdge, known: Sequence[Names]) -> str:
    for name in (override.from_, override.to):
        if not any(names.find(name) for names in known):
            like = next(filter(None, (names.like(name) for names in known)), "")
            return f"there is no value {name} after the passes: choose among {like}"
        if not any(names.computed(name) for names in known):
            return f"{name} is an argument or a constant, which no kernel computes"
    return f"{override.from_} and {override.to} are not two operations of one graph"


def _no_kernel(name: str, plans: Sequence[Plan]) -> str:
    kernels = ", ".join(dict.fromkeys(x.step.name for plan in plans for x in plan.walk()))
    return f"there is no kernel {name}, and none that writes it: the kernels are {kernels}"
