"""Loop-invariant code: what every step of a loop would compute anew is computed once, before it.

A value in a loop's body is invariant if it needs nothing but invariants and literals. One that
costs arithmetic, and whose result is no larger than what it is made from, becomes an operand of the
loop. So does the transpose of a matrix that a product reads column by column: it is written out
once, and each step reads rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compiler_core.ir import ops
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import AnyRegion, Graph, Operation, Region, Value
from compiler_core.ir.text import node_text
from compiler_core.ir.types import TensorType
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite

_LAW = "loop { f(invariant) } -> x = f(invariant), loop { x }"


@dataclass(frozen=True)
class LoopInvariants(Pass):
    """What does not change from step to step moves out of a loop's body."""

    name = "loop-invariants"
    about = "what each step of a loop would compute alike is computed before it"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return move_out(graph)


def move_out(graph: Graph) -> tuple[Graph, list[Rewrite]]:
    """The graph with loop-invariant code moved in front of its loops; `graph` itself if nothing
    moves."""
    mover = _Mover(Builder(graph.next_id))
    return mover.region(graph), mover.done


@dataclass
class _Mover:
    builder: Builder
    done: list[Rewrite] = field(default_factory=list)

    def region(self, region: AnyRegion) -> AnyRegion:
        """The region with loop-invariant code moved in front of its loops, innermost loops
        first."""
        before = len(self.done)
        new: dict[Value, Value] = {x: x for x in region.inputs}
        for operation in region.operations:
            moved = self._operation(operation, tuple(new[x] for x in operation.operands))
            new |= zip(operation.results, moved.results, strict=True)
        if len(self.done) == before:
            return region
        return type(region).of(region.name, region.inputs, [new[x] for x in region.outputs])

    def _operation(self, operation: Operation, operands: tuple[Value, ...]) -> Operation:
        regions = tuple(self.region(r) for r in operation.regions)
        if ops.OPS[operation.op].regions == "loop":
            *conditions, body = regions
            turned = self._turned(body, _invariants(operation, body))
            steps = _invariants(operation, turned)
            moved = list(_worth_moving(turned, steps))
            if moved:
                return self._lighter(operation, operands, (*conditions, turned), steps, moved)
        if operands == operation.operands and regions == operation.regions:
            return operation
        return self.builder.like(operation, operands, regions)

    def _turned(self, body: Region, invariants: dict[Value, int]) -> Region:
        """The body with x @ transpose(w) for each product that reads an invariant w by columns."""
        new: dict[Value, Value] = {x: x for x in body.inputs}
        for operation in body.operations:
            operands = tuple(new[x] for x in operation.operands)
            turned = operation
            if _reads_columns(operation, invariants):
                with self.builder.origin(*operation.origins):
                    rows = self.builder.transpose(operands[1], (1, 0))
                    contract = (operation["lhs_contract"], (0,))
                    turned = self.builder.dot_general(
                        operands[0], rows, contract=contract
                    ).operation
            elif operands != operation.operands:
                turned = self.builder.like(operation, operands)
            new |= zip(operation.results, turned.results, strict=True)
        return Region.of(body.name, body.inputs, [new[x] for x in body.outputs])

    def _lighter(
        self,
        loop: Operation,
        operands: tuple[Value, ...],
        regions: tuple[Region, ...],
        steps: dict[Value, int],
        moved: list[Value],
    ) -> Operation:
        """The loop with the values `moved` as further operands."""
        outside = {value: operands[place] for value, place in steps.items()}
        extra = [self._copy(value, outside) for value in moved]
        for value, outer in zip(moved, extra, strict=True):
            self.done.append(
                Rewrite(
                    "loop-invariant", _LAW, node_text(value), node_text(outer), list(value.origins)
                )
            )
        *conditions, body = regions
        extended = [self._extended(region, moved, {}) for region in conditions]
        return self.builder.like(
            loop,
            (*operands, *extra),
            (*extended, self._extended(body, moved, dict.fromkeys(moved))),
        )

    def _copy(self, value: Value, outside: dict[Value, Value]) -> Value:
        """`value` computed outside; what it needs goes with it."""
        if value not in outside:
            operands = [self._copy(x, outside) for x in value.operands]
            copied = self.builder.copy(value.operation, operands)
            outside |= zip(value.operation.results, copied.results, strict=True)
        return outside[value]

    def _extended(self, region: Region, moved: list[Value], replaced: dict[Value, None]) -> Region:
        """The region with an argument for each moved value, read in its place if `replaced`."""
        first = len(region.inputs)
        arguments = [
            self.builder.node("parameter", type=x.type, index=first + i, name="")
            for i, x in enumerate(moved)
        ]
        new: dict[Value, Value] = {x: x for x in region.inputs}
        here = {x: a for x, a in zip(moved, arguments, strict=True) if x in replaced}
        for operation in region.operations:
            extended = operation
            operands = tuple(new[x] for x in operation.operands)
            if operands != operation.operands:
                extended = self.builder.like(operation, operands)
            new |= zip(operation.results, extended.results, strict=True)
            new |= {x: here[x] for x in operation.results if x in here}
        outputs = [new[x] for x in region.outputs]
        return Region.of(region.name, (*region.inputs, *arguments), outputs)


def _invariants(loop: Operation, body: Region) -> dict[Value, int]:
    """The body's arguments that every step has alike, with their places among the operands."""
    first = loop["carried"] + (loop["scanned"] if loop.op == "scan" else 0)
    return {body.inputs[i]: i for i in range(first, len(body.inputs))}


def _worth_moving(body: Region, invariants: dict[Value, int]) -> Iterator[Value]:
    """The values to be made outside, in order: those that something which stays inside reads."""
    known, moving = set(invariants), set[Value]()
    for operation in body.operations:
        info = ops.OPS[operation.op]
        if info.pure and not operation.regions and all(x in known for x in operation.operands):
            known |= set(operation.results)
            if operation.operands and info.fusion in ("loop", "opaque") and _pays(operation):
                moving |= set(operation.results)
    for value in body.computed:
        if value in moving:
            if _is_read_inside(body, value, moving):
                yield value
        elif value in known and _is_turned(body, value):
            yield value


def _pays(operation: Operation) -> bool:
    """Whether the results are no larger than what they are made from, looked at through views."""
    bases = dict.fromkeys(_base(x) for x in operation.operands)
    read = [x.type for x in bases if ops.OPS[x.op].fusion != "literal"]
    return _bytes(operation.types) <= _bytes(read)


def _bytes(types: Iterable[TensorType]) -> int:
    # Whether a value moves changes how fast a program is, not what it computes.
    return sum(t.at_hint().bytes for t in types)


def _base(value: Value) -> Value:
    while ops.OPS[value.op].free_view:
        value = value.operands[0]
    return value


def _is_read_inside(body: Region, value: Value, moving: set[Value]) -> bool:
    readers = (result for user in body.users[value] for result in user.results)
    return value in body.outputs or any(x not in moving for x in readers)


def _reads_columns(operation: Operation, invariants: dict[Value, int]) -> bool:
    """Whether it is a product of two matrices whose right one, an invariant, lies by columns."""
    if operation.op != "dot_general" or operation["lhs_batch"]:
        return False
    right = operation.operands[1]
    return right in invariants and right.type.rank == 2 and operation["rhs_contract"] == (1,)


def _is_turned(body: Region, value: Value) -> bool:
    """Whether it is a transposed matrix that products in the body read as their right operand."""
    if value.op != "transpose" or value.type.rank != 2:
        return False
    return any(
        user.op == "dot_general" and user.operands[1] is value and user["rhs_contract"] == (0,)
        for user in body.users[value]
    )
