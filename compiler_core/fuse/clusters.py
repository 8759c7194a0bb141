"""Sets of operations that are candidates for one kernel, with the values they read and write."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from compiler_core.ir import origins
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import OPS
from compiler_core.kernel.fusion_view import FusionView


@dataclass(frozen=True, eq=False)
class Cluster:
    """A set of operations. `members` are their results, `outputs` those members that an operation
    outside reads or the program returns, `reads` the values outside that they load."""

    members: frozenset[Value]
    outputs: tuple[Value, ...]
    reads: frozenset[Value]
    # The place of the last member in the graph's order.
    last: int
    # Keys of the captured operations that the members were lowered from: a cipher of random bits
    # counts once, though a hundred operations implement it.
    captured: frozenset[Hashable]


class Clusters:
    """Makes clusters of the fusible values of a graph."""

    def __init__(self, values: FusionView) -> None:
        self._values, self._place = values, values.place

    def of(self, members: frozenset[Value]) -> Cluster:
        """The cluster of `members`."""
        # Literals are not in memory.
        reads = (v for n in members for v in self._values.reads[n] if not _is_literal(v))
        last = max(self._place[n] for n in members)
        written, of = self._written(members, members), frozenset(map(captured, members))
        return Cluster(members, written, frozenset(reads) - members, last, of)

    def joined(self, *parts: Cluster) -> Cluster:
        """One cluster of the members of all `parts`."""
        members = frozenset[Value]().union(*(p.members for p in parts))
        return Cluster(
            members,
            self._written((n for p in parts for n in p.outputs), members),
            frozenset[Value]().union(*(p.reads for p in parts)) - members,
            max(p.last for p in parts),
            frozenset[Hashable]().union(*(p.captured for p in parts)),
        )

    def only_reader(self, value: Value, cluster: Cluster) -> bool:
        """Whether no operation outside of `cluster` reads `value`."""
        return not self._escapes(value, cluster.members)

    def _written(self, some: Iterable[Value], members: frozenset[Value]) -> tuple[Value, ...]:
        """Those of `some` that are read outside of `members` or returned, in the graph's order."""
        escaping = (n for n in some if self._escapes(n, members))
        return tuple(sorted(escaping, key=self._place.__getitem__))

    def _escapes(self, node: Value, members: frozenset[Value]) -> bool:
        if node in self._values.results:
            return True
        return any(reader not in members for reader in self._values.readers[node])


def captured(node: Value) -> Hashable:
    """A key that is equal for operations that come from the same captured ones; an operation that
    comes from none is a key of its own."""
    return origins.captured(node.origins) or node


def _is_literal(value: Value) -> bool:
    return OPS[value.op].fusion == "literal"
