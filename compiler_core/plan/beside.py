"""What a step was decided against before there were steps: a target's graph has a sum in place of a
product, or the product that might have been one (summed.py). It is listed with what is launched."""

from collections.abc import Mapping
from dataclasses import replace

from compiler_core.fuse.group import Group, Unit
from compiler_core.ir.graph import Value
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Step
from compiler_core.plan.within import within
from compiler_core.schedule.choice import Candidate

# By the id of the value.
Left = Mapping[int, tuple[Candidate, ...]]


def by_base(values: FusionView, left: Left) -> Mapping[Value, tuple[Candidate, ...]]:
    """What the values in memory were decided against, of which the decided ones may be views."""
    return {values.base(v): left[v.id] for v in values.graph.values if v.id in left}


def left_of(unit: Unit, by_value: Mapping[Value, tuple[Candidate, ...]]) -> tuple[Candidate, ...]:
    """What the values of a unit were decided against."""
    own = unit.members if isinstance(unit, Group) else frozenset(unit.operation.results)
    return tuple(x for value, found in by_value.items() if value in own for x in found)


def with_left(
    launches: tuple[Launch, ...], step: Step, left: Mapping[str, tuple[Candidate, ...]]
) -> tuple[Launch, ...]:
    """The launches of a step, which list that after their own candidates. Those that share a list
    go on doing so."""
    more = tuple(x for name in _names(step) for x in left.get(name, ()))
    if not more:
        return launches
    lists = {id(x.candidates): (*x.candidates, *more) for x in launches}
    return tuple(replace(x, candidates=lists[id(x.candidates)]) for x in launches)


def _names(step: Step) -> dict[str, None]:
    return dict.fromkeys((step.name, *(x.name for x in within(step))))
