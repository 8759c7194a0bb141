"""Greedy fusion: repeatedly merge the pair of groups that saves most, until no legal merge saves
anything.

Both producer-consumer pairs and siblings (two groups that read one value) are candidates. A group
may have several outputs, so a value that is also needed elsewhere does not prevent fusion (the
priority order of XLA's fusion, without its rule that a producer is fused into all users or none).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TypeVar

from compiler_core.fuse import cost, edges, reasons
from compiler_core.fuse.acyclic import Order
from compiler_core.fuse.alone import Alone, each_alone, with_views
from compiler_core.fuse.clusters import Cluster, Clusters, captured
from compiler_core.fuse.cones import cones
from compiler_core.fuse.group import Fused, Group, Unit
from compiler_core.fuse.layouts import written_as_read
from compiler_core.fuse.pairs import Key, Pairs, key
from compiler_core.fuse.recomputed import recomputed
from compiler_core.ir import origins
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import ELEMENTWISE
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.lowering import lower
from compiler_core.kernel.refusal import FusionRefusal
from compiler_core.report.reasons import Reason
from compiler_core.steering import current

# Readers of one value on either side that a group is tried with (TorchInductor: the next 64).
_SIBLINGS = 8
_MANY_PARTS = 32

C = TypeVar("C", bound=Cluster)


def fuse(values: FusionView, model: cost.CostModel = cost.CPU) -> Fused:
    """Fuses a graph and its regions, each separately; every remaining edge between two steps gets a
    reason."""
    return fuse_by(model, each_alone(values))


def fuse_by(model: cost.CostModel, alone: Alone) -> Fused:
    """As `fuse`, from kernels of single operations, which several cost models can share."""
    regions = {region: fuse_by(model, inner) for region, inner in alone.regions.items()}
    fused = _as_read(model, alone, _Fusion(alone, model).run())
    return replace(recomputed(fused, model), regions=regions)


def _as_read(model: cost.CostModel, alone: Alone, fused: Fused) -> Fused:
    """`fused` again, with what is read transposed written so; itself if that needs more kernels."""
    views = written_as_read(fused)
    if not views:
        return fused
    again = _Fusion(with_views(alone, views), model).run()
    return again if len(again.groups) <= len(fused.groups) else fused


class _Fusion:
    def __init__(self, alone: Alone, model: cost.CostModel) -> None:
        self.values, self.names, self.model = alone.values, alone.names, model
        self.lowered, values = alone.lowered, alone.values
        self.place, self.clusters = values.place, Clusters(values)
        self.steering, self.forced = current(), dict[tuple[Value, Value], str]()
        self.refused: dict[tuple[Group, Group], FusionRefusal] = {}
        # How many groups became one at once, last time.
        self.pace: dict[Group, int] = {}
        self.owner: dict[Value, Group] = {}
        self.queue = Pairs(self._alive)
        for node in values.fusible:
            own = self.clusters.of(frozenset([node]))
            self.owner[node] = Group(**vars(own), kernel=alone.kernels[node], model=model)
        steps: list[Unit] = [self.owner.get(node, node) for node in values.reads]
        self.order = Order(steps, self._readers)

    def run(self) -> Fused:
        self._force()
        self._begin_with_parts()
        self._begin_with_cones()
        for group in list(self._groups()):
            self._push(group, elders_only=True)
        self._take_all()
        # What stood between two may be one with them by now.
        self._force()
        self._take_all()
        groups = tuple(self._groups())
        refusals = tuple(edges.refusals(groups, self.values, self.refused))
        return Fused(self.values, groups, refusals, self.names, forced=self.forced)

    def _take_all(self) -> None:
        for gain, a, b in self.queue.taken():
            self._consider(gain, a, b)

    def _force(self) -> None:
        """Makes one of the groups that are to be one, where that is a kernel, whatever it costs."""
        for pair in self.steering.forced():
            a, b = (self.owner.get(value) for value in pair)
            if a is None or b is None:
                continue
            found = a if a is b else self._whole(*self._ordered(a, b))
            self.forced[pair] = found.reason if isinstance(found, FusionRefusal) else ""
            if isinstance(found, Group) and found is not a:
                self._merge([a, b], found)
                self._push(found)

    def _whole(self, a: Group, b: Group) -> Group | FusionRefusal:
        """Both as one, within no limit but what a kernel can be."""
        if self.order.reaches_around([a, b]):
            return reasons.BETWEEN
        whole = self._lowered(self.clusters.joined(a, b))
        if isinstance(whole, FusionRefusal):
            return whole
        kernel = whole.kernel
        against = reasons.wrong(kernel, self.model)
        return against or whole

    def _groups(self) -> Iterator[Group]:
        yield from dict.fromkeys(self.owner[n] for n in self.values.fusible)

    def _alive(self, group: Group) -> bool:
        return self.owner[next(iter(group.members))] is group

    def _begin_with_parts(self) -> None:
        """Many elementwise parts of one captured operation, as a cipher of random bits has, are one
        group from the start: pair by pair they would be lowered over and over."""
        parts: dict[object, list[Value]] = {}
        for node in self.values.fusible:
            of = origins.captured(node.origins)
            if of and node.op in ELEMENTWISE:
                parts.setdefault((of, node.type), []).append(node)
        for nodes in parts.values():
            whole = self._group(frozenset(nodes), None) if len(nodes) >= _MANY_PARTS else None
            alone = [self.owner[n] for n in nodes]
            if any(len(group.members) > 1 for group in alone):
                continue  # one that was forced
            if isinstance(whole, Group) and not self.order.reaches_around(alone):
                self._merge(alone, whole)

    def _begin_with_cones(self) -> None:
        """What is certain to share a kernel is lowered once, and not once for each of its pairs."""
        for cone in cones(self.values, captured, cost.MAX_OPS):
            alone = [self.owner[n] for n in cone]
            if any(len(group.members) > 1 for group in alone):
                continue  # a part of many
            whole = self._group(frozenset(cone), cost.MAX_DEFINITIONS)
            if isinstance(whole, Group) and self._repeats_nothing(whole, alone):
                self._merge(alone, whole)

    def _repeats_nothing(self, whole: Group, parts: Sequence[Group]) -> bool:
        """Whether it stays within every limit, and neither computes anything more often than its
        parts nor reads more across."""
        kernel, across = whole.kernel, cost.across_bytes
        if len(kernel.buffers) > cost.MAX_BUFFERS or reasons.against(kernel, self.model):
            return False
        more = across(kernel) > sum(across(part.kernel) for part in parts)
        return not more and whole.work <= sum(part.work for part in parts)

    # -- candidate pairs

    def _push(self, group: Group, elders_only: bool = False) -> None:
        """Queues the group with every group that it shares a value with."""
        for other in self._near(group):
            if other is not group and not (elders_only and other.last > group.last):
                a, b = self._ordered(group, other)
                self.queue.push(self._gain(a, b), a, b)

    def _near(self, cluster: Cluster) -> dict[Group, None]:
        """The groups that share a value with it."""
        near: dict[Group, None] = {}
        for value in sorted({*cluster.reads, *cluster.outputs}, key=lambda n: n.id):
            readers = self.values.readers[value]
            if value in cluster.reads:
                readers = self._nearest(readers, cluster)
            near |= dict.fromkeys(self.owner[n] for n in (value, *readers) if n in self.owner)
        return near

    def _nearest(self, readers: tuple[Value, ...], group: Cluster) -> tuple[Value, ...]:
        """The readers of a value that are near the group in the graph's order: if hundreds read one
        value, trying every pair is not worth it."""
        at = bisect_left(readers, group.last, key=self.place.__getitem__)
        return readers[max(0, at - _SIBLINGS) : at + _SIBLINGS]

    def _ordered(self, a: C, b: C) -> tuple[C, C]:
        """The pair with the producer first; the earlier one first if neither reads the other."""
        if any(n in b.reads for n in a.outputs):
            return a, b
        if any(n in a.reads for n in b.outputs) or b.last < a.last:
            return b, a
        return a, b

    def _gain(self, a: Cluster, b: Cluster) -> float:
        flowing = [n for n in a.outputs if n in b.reads]
        shared = [n for n in a.reads & b.reads if n not in flowing]
        unread = [n for n in flowing if self.clusters.only_reader(n, b)]
        return cost.saved_us(self.model, flowing + shared, 1, unread)

    # -- one pair

    def _consider(self, gain: float, a: Group, b: Group) -> None:
        row = self._in_a_row(a, b)
        parts, merged = self._at_once(row) or ([a, b], self._try(gain, a, b))
        if isinstance(merged, FusionRefusal):
            self.refused[a, b] = merged
            return
        self.pace[merged] = 1 if len(parts) < len(row) else len(parts)
        self._merge(parts, merged)
        self._push(merged)

    def _in_a_row(self, a: Group, b: Group) -> list[Group]:
        """The pair, and those that would join it next, one after the other: at most twice as many
        as became one of them."""
        parts, most = [a, b], 2 * max(self.pace.get(a, 1), self.pace.get(b, 1))
        whole = self.clusters.joined(a, b)
        if self._unfit([a], b, whole) is not None:
            return parts
        while len(parts) < most and (found := self._next(whole, parts)) is not None:
            more, whole = found
            parts.append(more)
        return parts

    def _next(self, whole: Cluster, parts: Sequence[Group]) -> tuple[Group, Cluster] | None:
        """The group that would be merged with `whole` next, were that one, and both as one; None if
        another pair would come first."""
        others = [(self._key(whole, g), g) for g in self._near(whole) if g not in parts]
        first = self.queue.first_without(parts) if others else None
        for place, more in sorted(others, key=itemgetter(0)):
            if first is not None and first < place:
                break
            both = self.clusters.joined(whole, more)
            if self._unfit(parts, more, both) is None:
                return more, both
        return None

    def _key(self, whole: Cluster, other: Cluster) -> Key:
        a, b = self._ordered(whole, other)
        return key(self._gain(a, b), a, b)

    def _at_once(self, parts: list[Group]) -> tuple[list[Group], Group] | None:
        """The parts that can be merged at once, as far as that repeats nothing: so each is lowered
        a few times, and not once for each that joins it."""
        while len(parts) > 2:
            whole = self._lowered(self.clusters.joined(*parts))
            if isinstance(whole, Group) and self._repeats_nothing(whole, parts):
                return parts, whole
            parts = parts[: len(parts) // 2 + 1]
        return None

    def _merge(self, parts: Sequence[Group], whole: Group) -> None:
        self.order.merge(parts, whole)
        self.owner |= dict.fromkeys(whole.members, whole)

    def _try(self, gain: float, a: Group, b: Group) -> Group | FusionRefusal:
        whole = self.clusters.joined(a, b)
        against = self._unfit([a], b, whole)
        if against is not None:
            return against
        merged = self._lowered(whole)
        if isinstance(merged, FusionRefusal):
            return merged
        against = reasons.against(merged.kernel, self.model)
        against = against or reasons.costs_more(a, b, merged, gain, self.model)
        return merged if against is None else against

    def _unfit(self, parts: Sequence[Group], more: Group, whole: Cluster) -> FusionRefusal | None:
        """Why `parts` and `more` cannot be one, as far as is seen without lowering them."""
        against = reasons.too_wide(whole)
        return against or (reasons.BETWEEN if self.order.reaches_around([*parts, more]) else None)

    # -- facts

    def _group(self, members: frozenset[Value], most: int | None) -> Group | FusionRefusal:
        return self._lowered(self.clusters.of(members), most)

    def _lowered(
        self, cluster: Cluster, most: int | None = cost.MAX_DEFINITIONS
    ) -> Group | FusionRefusal:
        """The cluster with its kernel, of `most` definitions, or why there is none, or may not
        be."""
        members = cluster.members
        if against := self.steering.forbids(members):
            return FusionRefusal(Reason("forbidden", against))
        kernel = self.lowered.get(members)
        if kernel is None:
            kernel = lower("kernel", members, cluster.outputs, self.values, self.names, most)
            self.lowered[members] = kernel
        if isinstance(kernel, FusionRefusal):
            return kernel
        return Group(**vars(cluster), kernel=kernel, model=self.model)

    def _readers(self, unit: Unit) -> Iterator[Unit]:
        """The groups and opaque operations that read a unit."""
        outputs = unit.outputs if isinstance(unit, Group) else unit.operation.results
        for value in outputs:
            for reader in self.values.readers[value]:
                found = self.owner.get(reader, reader)
                if found is not unit:
                    yield found
