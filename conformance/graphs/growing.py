"""A graph that grows step by step, with what its values are."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from compiler_core.errors import FuselabError
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir import eval_numpy, sizes
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.sizes import Dim, Symbol
from compiler_core.ir.substitute import substitute, type_at
from compiler_core.ir.types import F32, DType, TensorType
from conformance.graphs import arrays
from conformance.graphs.exactness import Array, is_exact, jumps

Sizes = Mapping[Symbol, int]
_MOST_ELEMENTS = 4096
_LARGEST = 1e4
# Where the sign of a zero, which no two orders of a sum agree on, or a NaN's bits would be seen.
_SEES_SIGNS = frozenset({"atan2", "bitcast_convert", "power"})
_FINITE_ONLY = frozenset({"dot_general", "convolution", "while", "scan", "case", "call"})
# Of no element there is nothing but an infinity.
_MAY_BE_INFINITE = frozenset({"constant", "reduce", "reduce_window", "cumulative", "gather"})


class Unfit(Exception):
    """A step has no meaning for its operands, or one that rounding decides."""


@dataclass(frozen=True)
class Known:
    """A value and what it is in each call (of other sizes, where it has symbols)."""

    value: Value
    arrays: tuple[Array, ...]
    exact: bool

    @property
    def type(self) -> TensorType:
        return self.value.type

    @property
    def rank(self) -> int:
        return self.value.type.rank

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.value.type.shape


class Growing:
    """The values so far, of a graph or of one region within it. `calls` are the sizes of each call,
    `dims` the dimensions that new values are made of."""

    def __init__(
        self, rng: random.Random, builder: Builder, calls: Sequence[Sizes], dims: Sequence[Dim]
    ) -> None:
        self.rng, self.builder, self.calls, self.dims = rng, builder, calls, dims
        self.pool: list[Known] = []
        # What each input is in each call; None in a region, which has no inputs but its arguments.
        self.inputs: list[tuple[Array, ...]] | None = []

    def within(self, arguments: Sequence[Value], given: Sequence[tuple[Array, ...]]) -> "Growing":
        """A region's values, whose arguments are at first what is `given`."""
        inner = Growing(self.rng, self.builder, self.calls, self.dims)
        inner.inputs = None
        inner.pool = [
            Known(x, given, not x.type.dtype.is_float)
            for x, given in zip(arguments, given, strict=True)
        ]
        return inner

    # -- operands

    def pick(self, fits: Callable[[TensorType], bool] = lambda t: True) -> Known | None:
        """A value whose type fits, the newest the most often; None where there is none."""
        found = [k for k in self.pool if fits(k.type)]
        return found[-1 - min(self.below(len(found)), self.below(len(found)))] if found else None

    def operand(self, fits: Callable[[TensorType], bool], make: Callable[[], TensorType]) -> Known:
        """A value whose type fits; a new one of type `make()` where there is none, and at times
        where there is one."""
        found = None if self.chance(0.15) else self.pick(fits)
        return found or self.leaf(make())

    def of_rank(self, least: int, dtypes: Sequence[DType] | None = None) -> Known:
        """A value of `least` dimensions or more."""

        def fits(t: TensorType) -> bool:
            return t.rank >= least and (dtypes is None or t.dtype in dtypes)

        def make() -> TensorType:
            return TensorType(self.rng.choice(dtypes or (F32,)), self.shape(least, least + 2))

        return self.operand(fits, make)

    def like(self, x: Known, dtype: DType | None = None) -> Known:
        """A value of the shape of `x`, and of its type or of `dtype`."""
        wanted = x.type.with_dtype(dtype or x.type.dtype)
        return self.operand(lambda t: t == wanted, lambda: wanted)

    def leaf(self, type_: TensorType, content: arrays.Content | None = None) -> Known:
        """A new input; in a region a constant."""
        if self.inputs is None:
            if content is not None:
                raise Unfit("a region has no such input")
            return self.add("constant", type=type_, value=self.number(type_.dtype))[0]
        content = content or self.rng.choice((*arrays.CONTENTS[:3], *arrays.CONTENTS))
        seed = self.rng.randrange(1000)
        values = tuple(
            content(np.random.RandomState(seed), type_at(type_, at).sizes, type_.dtype)
            for at in self.calls
        )
        if any(x.size > _MOST_ELEMENTS for x in values):
            raise Unfit("too many elements")
        self.inputs.append(values)
        exact = content is not arrays.any_number or not type_.dtype.is_float
        known = Known(self.builder.parameter(type_), values, exact)
        self.pool.append(known)
        return known

    def number(self, dtype: DType) -> Any:
        if dtype.kind == "bool":
            return self.chance(0.5)
        low = 0 if dtype.kind == "uint" else -3
        whole = self.rng.randint(low, 4)
        return whole / 2 if dtype.is_float else whole

    # -- numbers

    def below(self, count: int) -> int:
        return self.rng.randrange(count) if count > 1 else 0

    def chance(self, share: float) -> bool:
        # The simplest number is that of what is left out.
        return self.rng.randrange(100) >= 100 - 100 * share

    def shape(self, least: int = 0, most: int = 3) -> tuple[Dim, ...]:
        return tuple(self.rng.choice(self.dims) for _ in range(self.rng.randint(least, most)))

    def some(self, dims: Iterable[int]) -> tuple[int, ...]:
        """Some of these, in order."""
        return tuple(d for d in dims if self.chance(0.5))

    def least(self, dim: Dim) -> int:
        """A dimension's least size among the calls."""
        return min(sizes.evaluate(dim, at) for at in self.calls)

    # -- operations

    def add(
        self, op: str, *operands: Known, regions: Sequence[Region] = (), **attrs: Any
    ) -> tuple[Known, ...]:
        """The results of an operation. Raises Unfit."""
        try:
            values = self.builder.operation(op, [k.value for k in operands], regions, **attrs)
        except (FuselabError, TypeError) as error:
            raise Unfit(str(error)) from error
        operation = values[0].operation
        floats = [k for k in operands if k.type.dtype.is_float]
        exact = all(k.exact for k in operands)
        if jumps(operation) and not all(k.exact for k in floats):
            raise Unfit("rounding would decide")
        results = [
            self._evaluated(operation, at, [k.arrays[i] for k in operands])
            for i, at in enumerate(self.calls)
        ]
        for i, arrays_ in enumerate(results):
            _check(operation, [k.arrays[i] for k in operands], arrays_)
        known = tuple(
            Known(value, tuple(r[j] for r in results), exact and all(
                is_exact(operation, value.type.dtype, [k.arrays[i] for k in operands], r[j])
                for i, r in enumerate(results)
            ))
            for j, value in enumerate(values)
        )  # fmt: skip
        self.pool.extend(known)
        return known

    def _evaluated(self, operation: Operation, at: Sizes, operands: Sequence[Array]) -> list[Array]:
        """Its results in one call."""
        # The first argument has all symbols, which need not be in the operands.
        builder = Builder(10**6)
        builder.parameter(TensorType(F32, tuple(map(sizes.size, at))))
        params = [builder.parameter(x.type) for x in operation.operands]
        step = Operation(
            10**7, operation.op, tuple(params), operation.types, operation.attrs, (),
            operation.regions,
        )  # fmt: skip
        graph = substitute(Graph.of("step", builder.inputs, step.results), at)
        if any(x.type.numel > _MOST_ELEMENTS for x in graph.outputs):
            raise Unfit("too many elements")
        return eval_numpy.evaluate(graph, [np.zeros(graph.inputs[0].type.sizes, "f4"), *operands])


def _check(operation: Operation, operands: Sequence[Array], results: Sequence[Array]) -> None:
    """Raises Unfit where a meaning is not defined, or where it is known to differ from one order of
    computation to another."""
    op, floats = operation.op, [x.astype("f8") for x in operands if _is_float(x)]
    finite = all(np.isfinite(x).all() for x in floats)
    if op in _FINITE_ONLY and not finite:
        raise Unfit("of finite numbers only")
    if op in _SEES_SIGNS and any((x == 0).any() or np.isnan(x).any() for x in floats):
        raise Unfit("the sign of a zero would be seen")
    if op == "divide" and floats and (floats[1] == 0).any():
        raise Unfit("the sign of a zero would be seen")
    if (
        op == "convert"
        and floats
        and not _is_float(results[0])
        and not _converts(operation, floats[0])
    ):
        raise Unfit("of no such number")
    for x in (r.astype("f8") for r in results if _is_float(r)):
        if np.abs(x[np.isfinite(x)]).max(initial=0.0) > _LARGEST:
            raise Unfit("a large number")
        if finite and op not in _MAY_BE_INFINITE and not np.isfinite(x).all():
            raise Unfit("no number")


def _is_float(x: Array) -> bool:
    return x.dtype.kind == "f" or x.dtype == NUMPY["bf16"]


def _converts(operation: Operation, x: Array) -> bool:
    """Whether a type of whole numbers has them all."""
    dtype = operation.types[0].dtype
    if dtype.kind == "bool":
        return True
    info = np.iinfo(NUMPY[dtype.name])
    return bool(np.isfinite(x).all() and (x > float(info.min) - 1).all()
                and (x < float(info.max)).all())  # fmt: skip
