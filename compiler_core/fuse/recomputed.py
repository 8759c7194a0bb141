"""Recomputation: values that cost less to compute in each consumer than to keep in memory.

    wide = convert(x) : f64          read by a sum over everything, and by one over each row

The two sums are two kernels, so that `wide` would be written by one and read by the other: twice
the bytes of `x`. Where every kernel that reads such a value can compute it from what is in memory
anyway, and the arithmetic costs less than the bytes, each does, and nobody writes it (XLA likewise
fuses a cheap producer into each of its users; TorchInductor inlines what it does not realize).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from compiler_core.fuse import cost, reasons
from compiler_core.fuse.clusters import Cluster, captured
from compiler_core.fuse.group import Fused, Group
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import ELEMENTWISE, OPS
from compiler_core.ir.sizes import hint
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.lowering import lower
from compiler_core.steering import current

# The factor on added arithmetic: small values are written to and read from caches, where bytes cost
# less than the model says.
_DOUBT = 2.0

# Of floats, what no compiler computes together with what reads it.
_ROUNDED = frozenset({
    "abs", "add", "ceil", "clamp", "convert", "divide", "floor", "maximum", "minimum", "negate",
    "select", "subtract",
})  # fmt: skip


def recomputed(fused: Fused, model: cost.CostModel) -> Fused:
    """`fused` with every value recomputed by its consumers where the cost model finds that cheaper
    than writing and reading it. Nested regions stay unchanged."""
    groups = _Groups(fused, model)
    again = tuple(value for value in _kept(fused) if groups.recompute(value))
    refusals = tuple(r for r in fused.refusals if r.producer not in again)
    now = tuple(group for group in groups.now.values() if group is not None)
    return replace(fused, groups=now, refusals=refusals, recomputed=again) if again else fused


def _kept(fused: Fused) -> list[Value]:
    """The elementwise values written to memory and read by kernels alone, operands first."""
    values = fused.values
    found = (v for group in fused.groups for v in group.outputs if v.op in ELEMENTWISE)
    within = (v for v in found if v not in values.results)
    by_kernels = (v for v in within if not any(map(values.is_opaque, values.readers[v])))
    return sorted(by_kernels, key=values.place.__getitem__)


@dataclass
class _Groups:
    """The groups while values are recomputed: `now` has them by number, None for a group that has
    no output left."""

    fused: Fused
    model: cost.CostModel

    def __post_init__(self) -> None:
        self.values, self.now = self.fused.values, dict[int, Group | None]()
        self.homes = defaultdict[Value, set[int]](set)
        self._replace(dict(enumerate(self.fused.groups)))

    def _replace(self, groups: Mapping[int, Group | None]) -> None:
        self.now |= groups
        for number, group in groups.items():
            for value in group.members if group else ():
                self.homes[value].add(number)

    def recompute(self, value: Value) -> bool:
        """Makes each consumer of `value` compute it. Changes nothing and returns False if one of
        them cannot, or if the kernels together would take longer."""
        around = (value, *self.values.readers[value])
        before = {n: g for x in around for n in self.homes[x] if (g := self.now[n])}
        writer = next(n for n, group in before.items() if value in group.outputs)
        readers = {n: g for n, g in before.items() if value in g.reads}
        cone = self._cone(value, before[writer])
        if cone is None or not self._may_gain(value, cone, len(readers)):
            return False
        after = {n: self._grown(group, cone) for n, group in readers.items()}
        rest = [v for v in before[writer].outputs if v is not value]
        after[writer] = self._group(self._needed(rest, before[writer]), rest) if rest else None
        fits = all(after[n] for n in (*readers, *([writer] if rest else ())))
        if not fits or not self._is_less(after.values(), before.values()):
            return False
        self._replace(after)
        return True

    def _is_less(self, after: Iterable[Group | None], before: Iterable[Group]) -> bool:
        now, then = (_us(groups, self.model) for groups in (after, before))
        added = sum(g.work for g in after if g) - sum(g.work for g in before)
        return now + (_DOUBT - 1) * max(0.0, added) / self.model.ops_per_us < then

    def _cone(self, value: Value, producer: Group) -> set[Value] | None:
        """The operations that compute `value` from memory; None if one is not elementwise, or may
        be another number in each reader. None of them is changed in place: what a scatter changes
        has no other reader (plan/destinations.py)."""
        found = self._needed([value], producer, stop={*producer.outputs} - {value})
        return found if all(v.op in ELEMENTWISE and _is_same(v) for v in found) else None

    def _needed(
        self, outputs: Iterable[Value], group: Group, stop: Collection[Value] = ()
    ) -> set[Value]:
        """The members of `group` that compute `outputs`, up to those in `stop`, exclusive."""
        found, waiting = set[Value](), [*outputs]
        while waiting:
            node = waiting.pop()
            if node in group.members and node not in found and node not in stop:
                found.add(node)
                waiting += self.values.reads[node]
        return found

    def _read_by(self, members: Collection[Value]) -> frozenset[Value]:
        read = (v for n in members for v in self.values.reads[n] if not self.values.is_literal(v))
        return frozenset(read) - frozenset(members)

    def _may_gain(self, value: Value, cone: Collection[Value], readers: int) -> bool:
        """Whether recomputing `cone` can cost less than writing and reading `value`."""
        saved = cost.saved_us(self.model, [value] * readers, 1, [value])
        adds = sum(OPS[v.op].cost * hint(v.type.elements) for v in cone)
        return adds * (readers - 1) / self.model.ops_per_us < saved

    # -- the groups that there would be

    def _grown(self, group: Group, cone: set[Value]) -> Group | None:
        """`group` with `cone` added; None if that is no kernel or exceeds a limit."""
        found = self._group(cone | group.members, group.outputs)
        if found is None or current().forbids(found.members) or reasons.too_wide(found):
            return None
        return found if reasons.against(found.kernel, self.model) is None else None

    def _group(self, members: Collection[Value], outputs: Collection[Value]) -> Group | None:
        of, place = frozenset(members), self.values.place
        most = cost.MAX_DEFINITIONS
        kernel = lower("kernel", of, tuple(outputs), self.values, self.fused.names, most)
        if not isinstance(kernel, Kernel):
            return None
        last = max(place[v] for v in of)
        cluster = Cluster(of, tuple(outputs), self._read_by(of), last, frozenset(map(captured, of)))
        return Group(**vars(cluster), kernel=kernel, model=self.model)


def _is_same(value: Value) -> bool:
    """Whether every kernel that computes the value has the same number: a compiler contracts a
    product with the sum or difference that reads it, without rounding the product."""
    return value.op in _ROUNDED or not value.type.dtype.is_float


def _us(groups: Iterable[Group | None], model: cost.CostModel) -> float:
    """The estimated microseconds of `groups`: launches, memory traffic and arithmetic."""
    return sum(_alone_us(group, model) for group in groups if group is not None)


def _alone_us(group: Group, model: cost.CostModel) -> float:
    touched = sum(v.type.at_hint().bytes for v in (*group.reads, *group.outputs))
    across = cost.across_bytes(group.kernel) * (cost.WASTED - 1)
    return model.launch_us + (touched + across) / model.bytes_per_us + group.work / model.ops_per_us
