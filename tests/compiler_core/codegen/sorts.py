"""Programs that put rows in order, and a chooser that takes the way it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import DTYPES, I32, I64, DType, TensorType
from compiler_core.plan.choose import OnCpu, OnGpu
from compiler_core.plan.cpu import sorts
from compiler_core.plan.gpu import sorts as gpu_sorts
from compiler_core.plan.sort import Sort
from conformance.operations.cases import edges

Program = tuple[Graph, Sequence[np.ndarray]]


@dataclass(frozen=True)
class By(OnCpu):
    """Orders rows by `way` where that is possible."""

    way: str = ""

    def __call__(self, step):
        return _by(self.way, step, sorts.on_cpu, self.target) or super().__call__(step)


@dataclass(frozen=True)
class ByOnGpu(OnGpu):
    way: str = ""

    def __call__(self, step):
        launches = _by(self.way, step, gpu_sorts.on_gpu, self.target)
        return launches[0] if launches else super().__call__(step)


def _by(way, step, options, target):
    result = options(step, target) if isinstance(step, Sort) else []
    return tuple(o.result for o in result if o.candidate.strategy == way and o.result is not None)


def rows(dtype: DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Edge cases, most of them several times, in a random order."""
    values = edges(dtype)
    return np.random.default_rng(seed).choice(values, shape)


def argsort(
    dtype: DType, shape: tuple[int, ...], axis: int = -1, *,
    descending: bool = False, places: DType = I64, seed: int = 0,
) -> Program:  # fmt: skip
    """The values in order and where they stood."""
    graph = argsort_graph(dtype, shape, axis, descending=descending, places=places)
    return graph, [rows(dtype, shape, seed)]


def argsort_graph(
    dtype: DType, shape: tuple[int, ...], axis: int = -1, *,
    descending: bool = False, places: DType = I64,
) -> Graph:  # fmt: skip
    b = Builder()
    x = b.parameter(TensorType(dtype, shape))
    axis %= len(shape)
    given = [x, b.iota(places, shape, axis)]
    with b.origin(3):
        result = b.operation(
            "sort", given, dimension=axis, keys=1, descending=descending, stable=True
        )
    return b.graph("f", result)


def top_k(dtype: DType, shape: tuple[int, ...], k: int, seed: int = 0) -> Program:
    return top_k_graph(dtype, shape, k), [rows(dtype, shape, seed)]


def top_k_graph(dtype: DType, shape: tuple[int, ...], k: int, *, total: bool = False) -> Graph:
    b = Builder()
    x = b.parameter(TensorType(dtype, shape))
    return b.graph("f", b.operation("top_k", [x], k=k, total=total))


def in_total_order(dtype: DType, shape: tuple[int, ...], k: int) -> Program:
    """With NaNs of both signs."""
    table = rows(dtype, shape)
    table[:, ::7] = -np.abs(table[:, ::7])
    table[:, 3], table[:, 4] = np.copysign(table.dtype.type(np.nan), [1, -1]).astype(table.dtype)
    return top_k_graph(dtype, shape, k, total=True), [table]


def by_two(first: DType, second: DType, shape: tuple[int, ...], *, descending: bool) -> Program:
    """Two keys, a value and the places, along the first axis."""
    b = Builder()
    x, y = (b.parameter(TensorType(t, shape)) for t in (first, second))
    value = b.parameter(TensorType(I32, shape))
    given = [x, y, value, b.iota(I32, shape, 0)]
    result = b.operation("sort", given, dimension=0, keys=2, descending=descending, stable=True)
    numbers = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    return b.graph("f", result), [rows(first, shape, 1), rows(second, shape, 2), numbers]


def every(*, turned: bool) -> list[Program]:
    """Every type in one of the directions, the next type in the other, `turned` in the opposite
    ones, and the greatest of every second type, `turned` of the others; rows of every shape;
    several keys."""
    found = [
        argsort(dtype, (9, 21), descending=(number % 2 == 1) != turned)
        for number, dtype in enumerate(DTYPES.values())
    ]
    for shape, axis in (((5,), 0), ((1, 1), 1), ((9, 3), 0), ((2, 33, 4), 1), ((3, 100, 10), 1)):
        found.append(argsort(DTYPES["f32"], shape, axis, places=I32))
        found.append(argsort(DTYPES["f64"], shape, axis, descending=True))
    found += [top_k(dtype, (3, 150), 7) for dtype in [*DTYPES.values()][int(turned) :: 2]]
    found += [top_k(DTYPES["f32"], (2, 3, 90), k) for k in (1, 2, 64, 65, 90)]
    names = (("f32", "i8"), ("bf16", "f64"), ("bool", "bool"), ("u64", "f16"))
    for pair in names:
        first, second = (DTYPES[name] for name in pair)
        found.append(by_two(first, second, (40, 3), descending="f64" in pair))
    return found


def united(programs: Sequence[Program]) -> Program:
    """All of them as one."""
    b = Builder()
    inputs, outputs = [], []
    for graph, given in programs:
        known = {x: b.parameter(x.type) for x in graph.inputs}
        for operation in graph.operations:
            operands = [known[x] for x in operation.operands]
            known |= zip(operation.results, b.copy(operation, operands).results, strict=True)
        inputs.extend(given)
        outputs += [known[x] for x in graph.outputs]
    return b.graph("f", outputs), inputs
