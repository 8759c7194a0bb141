"""Which values of a graph each launch of its plan computes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from compiler_core.fuse.group import Fused
from compiler_core.ir.graph import Operation, Value
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.indexed import is_scattered
from compiler_core.plan.plan import Launch, Plan

# By the name of a launch, the ids of values.
Computed = Mapping[str, tuple[int, ...]]


def computed(plan: Plan, fused: Fused) -> Computed:
    """For each launch, those of regions included, the ids of the values that it computes:
    everything between what it reads and what it writes, including views and constants. Two launches
    may compute the same value. A launch whose results only a later launch of the same choice reads,
    such as the first half of a split reduction, has none; they count as that launch's."""
    by_region = {each.values.region: each for each in fused.walk()}
    found: dict[str, tuple[int, ...]] = {}
    for each in _plans(plan):
        if each.region is not None and each.region in by_region:
            found |= _of_plan(each, by_region[each.region])
    return found


def results(plan: Plan, fused: Fused) -> Mapping[str, Value]:
    """For each launch, the last value in the graph's order that it, or another launch of its
    choice, writes; without an entry for launches that write no value of the graph, such as the
    words of a sort."""
    by_region = {each.values.region: each for each in fused.walk()}
    found: dict[str, Value] = {}
    for each in _plans(plan):
        if each.region in by_region:
            found |= _last_written(each, by_region[each.region])
    return found


def _last_written(plan: Plan, fused: Fused) -> Mapping[str, Value]:
    written, place = _written(plan.launches, fused), fused.values.place
    chosen: dict[int, list[Value]] = defaultdict(list)
    for launch in plan.launches:
        chosen[id(launch.candidates)] += written[launch.step.name]
    own = (
        (x, chosen[id(x.candidates)] if x.candidates else written[x.step.name])
        for x in plan.launches
    )
    return {x.step.name: max(values, key=place.__getitem__) for x, values in own if values}


def _plans(plan: Plan) -> Iterable[Plan]:
    yield plan
    for launch in plan.launches:
        for inner in launch.step.plans:
            yield from _plans(inner)


def _of_plan(plan: Plan, fused: Fused) -> dict[str, tuple[int, ...]]:
    reads: dict[int, set[str]] = defaultdict(set)
    for launch in plan.launches:
        # Launches of one choice share its candidates, and what is between them has no name.
        reads[id(launch.candidates)] |= {b.name for b in launch.step.inputs}
    written = _written(plan.launches, fused)
    names = named(fused.values)
    found = {
        launch.step.name: _between(
            written[launch.step.name], reads[id(launch.candidates)], fused.names
        )
        for launch in plan.launches
    }
    return {
        name: tuple(sorted(names[value] for value in values if value in names))
        for name, values in found.items()
    }


def named(values: FusionView) -> Mapping[int, int]:
    """The id in the region of each value that fusion sees: a scatter that was given a destination
    of its own is another value there. Values that were added for this have no entry."""
    own = {value.id: value.id for value in values.region.values}
    before, after = (
        [v.id for v in region.computed if is_scattered(v)]
        for region in (values.region, values.graph)
    )
    return own | dict(zip(after, before, strict=True))


def _written(launches: Iterable[Launch], fused: Fused) -> dict[str, list[Value]]:
    """The values that each launch stores, by its name. Where several launches write one buffer, as
    a fill and then a scatter do, each stores one of its values in turn, the last one the rest."""
    writers, values = defaultdict[str, list[str]](list), defaultdict[str, list[Value]](list)
    for launch in launches:
        for buffer in launch.step.outputs:
            writers[buffer.name].append(launch.step.name)
    for value in fused.values.graph.computed:
        if fused.values.base(value) is value:
            values[fused.names[value]].append(value)
    found: dict[str, list[Value]] = defaultdict(list)
    for name, by in writers.items():
        *first, last = by
        for launch_name, value in zip(first, values[name], strict=False):
            found[launch_name].append(value)
        found[last] += values[name][len(first) :]
    return found


def _between(written: Iterable[Value], read: set[str], names: Mapping[Value, str]) -> set[int]:
    """The ids of `written` and of what is computed for them from the buffers that are read."""
    stack: list[Operation] = [value.operation for value in written]
    own = set(stack)
    while stack:
        for operand in stack.pop().operands:
            operation = operand.operation
            is_given = names[operand] in read or operation.op == "parameter"
            if not is_given and operation not in own:
                own.add(operation)
                stack.append(operation)
    return {value.id for operation in own for value in operation.results}
