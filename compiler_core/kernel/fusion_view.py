"""What a group of operations reads and writes, looking through the views between them.

A view computes nothing, so it belongs to no group: its readers read the value that it is a view of
(its base). The exception are *materialized* views, which some consumer needs as dense memory (an
output that is a transpose, an operand that the library's matmul cannot read in place). They are
fusible like any computing operation, and the kernel that contains one writes it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from compiler_core.ir import ops
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.library import draws_from_generator


@dataclass(frozen=True, eq=False)
class FusionView:
    """The values of a graph by their role in fusion."""

    graph: Region
    materialized: frozenset[Value]
    # The view of each region of its operations.
    regions: Mapping[Region, "FusionView"] = field(default_factory=dict)
    # The program's own region, where `graph` is a rewriting of it that only fusion sees.
    rewritten: Region | None = None

    @property
    def region(self) -> Region:
        """The region that this view describes."""
        return self.rewritten or self.graph

    @cached_property
    def fusible(self) -> tuple[Value, ...]:
        """The values that kernels compute, operands first."""
        return tuple(n for n in self.graph.values if self.is_fusible(n))

    @cached_property
    def place(self) -> dict[Value, int]:
        """Each value's position in the graph's order."""
        return {value: place for place, value in enumerate(self.graph.values)}

    def is_fusible(self, node: Value) -> bool:
        """Whether kernels compute the value: a loop operation that is used, or a materialized
        view."""
        if node in self.materialized:
            return True
        return _fusion(node) == "loop" and not self.is_unused(node)

    def is_unused(self, node: Value) -> bool:
        """Whether this result, one of several of its operation, is unused."""
        return len(node.operation.types) > 1 and node not in self._used

    @cached_property
    def _used(self) -> frozenset[Value]:
        users = self.graph.users
        return frozenset(v for v in users if users[v]) | frozenset(self.graph.outputs)

    def is_opaque(self, node: Value) -> bool:
        """Whether the value is of an operation that is a step of its own."""
        return _fusion(node) == "opaque"

    def is_buffer(self, node: Value) -> bool:
        """Whether the value is dense memory however operations are fused."""
        return _fusion(node) in ("memory", "opaque")

    def is_literal(self, node: Value) -> bool:
        """Whether the value is never stored, but computed wherever it is read."""
        return _fusion(node) == "literal"

    def base(self, node: Value) -> Value:
        """The value that a view reads; the value itself if it is no view."""
        while _fusion(node) == "view" and node not in self.materialized:
            node = node.operands[0]
        return node

    @cached_property
    def reads(self) -> dict[Value, tuple[Value, ...]]:
        """For each fusible value and opaque operation, the base values that it reads. The first
        result of an opaque operation stands for all of them."""
        found: dict[Value, tuple[Value, ...]] = {}
        drawn: tuple[Value, ...] = ()
        for n in self.graph.values:
            if self.is_fusible(n) or (self.is_opaque(n) and n.index == 0):
                draws = draws_from_generator(n.operation)
                read = (*(self.base(x) for x in n.operands), *(drawn if draws else ()))
                found[n] = tuple(dict.fromkeys(read))
                drawn = (n,) if draws else drawn
        return found

    @cached_property
    def readers(self) -> dict[Value, tuple[Value, ...]]:
        """For each value, the fusible values and opaque operations that read it."""
        result: dict[Value, list[Value]] = {n: [] for n in self.graph.values}
        for reader, values in self.reads.items():
            for value in values:
                result[value].append(reader)
        return {n: tuple(r) for n, r in result.items()}

    @cached_property
    def results(self) -> frozenset[Value]:
        """The base values of what the program returns."""
        return frozenset(self.base(n) for n in self.graph.outputs)


def materialize(
    graph: Region,
    readable: Callable[[FusionView, Value, Value], bool],
    regions: Mapping[Region, FusionView] = MappingProxyType({}),
) -> FusionView:
    """Decides which views must be dense memory. `readable(values, consumer, operand)` says whether
    an opaque consumer can read the operand in place. Views of a materialized view read its memory,
    and whether they are readable is asked anew."""
    loose = FusionView(graph, frozenset())

    def demands(values: FusionView) -> Iterator[Value]:
        for output in graph.outputs:
            if not _same_order(output) or loose.is_literal(loose.base(output)):
                yield output
        for node in graph.values:
            if loose.is_opaque(node):
                yield from (x for x in node.operands if not readable(values, node, x))

    found, known = FusionView(graph, frozenset(), regions), False
    while not known:
        wanted = (n for n in demands(found) if not loose.is_buffer(n) and not loose.is_fusible(n))
        more = found.materialized.union(wanted)
        known = more == found.materialized
        found = FusionView(graph, more, regions)
    return found


def _fusion(node: Value) -> ops.Fusion:
    return ops.OPS[node.op].fusion


def _same_order(node: Value) -> bool:
    """Whether the value is the memory of one that is dense, in the same order."""
    return not ops.OPS[in_order(node).op].free_view


def in_order(node: Value) -> Value:
    """The value that `node` is a chain of reshapes of: the same elements in the same order."""
    while ops.OPS[node.op].same_order:
        node = node.operands[0]
    return node
