"""Cones of elementwise operations, which fusion starts from.

A cone is an operation with those that nothing but its members reads: the maximum fanout-free cone
of logic synthesis (Cong and Ding, "On area/depth trade-off in LUT-based FPGA technology mapping",
1993). Every path out of it starts at its last operation, so no other step can stand between its
members, and only its last result is written.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from compiler_core.ir.graph import Value
from compiler_core.ir.ops import ELEMENTWISE
from compiler_core.kernel.fusion_view import FusionView

# The most operations of a cone: of the 512 values that a kernel may compute, the rest is left to
# its last operation, loads and constants.
_LARGE = 320


@dataclass(frozen=True, eq=False)
class Cone:
    """The operations of a cone, last one first, and the captured operations they come from."""

    members: list[Value]
    captured: set[Hashable]

    def takes(self, captured: Hashable, most: int) -> bool:
        """Whether the cone may grow by an operation that comes from `captured`, with at most `most`
        captured ones in all."""
        room = len(self.captured) < most and len(self.members) < _LARGE
        return room or captured in self.captured


def cones(
    values: FusionView, captured: Callable[[Value], Hashable], most: int
) -> list[list[Value]]:
    """The cones of at least two operations over one shape, each from at most `most` captured
    operations. A cone of `_LARGE` operations takes in no further captured one."""
    found = dict[Value, Cone]()
    for node in reversed(values.fusible):
        if node.op in ELEMENTWISE:
            cone = _joined(node, values, found)
            if cone is None or not cone.takes(captured(node), most):
                cone = Cone([], set())
            cone.members.append(node)
            cone.captured.add(captured(node))
            found[node] = cone
    every = dict.fromkeys(found.values())
    return [cone.members for cone in every if len(cone.members) > 1]


def _joined(node: Value, values: FusionView, found: dict[Value, Cone]) -> Cone | None:
    """The one cone that has all readers of `node`, if each reads it at the loop's own index; else
    None."""
    readers = values.readers[node]
    if node in values.results or not readers:
        return None
    cone = found.get(readers[0])
    alike = (found.get(r) is cone and _reads_in_place(r, node, values) for r in readers)
    return cone if cone is not None and all(alike) else None


def _reads_in_place(reader: Value, node: Value, values: FusionView) -> bool:
    """Whether `reader` has the shape of `node` and reads it directly, through no view."""
    if reader.type.shape != node.type.shape:
        return False
    return all(x is node or values.base(x) is not node for x in reader.operands)
