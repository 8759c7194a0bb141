"""The axes of a kernel, and the index of their current point in values of various shapes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from compiler_core.ir import ops
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.kernel import Axis


@dataclass(frozen=True)
class LoopSpace:
    """A loop for each dimension of `shape` whose size is not 1; the dimensions `reduced` are reduce
    axes, the others parallel ones."""

    shape: tuple[Dim, ...]
    reduced: tuple[int, ...] = ()

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The axes in the order of the dimensions, each kind numbered on its own: i0, r0, i1."""
        return tuple(a for a in self._axis_of if a is not None)

    @cached_property
    def _axis_of(self) -> tuple[Axis | None, ...]:
        """Of each dimension; None where there is no loop."""
        found, parallel, reduce = list[Axis | None](), 0, 0
        for dimension, extent in enumerate(self.shape):
            if extent == 1:
                found.append(None)
            elif dimension in self.reduced:
                found.append(Axis(f"r{reduce}", extent, "reduce"))
                reduce += 1
            else:
                found.append(Axis(f"i{parallel}", extent, "parallel"))
                parallel += 1
        return tuple(found)

    @cached_property
    def reduce(self) -> tuple[Axis, ...]:
        """The reduce axes."""
        return tuple(a for a in self.axes if a.kind == "reduce")

    @cached_property
    def extents(self) -> Mapping[str, Dim]:
        """The extents of the axes, by name."""
        return {a.name: a.extent for a in self.axes}

    @cached_property
    def index(self) -> Index:
        """The present point in `shape`: an axis for each dimension, 0 where its size is 1."""
        return tuple(affine.ZERO if a is None else Affine(((a.name, 1),)) for a in self._axis_of)

    @cached_property
    def reduced_index(self) -> Index:
        """The present point in the dimensions that are reduced."""
        return tuple(part for d, part in enumerate(self.index) if d in self.reduced)

    @cached_property
    def reduced_shape(self) -> tuple[Dim, ...]:
        return tuple(size for d, size in enumerate(self.shape) if d in self.reduced)

    @cached_property
    def kept_index(self) -> Index:
        """The present point in the dimensions that are not reduced."""
        return tuple(part for d, part in enumerate(self.index) if d not in self.reduced)

    @cached_property
    def kept_shape(self) -> tuple[Dim, ...]:
        return tuple(size for d, size in enumerate(self.shape) if d not in self.reduced)

    def index_in(self, shape: tuple[Dim, ...]) -> Index | None:
        """The present point in `shape`, where that is the loops' own or what their reductions keep,
        apart from dimensions of size 1; else None."""
        for index, own in ((self.index, self.shape), (self.kept_index, self.kept_shape)):
            if affine.without_ones(shape) == affine.without_ones(own):
                return affine.reshape(index, own, shape, self.extents)
        return None


def followed(node: Value, members: Collection[Value]) -> Value:
    """The value whose shape the loop follows: a materialized reshape, or a permutation of a member,
    is written from its operand's own loop."""
    while (info := ops.OPS[node.op]).same_order or (info.permutes and node.operands[0] in members):
        node = node.operands[0]
    return node
