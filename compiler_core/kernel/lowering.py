"""Lowering a set of operations to one loop-level Kernel, or the reason why they are not one loop
nest.

This defines what fusion is legal: whatever lowers. The lowering chooses the loop axes from the
group's reductions (or its outputs), then asks for the value of each output at its index and
recurses into operands, transforming the index through views, until it reaches memory (as XLA's
indexing maps, restricted to the affine case).
"""

from collections.abc import Collection, Generator, Mapping, Sequence
from math import prod
from typing import Literal

from compiler_core.ir import ops
from compiler_core.ir.graph import Value
from compiler_core.ir.ranges import range_of
from compiler_core.ir.sizes import Size, Undecided, hint
from compiler_core.ir.types import I64
from compiler_core.kernel import affine, combined, indexed, pieces
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.asking import answered
from compiler_core.kernel.canonicalize import canonicalize, flip
from compiler_core.kernel.effects import Effect, Phase, Store
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.intervals import Interval
from compiler_core.kernel.kernel import BufferParam, Kernel, Load, roots
from compiler_core.kernel.loop_space import LoopSpace, followed
from compiler_core.kernel.narrow import narrowed
from compiler_core.kernel.point import Asking, Nest
from compiler_core.kernel.read_order import in_read_order
from compiler_core.kernel.refusal import FusionRefusal, Refused, named
from compiler_core.kernel.written_order import in_written_order
from compiler_core.report.reasons import Reason


def lower(
    name: str,
    members: Collection[Value],
    outputs: Sequence[Value],
    values: FusionView,
    buffer_names: Mapping[Value, str],
    most: int | None = None,
) -> Kernel | FusionRefusal:
    """The kernel that computes `members` and writes `outputs`, with at most `most` definitions, or
    why there is none.

    `buffer_names` names the memory of every value outside the group, and of the outputs.
    """
    lowering = _Lowering(name, frozenset(members), values, buffer_names, most)
    try:
        kernel = narrowed(lowering.run(outputs), lowering.ranges())
        return canonicalize(in_read_order(in_written_order(kernel)))
    except Refused as refusal:
        return refusal.refusal
    except Undecided as question:
        return FusionRefusal(Reason("size not known", question.message), undecided=True)


# The operations that select the elements that they read.
_RULES = indexed.RULES | pieces.RULES
# Asks for the index of the loops' current point in a value.
Standing = Generator[Value, Index | None, Index | None]


class _Lowering(Nest):
    def __init__(
        self,
        name: str,
        members: frozenset[Value],
        values: FusionView,
        names: Mapping[Value, str],
        most: int | None,
    ) -> None:
        super().__init__(most)
        self.name, self.members, self.values, self.names = name, members, values, names
        self.phases: dict[int, list[Effect]] = {}
        self.buffers: dict[str, BufferParam] = {}
        # Where the loop's present point stands in a value, None where that is not known.
        self.stands: dict[Value, Index | None] = {}
        # Of each value in i64, what it is an element of.
        self.counts: dict[str, Value] = {}

    # -- the loop axes

    def run(self, outputs: Sequence[Value]) -> Kernel:
        combined.refuse_empty(self.members)
        found = (n for n in self.members if n.op in combined.RULES)
        reductions = sorted(found, key=self.values.place.__getitem__)
        self.loops = self._choose_loops(reductions, outputs)
        self.extents = dict(self.loops.extents)
        for output in outputs:
            self._store(output)
        origins = sorted({o for d in (*self.defs, *self._effects()) for o in d.origins})
        phases = tuple(Phase(tuple(self.phases[i])) for i in sorted(self.phases))
        windowed = any(n.op == "reduce_window" for n in reductions)
        kernel = Kernel(
            self.name, "column" if windowed else "elementwise", self.loops.axes,
            tuple(self.buffers.values()), tuple(self.defs), phases, tuple(origins),
        )  # fmt: skip
        kernel = combined.place_scans(kernel)
        return flip(kernel, kernel.reduce[0].name) if self.backwards else kernel

    def _effects(self) -> list[Effect]:
        return [e for effects in self.phases.values() for e in effects]

    def _choose_loops(self, reductions: list[Value], outputs: Sequence[Value]) -> LoopSpace:
        """Over the shape of the largest reduction's operand, else of the largest output."""
        if reductions:
            widest = max(reductions, key=lambda n: hint(prod(combined.loop_space(n)[0])))
            combined.same_extents(reductions, widest)
            return LoopSpace(*combined.loop_space(widest))
        scattered = [n.operands[2] for n in outputs if indexed.is_scattered(n)]
        widest = max(scattered or outputs, key=lambda n: hint(n.type.elements))
        return LoopSpace((widest if scattered else followed(widest, self.members)).type.shape)

    # -- outputs

    def _store(self, output: Value) -> None:
        if indexed.is_scattered(output):
            return self._scatter(output)
        walked, index = self._place(output)
        value = self.value(walked, index)
        store = Store(
            self._buffer(output, "out"), affine.linear(index, walked.type.shape), value,
            output.origins,
        )  # fmt: skip
        self.effect(store, self.level[value])

    def _scatter(self, output: Value) -> None:
        """The kernel loops over the updates; each is combined into memory at its place."""
        operand, _, updates = output.operands
        if updates.type.shape != self.loops.shape or self.loops.reduce:
            raise Refused(
                "scattered write",
                f"{named(output)} needs a kernel that only loops over its updates {updates.type}",
            )
        if self.values.base(operand) in self.members:
            raise Refused(
                "scattered write",
                f"{named(output)} writes into {named(operand)}, which must be complete before",
            )
        at, inside = answered(indexed.place(self, output, self.loops.index), self._element)
        value, access = self.value(updates, self.loops.index), affine.linear(at, operand.type.shape)
        effect = Store(
            self._buffer(output, "inout"), access, value, output.origins, inside, output["combine"]
        )
        self.phases.setdefault(max(self.level[v] for v in roots(effect)), []).append(effect)

    def _place(self, output: Value) -> tuple[Value, Index]:
        """A value with the output's elements in the same order, and the index of the current point
        in its shape: the output itself, or an operand that it is a reshape of."""
        node = output
        while (index := self._output_index(node)) is None:
            if not ops.OPS[node.op].same_order:
                raise Refused(
                    "other shapes",
                    f"{named(output)} is iterated over {output.type.shape}, "
                    f"the kernel over {self.loops.shape}",
                )
            (node,) = node.operands
        return node, index

    def _output_index(self, node: Value) -> Index | None:
        """The index of the current point in `node`'s own shape; None if the loop does not follow
        it."""
        return answered(self._standing(node), self._standing)

    def _standing(self, node: Value) -> Standing:
        if node not in self.stands:
            self.stands[node] = yield from self._found_index(node)
        return self.stands[node]

    def _found_index(self, node: Value) -> Standing:
        if ops.OPS[node.op].permutes and self._walked(node.operands[0]):
            inner = yield node.operands[0]
            if inner is not None:
                return affine.result_index(node, inner, self.extents)
        if node.op in ops.ELEMENTWISE:
            for operand in filter(self._inside, node.operands):
                index = yield operand
                if index is not None:
                    return index
        return self.loops.index_in(node.type.shape)

    def _walked(self, node: Value) -> bool:
        """Whether the loop space is the value's own shape, or the kernel computes it."""
        return node.type.shape == self.loops.shape or self._inside(node)

    def _inside(self, node: Value) -> bool:
        """Whether the value is a member, or has the elements of one in any order."""
        while node not in self.members and ops.OPS[node.op].permutes:
            node = node.operands[0]
        return node in self.members

    # -- values

    def value(self, node: Value, index: Index) -> str:
        """The name of `node`'s element at `index`."""
        return answered(self._element((node, index)), self._element)

    def _element(self, at: tuple[Value, Index]) -> Asking[str]:
        key = (*at, self.mask)
        if key not in self.memo:
            self.memo[key] = yield from self._define(*at)
            if at[0].type.dtype is I64:
                self.counts[self.memo[key]] = at[0]
        return self.memo[key]

    def _define(self, node: Value, index: Index) -> Asking[str]:
        if node not in self.members or ops.OPS[node.op].fusion == "literal":
            return (yield from self._outside(node, index))
        if node.op in combined.RULES:
            return (yield from combined.combined(self, node, index))
        if indexed.is_scattered(node):
            raise Refused(
                "scattered write",
                f"{named(node)} is complete only after the kernel that writes its updates",
            )
        if node.op in _RULES:
            return (yield from _RULES[node.op](self, node, index))
        if ops.OPS[node.op].free_view:
            return (yield from self._through(node, index))
        args = list[str]()
        for x in node.operands:
            args.append((yield x, index))
        direction = node["direction"] if node.op == "compare" else ""
        return self.compute(node, node.type.dtype, node.op, tuple(args), direction)

    def _outside(self, node: Value, index: Index) -> Asking[str]:
        match node.op:
            case "constant":
                return self._constant(node)
            case "iota":
                return self.index(node, node.type.dtype, index[node["dimension"]])
        stored = self._in_memory(node)
        if stored is not None:
            return self._load(node, stored, index)
        return (yield from self._through(node, index))

    def _load(self, node: Value, stored: Value, index: Index) -> str:
        """The element of `node` at `index`, from memory that has its elements in its order."""
        access = affine.linear(index, node.type.shape)
        buffer = self._buffer(stored, "in")
        return self.once(
            ("load", buffer, access, self.mask),
            lambda n: Load(n, node.type.dtype, buffer, access, node.origins, self.mask),
            *access.values,
        )

    def _constant(self, node: Value) -> str:
        """A constant; a symbolic size is an index expression without axes."""
        value, dtype = node["value"], node.type.dtype
        if isinstance(value, Size):
            return self.index(node, dtype, Affine((), value))
        return self.constant(dtype, value)

    def _in_memory(self, node: Value) -> Value | None:
        """The value in dense memory with the same elements in the same order: a reshape of memory
        is the same memory."""
        while node not in self.members:
            if self.values.is_buffer(node) or self.values.is_fusible(node):
                return node
            if not ops.OPS[node.op].same_order:
                return None
            node = node.operands[0]
        return None

    def _through(self, view: Value, index: Index) -> Asking[str]:
        moved = affine.operand_index(view, index, self.extents)
        if moved is None:
            (operand, *_) = view.operands
            stored = self._in_memory(operand) if ops.OPS[view.op].same_order else None
            if stored is not None:
                return self._load(view, stored, index)
            reason = f"{named(view)} does not read {named(operand)} at an affine index of the loop"
            raise Refused("no affine view", reason, None if operand in self.members else operand)
        return (yield view.operands[0], moved)

    def ranges(self) -> dict[str, Interval]:
        """The ranges of i64 values, by name, that the graph proves (ir/ranges.py), in addition to
        those that follow from the kernel's own definitions."""
        # What a mask hides is another element than the one that it stands for.
        masked = {d.name for d in self.defs if isinstance(d, Load) and d.mask}
        found = ((name, range_of(of)) for name, of in self.counts.items() if name not in masked)
        return {name: (int(own[0]), int(own[1])) for name, own in found if own is not None}

    # -- effects and buffers

    def effect(self, effect: Effect, level: int) -> None:
        self.phases.setdefault(level, []).append(effect)

    def _buffer(self, node: Value, role: Literal["in", "out", "inout"]) -> str:
        name = self.names[node]
        if name not in self.buffers:
            self.buffers[name] = BufferParam(name, node.type, role)
        return name
