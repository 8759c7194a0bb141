"""Greedy fusion: repeatedly merge the pair of groups that saves most, until no legal merge saves
anything.

Both producer-consumer pairs and siblings (two groups that read one value) are candidates. A group
may have several outputs, so a value that is also needed elsewhere does not prevent fusion (the
priority order of XLA's fusion, without its rule that a producer is fused into all users or none).
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import count

from compiler_core.fuse import cost, reasons
from compiler_core.fuse.acyclic import Order
from compiler_core.fuse.alone import Alone, each_alone
from compiler_core.fuse.cones import cones
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.ops import ELEMENTWISE, OPS
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.lowering import lower
from compiler_core.kernel.refusal import FusionRefusal
from compiler_core.wording import counted

# Readers of one value on either side that a group is tried with (TorchInductor: the next 64).
_SIBLINGS = 8
_MANY_PARTS = 32


@dataclass(frozen=True, eq=False)
class Group:
    """Operations that become one kernel. `outputs`: those read by others or returned by the
    program; `reads`: the values in memory that it reads."""

    members: frozenset[Value]
    outputs: tuple[Value, ...]
    reads: frozenset[Value]
    kernel: Kernel
    # The place of the last member in the graph's order.
    last: int

    @cached_property
    def captured(self) -> frozenset[Hashable]:
        """The operations that the members are parts of: one that is made of a hundred, as a cipher
        of random bits is, is one."""
        return frozenset(map(_captured, self.members))

    @cached_property
    def work(self) -> int:
        """As the cost model counts it."""
        return cost.work(self.kernel)


# What is a step: the first result of an opaque operation stands for it.
Unit = Group | Value


@dataclass(frozen=True)
class Refusal:
    """An edge that was not fused: its producer and consumer, and the reason."""

    producer: Value
    consumer: Value
    reason: str


@dataclass(frozen=True)
class Fused:
    """The result of fusion for a region and those nested in it. In `values` the views are
    materialized that no loop nest can read in place."""

    values: FusionView
    groups: tuple[Group, ...]
    refusals: tuple[Refusal, ...]
    names: dict[Value, str]
    regions: Mapping[Region, "Fused"] = field(default_factory=dict)

    def walk(self) -> Iterator["Fused"]:
        """This result, then those of all nested regions."""
        yield self
        for region in self.regions.values():
            yield from region.walk()


def fuse(values: FusionView, model: cost.CostModel = cost.CPU) -> Fused:
    """Fuses a graph and its regions, each separately; every remaining edge between two steps gets a
    reason."""
    return fuse_by(model, each_alone(values))


def fuse_by(model: cost.CostModel, alone: Alone) -> Fused:
    """The same, from kernels of single operations that several cost models can share."""
    regions = {region: fuse_by(model, inner) for region, inner in alone.regions.items()}
    return replace(_Fusion(alone, model).run(), regions=regions)


class _Fusion:
    def __init__(self, alone: Alone, model: cost.CostModel) -> None:
        self.values, self.names, self.model = alone.values, alone.names, model
        self.lowered, values = alone.lowered, alone.values
        self.place = values.place
        self.refused: dict[tuple[Group, Group], FusionRefusal] = {}
        self.owner: dict[Value, Group] = {}
        # Pairs by what they save, the most first; those of merged groups are skipped when met.
        self.queue: list[tuple[float, int, int, int, Group, Group]] = []
        self.pushed = count()
        for node in values.fusible:
            self.owner[node] = self._group_of(frozenset([node]), alone.kernels[node])
        steps: list[Unit] = [self.owner.get(node, node) for node in values.reads]
        self.order = Order(steps, self._readers)

    def run(self) -> Fused:
        self._begin_with_parts()
        self._begin_with_cones()
        for group in list(self._groups()):
            self._push(group, elders_only=True)
        while self.queue:
            negative, *_, a, b = heappop(self.queue)
            if self._alive(a) and self._alive(b):
                self._consider(-negative, a, b)
        return Fused(self.values, tuple(self._groups()), tuple(self._refusals()), self.names)

    def _groups(self) -> Iterator[Group]:
        yield from dict.fromkeys(self.owner[n] for n in self.values.fusible)

    def _alive(self, group: Group) -> bool:
        return self.owner[next(iter(group.members))] is group

    def _begin_with_parts(self) -> None:
        """Many elementwise parts of one captured operation, as a cipher of random bits has, are one
        group from the start: pair by pair they would be lowered over and over."""
        parts: dict[object, list[Value]] = {}
        for node in self.values.fusible:
            if node.origins and node.op in ELEMENTWISE:
                parts.setdefault((node.origins, node.type), []).append(node)
        for nodes in parts.values():
            whole = self._group(frozenset(nodes), None) if len(nodes) >= _MANY_PARTS else None
            alone = [self.owner[n] for n in nodes]
            if isinstance(whole, Group) and not self.order.reaches_around(alone):
                self._merge(alone, whole)

    def _begin_with_cones(self) -> None:
        """What is certain to share a kernel is lowered once, and not once for each of its pairs."""
        for cone in cones(self.values, _captured, cost.MAX_OPS):
            alone = [self.owner[n] for n in cone]
            if any(len(group.members) > 1 for group in alone):
                continue  # a part of many
            whole = self._group(frozenset(cone), cost.MAX_DEFINITIONS)
            if isinstance(whole, Group) and self._repeats_nothing(whole, alone):
                self._merge(alone, whole)

    def _repeats_nothing(self, whole: Group, parts: Sequence[Group]) -> bool:
        """Whether it stays within every limit, and computes nothing more often than its parts."""
        if len(whole.kernel.buffers) > cost.MAX_BUFFERS or reasons.too_large(whole.kernel):
            return False
        return whole.work <= sum(part.work for part in parts)

    # -- candidate pairs

    def _push(self, group: Group, elders_only: bool = False) -> None:
        """Queues the group with every group that it shares a value with."""
        near: dict[Group, None] = {}
        for value in sorted({*group.reads, *group.outputs}, key=lambda n: n.id):
            readers = self.values.readers[value]
            if value in group.reads:
                readers = self._nearest(readers, group)
            near |= dict.fromkeys(self.owner[n] for n in (value, *readers) if n in self.owner)
        for other in near:
            if other is group or (elders_only and other.last > group.last):
                continue
            a, b = self._ordered(group, other)
            gain = self._gain(a, b)
            heappush(self.queue, (-gain, a.last, b.last, next(self.pushed), a, b))

    def _nearest(self, readers: tuple[Value, ...], group: Group) -> tuple[Value, ...]:
        """The readers of a value that are near the group in the graph's order: if hundreds read one
        value, trying every pair is not worth it."""
        at = bisect_left(readers, group.last, key=self.place.__getitem__)
        return readers[max(0, at - _SIBLINGS) : at + _SIBLINGS]

    def _ordered(self, a: Group, b: Group) -> tuple[Group, Group]:
        """The pair with the producer first; the earlier one first if neither reads the other."""
        if any(n in b.reads for n in a.outputs):
            return a, b
        if any(n in a.reads for n in b.outputs) or b.last < a.last:
            return b, a
        return a, b

    def _gain(self, a: Group, b: Group) -> float:
        flowing = [n for n in a.outputs if n in b.reads]
        shared = [n for n in a.reads & b.reads if n not in flowing]
        unread = [n for n in flowing if self._only_reader(n, b)]
        return cost.saved_us(self.model, flowing + shared, 1, unread)

    # -- one pair

    def _consider(self, gain: float, a: Group, b: Group) -> None:
        merged = self._try(gain, a, b)
        if isinstance(merged, FusionRefusal):
            self.refused[a, b] = merged
            return
        self._merge([a, b], merged)
        self._push(merged)

    def _merge(self, parts: Sequence[Group], whole: Group) -> None:
        self.order.merge(parts, whole)
        self.owner |= dict.fromkeys(whole.members, whole)

    def _try(self, gain: float, a: Group, b: Group) -> Group | FusionRefusal:
        if len(a.captured | b.captured) > cost.MAX_OPS:
            return FusionRefusal(f"the kernel would have more than {cost.MAX_OPS} operations")
        if self._buffers(a, b) > cost.MAX_BUFFERS:
            return FusionRefusal(f"the kernel would touch more than {cost.MAX_BUFFERS} buffers")
        if self.order.reaches_around([a, b]):
            return FusionRefusal("another kernel stands between them")
        merged = self._group(a.members | b.members, cost.MAX_DEFINITIONS)
        if isinstance(merged, FusionRefusal):
            return merged
        against = (
            reasons.too_large(merged.kernel)
            or reasons.in_any_order(merged.kernel, self.model)
            or self._worth(gain, a, b, merged)
        )
        return merged if against is None else against

    def _buffers(self, a: Group, b: Group) -> int:
        """The number of buffers that the merged kernel would access."""
        members = a.members | b.members
        outputs = [n for n in (*a.outputs, *b.outputs) if self._escapes(n, members)]
        return len(outputs) + len((a.reads | b.reads) - members)

    def _worth(self, gain: float, a: Group, b: Group, merged: Group) -> FusionRefusal | None:
        """A refusal if the merged kernel repeats work that costs more than the merge saves: a
        producer read at several indices, or at more points than it has elements."""
        kernel = merged.kernel
        if kernel.kind == "full" and reasons.waits_for_total(kernel):
            return FusionRefusal(
                "every element needs the total of all, which a second launch must wait for"
            )
        more = merged.work - a.work - b.work
        loss = more / self.model.ops_per_us
        if loss <= gain:
            return None
        again = sum(n.op != "reduce" for n in a.members)
        own, after = cost.arithmetic(a.kernel), cost.arithmetic(kernel)
        times = round((after - cost.arithmetic(b.kernel)) / max(1, own))
        return FusionRefusal(
            f"its {counted(again, 'operation')} would be done {times} times over: "
            f"{loss:.1f} us more against {gain:.1f} us saved"
        )

    # -- facts

    def _group(self, members: frozenset[Value], most: int | None) -> Group | FusionRefusal:
        kernel = self.lowered.get(members)
        if kernel is None:
            outputs = self._outputs(members)
            kernel = lower("kernel", members, outputs, self.values, self.names, most)
            self.lowered[members] = kernel
        if isinstance(kernel, FusionRefusal):
            return kernel
        return self._group_of(members, kernel)

    def _outputs(self, members: frozenset[Value]) -> tuple[Value, ...]:
        ordered = sorted(members, key=self.place.__getitem__)
        return tuple(n for n in ordered if self._escapes(n, members))

    def _group_of(self, members: frozenset[Value], kernel: Kernel) -> Group:
        # Literals are not in memory.
        reads = frozenset(
            v
            for n in members
            for v in self.values.reads[n]
            if v not in members and OPS[v.op].fusion != "literal"
        )
        last = max(self.place[n] for n in members)
        return Group(members, self._outputs(members), reads, kernel, last)

    def _escapes(self, node: Value, members: frozenset[Value]) -> bool:
        if node in self.values.results:
            return True
        return any(reader not in members for reader in self.values.readers[node])

    def _only_reader(self, value: Value, group: Group) -> bool:
        if value in self.values.results:
            return False
        return all(r in group.members for r in self.values.readers[value])

    def _readers(self, unit: Unit) -> Iterator[Unit]:
        """The groups and opaque operations that read a unit."""
        outputs = unit.outputs if isinstance(unit, Group) else unit.operation.results
        for value in outputs:
            for reader in self.values.readers[value]:
                found = self.owner.get(reader, reader)
                if found is not unit:
                    yield found

    # -- results

    def _refusals(self) -> Iterator[Refusal]:
        """One for each edge between two kernels, or between a kernel and a library call."""
        for group in self._groups():
            for value in sorted(group.reads, key=self.place.__getitem__):
                producer = self.owner.get(value)
                reader = next(n for n in self.values.readers[value] if n in group.members)
                if producer is not None:
                    yield Refusal(value, reader, self.refused[producer, group].reason)
                elif self.values.is_opaque(value):
                    yield Refusal(value, reader, reasons.not_after(value))
            for value in group.outputs:
                for reader in self.values.readers[value]:
                    if self.values.is_opaque(reader):
                        yield Refusal(value, reader, reasons.not_before(reader))


def _captured(node: Value) -> Hashable:
    """The captured operations that it is of; an operation of none is itself."""
    return node.origins or node
