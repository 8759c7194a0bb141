"""Greedy fusion: merge the pair that saves most, until no pair that saves anything is legal.

Producer-consumer pairs and siblings (two groups that read one value) are candidates alike, and a
group may have several outputs from the start, so a value that is also needed elsewhere is no
reason against fusing (XLA's priority order, without its all-users-or-nothing rule).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod

from compiler_core.fuse import cost
from compiler_core.fuse.values import Values
from compiler_core.ir.graph import Node
from compiler_core.schedule.kernel import Kernel, operands, root
from compiler_core.schedule.lower import No, lower


@dataclass(frozen=True)
class Group:
    """Nodes that become one kernel; `outputs` are those that others, or the program, need."""

    members: frozenset[Node]
    outputs: tuple[Node, ...]
    kernel: Kernel

    @property
    def last(self) -> int:
        return max(n.id for n in self.members)


@dataclass(frozen=True)
class Refusal:
    """An edge that was not fused: the values at its two ends, and why."""

    producer: Node
    consumer: Node
    reason: str


@dataclass(frozen=True)
class Fused:
    groups: tuple[Group, ...]
    refusals: tuple[Refusal, ...]
    names: dict[Node, str]


def fuse(values: Values, machine: cost.Machine = cost.CPU) -> Fused:
    """The groups, and every edge between two steps of the program with the reason it is there."""
    return _Fusion(values, machine).run()


class _Fusion:
    def __init__(self, values: Values, machine: cost.Machine) -> None:
        self.values, self.machine = values, machine
        self.names = _names(values)
        self.refused: dict[tuple[frozenset[Node], frozenset[Node]], No] = {}
        self.groups: list[Group] = []
        for node in values.members:
            group = self._group(frozenset([node]))
            if isinstance(group, No):
                raise AssertionError(f"{node!r} alone does not lower: {group.reason}")
            self.groups.append(group)

    def run(self) -> Fused:
        while (pair := self._best()) is not None:
            self._merge(*pair)
        return Fused(tuple(self.groups), tuple(self._refusals()), self.names)

    # -- one step

    def _best(self) -> tuple[Group, Group, Group] | None:
        """The legal pair that saves most, with what it becomes."""
        ranked = sorted(self._pairs(), key=lambda p: (-p[0], p[1].last, p[2].last))
        for gain, a, b in ranked:
            if (a.members, b.members) in self.refused:
                continue
            merged = self._try(gain, a, b)
            if isinstance(merged, Group):
                return a, b, merged
            self.refused[a.members, b.members] = merged
        return None

    def _pairs(self) -> Iterator[tuple[float, Group, Group]]:
        """(gain in us, producer or elder, consumer or younger) for all pairs that share a value."""
        for a, b in combinations(self.groups, 2):
            if a.last > b.last:
                a, b = b, a
            reads_a, reads_b = self._reads(a), self._reads(b)
            flowing = [n for n in a.outputs if n in reads_b]
            backwards = [n for n in b.outputs if n in reads_a]
            shared = [n for n in reads_a & reads_b if n not in flowing and n.type.rank]
            if backwards and not flowing:
                a, b, flowing = b, a, backwards
            if not flowing and not shared:
                continue
            unread = [n for n in flowing if self._only_reader(n, b)]
            yield cost.saved_us(self.machine, flowing + shared, 1, unread), a, b

    def _try(self, gain: float, a: Group, b: Group) -> Group | No:
        if len(a.members) + len(b.members) > cost.MAX_OPS:
            return No(f"the kernel would have more than {cost.MAX_OPS} operations")
        if self._reaches_around(a, b):
            return No("another kernel stands between them")
        merged = self._group(a.members | b.members)
        if isinstance(merged, No):
            return merged
        if len(merged.kernel.buffers) > cost.MAX_BUFFERS:
            return No(f"the kernel would touch more than {cost.MAX_BUFFERS} buffers")
        return self._worth(gain, a, b, merged) or merged

    def _worth(self, gain: float, a: Group, b: Group, merged: Group) -> No | None:
        """A refusal where the merged kernel does work again that costs more than it saves."""
        kernel = merged.kernel
        if kernel.kind == "full" and _uses_total(kernel):
            return No("every element needs the total of all, which a second launch must wait for")
        points = prod(x.extent for x in kernel.axes)
        again = [n for n in a.members if n.op != "reduce" and self._at_every_point(n, merged)]
        loss = cost.repeated_us(self.machine, again, points)
        if loss > gain:
            times = points // max(1, min(n.type.numel for n in again))
            return No(
                f"its {len(again)} operations would be done {times} times over: "
                f"{loss:.1f} us more against {gain:.1f} us saved"
            )
        return None

    def _at_every_point(self, node: Node, merged: Group) -> bool:
        """Whether a small value is computed inside the kernel's full loop nest. A value of the
        parallel axes' size in a kernel with reductions is computed once a row."""
        kept = prod(x.extent for x in merged.kernel.parallel)
        return not (merged.kernel.reduce and node.type.numel == kept)

    def _merge(self, a: Group, b: Group, merged: Group) -> None:
        self.groups = [g for g in self.groups if g is not a and g is not b] + [merged]

    # -- facts

    def _group(self, members: frozenset[Node]) -> Group | No:
        outputs = tuple(n for n in self.values.members if n in members and self._escapes(n, members))
        kernel = lower("kernel", members, outputs, self.values, self.names)
        return Group(members, outputs, kernel) if isinstance(kernel, Kernel) else kernel

    def _escapes(self, node: Node, members: frozenset[Node]) -> bool:
        if node in self.values.results:
            return True
        return any(reader not in members for reader in self.values.readers[node])

    def _reads(self, group: Group) -> set[Node]:
        """Values in memory that the group reads: literals are not in memory."""
        return {
            v
            for n in group.members
            for v in self.values.reads[n]
            if v not in group.members and v.op not in ("constant", "iota")
        }

    def _only_reader(self, value: Node, group: Group) -> bool:
        if value in self.values.results:
            return False
        return all(r in group.members for r in self.values.readers[value])

    def _reaches_around(self, a: Group, b: Group) -> bool:
        """Whether some path leaves the pair and comes back: merging would make a cycle."""
        pair = a.members | b.members
        first = min(n.id for n in pair)
        outside = {
            r for n in pair for r in self.values.readers[n] if r not in pair
        }
        owner = {n: g for g in self.groups for n in g.members}
        seen: set[Node] = set()
        stack = list(outside)
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            whole = owner[node].members if node in owner else {node}
            seen |= whole
            for reader in (r for n in whole for r in self.values.readers[n]):
                if reader in pair:
                    return True
                if reader not in seen and reader.id > first:
                    stack.append(reader)
        return False

    # -- results

    def _refusals(self) -> Iterator[Refusal]:
        """One for each edge between two kernels, or between a kernel and a library call."""
        owner = {n: g for g in self.groups for n in g.members}
        for group in sorted(self.groups, key=lambda g: g.last):
            for value in group.outputs:
                for reader in self.values.readers[value]:
                    other = owner.get(reader)
                    if other is group:
                        continue
                    if other is None:
                        yield Refusal(value, reader, _library_reason(reader))
                        continue
                    why = self.refused.get((group.members, other.members))
                    if why is not None:
                        yield Refusal(value, reader, why.reason)
        for group in sorted(self.groups, key=lambda g: g.last):
            for value in sorted(self._reads(group), key=lambda n: n.id):
                if self.values.is_opaque(value):
                    consumer = next(n for n in self.values.members
                                    if n in group.members and value in self.values.reads[n])
                    yield Refusal(value, consumer, _library_reason(value))


def _names(values: Values) -> dict[Node, str]:
    """The name of each value's memory: in0.., out0.., and b<id> for temporaries."""
    names = {n: f"b{n.id}" for n in values.graph.nodes}
    results = dict.fromkeys(values.behind(n) for n in values.graph.outputs)
    names |= {n: f"out{i}" for i, n in enumerate(results)}
    return names | {n: f"in{i}" for i, n in enumerate(values.graph.inputs)}


def _uses_total(kernel: Kernel) -> bool:
    """Whether some effect inside the loop needs a finished reduction."""
    for effect in (e for stage in kernel.stages for e in stage.effects):
        if kernel.is_tile_effect(effect):
            needed = kernel.needed([root(effect)])
            read = {root(effect), *(a for d in needed for a in operands(d))}
            if read & set(kernel.reductions):
                return True
    return False


def _library_reason(node: Node) -> str:
    if node.op == "dot_general":
        return "matmul goes to the vendor's library, which takes no part of another kernel"
    if node.op == "library_call":
        return f"{node['callee']} is a library call: the core does not lower it"
    return f"{node.op} is not lowered to a loop that others could join"
