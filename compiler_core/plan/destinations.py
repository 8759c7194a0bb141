"""Before fusion: each scatter that modifies memory gets a destination of its own.

A scatter's kernel combines its updates with what an earlier kernel has written: its operand, if
nobody else reads it, else a copy. 16-bit floats are combined in f32 and rounded once, as an
embedding's gradient requires; short integers in i32, for which there are atomics.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from compiler_core.ir import ops
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Operation, Region, Value
from compiler_core.ir.types import BF16, BOOL, F16, F32, I32, DType
from compiler_core.ir.verify import verify
from compiler_core.kernel.indexed import is_scattered


def own_destinations(graph: Region) -> tuple[Region, frozenset[Value]]:
    """The graph with a destination for every scatter, and the copies that were added, which are
    reshapes to be materialized. Returns `graph` itself if it has no scatter."""
    if not any(is_scattered(v) for v in graph.computed):
        return graph, frozenset()
    return _Rewriting(graph).run()


@dataclass
class _Rewriting:
    graph: Region
    new: dict[Value, Value] = field(default_factory=dict)
    copies: set[Value] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.builder = Builder(self.graph.next_id)

    def run(self) -> tuple[Region, frozenset[Value]]:
        self.new |= {x: x for x in self.graph.inputs}
        for operation in self.graph.operations:
            with self.builder.origin(*operation.origins):
                results = self._operation(operation)
            self.new |= zip(operation.results, results, strict=True)
        outputs = (self.new[x] for x in self.graph.outputs)
        rewritten = type(self.graph).of(self.graph.name, self.graph.inputs, outputs)
        return verify(rewritten, "giving scatters a destination"), frozenset(self.copies)

    def _operation(self, operation: Operation) -> Iterable[Value]:
        operands = [self.new[x] for x in operation.operands]
        if is_scattered(operation.results[0]):
            return (self._scatter(operation, operands),)
        return self.builder.like(operation, operands).results

    def _scatter(self, operation: Operation, operands: list[Value]) -> Value:
        b, (operand, indices, updates) = self.builder, operands
        dtype = operand.type.dtype
        upcast = _combined_in(dtype, operation["combine"])
        if upcast is dtype and not self._is_own(*operation.operands):
            operand = b.node("reshape", operand, shape=operand.type.shape)
            self.copies.add(operand)
        operand, updates = b.convert(operand, upcast), b.convert(updates, upcast)
        scattered = b.node("scatter", operand, indices, updates, **dict(operation.attrs))
        if dtype is BOOL and upcast is not BOOL:
            return b.compare(scattered, b.scalar(0, upcast, scattered.type.shape), "NE")
        return b.convert(scattered, dtype)

    def _is_own(self, operand: Value, *others: Value) -> bool:
        """Whether it is computed by a loop, and only to be written to: not for `others`, which the
        scatter reads."""
        computed = ops.OPS[operand.op].fusion == "loop" and len(operand.operation.types) == 1
        read = operand in others or operand in self.graph.outputs
        return computed and not read and len(self.graph.users[operand]) == 1


def _combined_in(dtype: DType, combine: str) -> DType:
    if combine == "set":
        return dtype
    if dtype in (F16, BF16):
        return F32
    return I32 if dtype.bits < I32.bits else dtype
