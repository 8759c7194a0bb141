"""The order of a plan's steps."""

from collections.abc import Iterator

from compiler_core.fuse.group import Fused, Group, Unit
from compiler_core.ir.graph import Value
from compiler_core.kernel.fusion_view import FusionView


def ordered(fused: Fused) -> Iterator[Unit]:
    """Depth-first, starting from the units in the order of their last operation."""
    values = fused.values
    owner: dict[Value, Unit] = {n: g for g in fused.groups for n in g.members}
    units: list[Unit] = [*fused.groups]
    for node in values.graph.values:
        if values.is_opaque(node):
            # The first result stands for its operation.
            owner[node] = node.operation.results[0]
            units += [node] if node.index == 0 else []
    place = {n: i for i, n in enumerate(values.graph.values)}

    def last(unit: Unit) -> int:
        return unit.last if isinstance(unit, Group) else place[unit]

    done: set[int] = set()
    stack: list[tuple[Unit, bool]] = [(u, False) for u in sorted(units, key=last, reverse=True)]
    while stack:
        unit, expanded = stack.pop()
        if expanded:
            yield unit
            continue
        if id(unit) in done:
            continue
        done.add(id(unit))
        stack.append((unit, True))
        needs = {id(o): o for r in _reads(values, unit) if (o := owner.get(r)) is not None}
        stack += [(u, False) for u in sorted(needs.values(), key=last) if id(u) not in done]


def _reads(values: FusionView, unit: Unit) -> list[Value]:
    members = unit.members if isinstance(unit, Group) else (unit,)
    return [v for n in members for v in values.reads[n] if v not in members]
