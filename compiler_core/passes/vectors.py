"""Products of a matrix and a vector, also one for each of a batch, as sums:

    dot_general(x, y) -> sum over k of x * y

A sum is an ordinary loop, which is fused with what computes its operands and with what reads it. In
which products it is better than a matrix product, each target decides (plan/summed.py); here is
what it is then.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import BF16, F16, F32, F64
from compiler_core.passes import views
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite
from compiler_core.rewrite.engine import Rule, rewrite

_SIXTEEN = (BF16, F16)
_FLOATS = (F32, F64, *_SIXTEEN)
_LAW = "dot_general(x, y) of a matrix and a vector -> sum of x * y"
_WHY = "the target's costs are less: an ordinary loop, which its neighbours may be fused with"


@dataclass(frozen=True)
class SumProducts(Pass):
    """The products with the ids `summed` are sums. Each is of a matrix and a vector."""

    summed: frozenset[int] = frozenset()

    name = "sum-products"
    about = "products of a matrix and a vector as sums, where the target's costs are less so"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return as_sums(graph, self.summed) if self.summed else (graph, [])


def as_sums(graph: Graph, summed: Collection[int]) -> tuple[Graph, list[Rewrite]]:
    """The graph with these products as sums, regions included."""

    def apply(dot: Value, b: Builder) -> Value | None:
        return as_sum(dot, b) if dot.id in summed else None

    plain = (r for r in views.RULES if r.name in ("transpose-twice", "view-of-nothing"))
    return rewrite(graph, (Rule("sum-products", _LAW, apply, _WHY, ("dot_general",)), *plain))


def is_of_vector(dot: Value) -> bool:
    """Whether a product of floats is one of a matrix and a vector, for each of a batch."""
    sides = _sides(dot)
    floats = all(s.x.type.dtype is dot.type.dtype in _FLOATS for s in sides)
    return bool(floats and dot["lhs_contract"] and any(s.is_vector for s in sides))


def as_sum(dot: Value, b: Builder) -> Value:
    """The same product as a sum: of 16-bit floats in f32, which is rounded once."""
    sides = _sides(dot)
    vector = [s for s in sides if s.is_vector][-1]
    matrix = sides[1 - vector.number]
    terms = b.node("multiply", *(_upcast(x, b) for x in (matrix.x, _spread(vector, matrix, b))))
    summed = b.convert(b.reduce(terms, "add", matrix.contract), dot.type.dtype)
    left = [d for d in range(matrix.x.type.rank) if d not in matrix.contract]
    ordered = b.transpose(summed, [left.index(d) for d in (*matrix.batch, *matrix.free)])
    return b.reshape(ordered, dot.type.shape)


@dataclass(frozen=True)
class _Side:
    """An operand of a product, with its dimensions by kind."""

    number: int
    x: Value
    batch: tuple[int, ...]
    contract: tuple[int, ...]

    @classmethod
    def of(cls, dot: Value, number: int, name: str) -> Self:
        batch, contract = dot[f"{name}_batch"], dot[f"{name}_contract"]
        return cls(number, dot.operands[number], tuple(batch), tuple(contract))

    @cached_property
    def free(self) -> tuple[int, ...]:
        return tuple(d for d in range(self.x.type.rank) if d not in (*self.batch, *self.contract))

    @property
    def is_vector(self) -> bool:
        """Whether it has one row, for each of a batch."""
        return all(self.x.type.shape[d] == 1 for d in self.free)


def _sides(dot: Value) -> tuple[_Side, _Side]:
    return _Side.of(dot, 0, "lhs"), _Side.of(dot, 1, "rhs")


def _upcast(x: Value, b: Builder) -> Value:
    return b.convert(x, F32) if x.type.dtype in _SIXTEEN else x


def _spread(vector: _Side, matrix: _Side, b: Builder) -> Value:
    """The vector over the shape of the matrix."""
    pairs = zip((*vector.batch, *vector.contract), (*matrix.batch, *matrix.contract), strict=True)
    to = dict(pairs)
    kept = sorted(to)
    flat = b.reshape(vector.x, [vector.x.type.shape[d] for d in kept])
    order = sorted(range(len(kept)), key=lambda i: to[kept[i]])
    return b.broadcast_in_dim(b.transpose(flat, order), matrix.x.type.shape, sorted(to.values()))
