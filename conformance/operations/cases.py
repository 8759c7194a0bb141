"""Small graphs of one operation each, with edge values: what the evaluators are compared on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir import ops
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import BF16, BOOL, DTYPES, F32, F64, I32, I64, DType, TensorType
from conformance.graphs.table import dtypes_of

# XLA's options where it is asked what a thousand small programs mean, not how fast they are.
QUICKLY = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}

PLAIN = tuple(name for name, m in MONOIDS.items() if len(m.components) == 1)

_TRIGONOMETRY = frozenset({"sine", "cosine", "tan"})


@dataclass(frozen=True)
class Case:
    name: str
    graph: Graph
    inputs: tuple[np.ndarray, ...]

    def __str__(self) -> str:
        return self.name


def refused_by_torch(case: Case) -> bool:
    """torch has no such arithmetic of u64 and says so."""
    result = case.graph.outputs[0]
    return result.op in ("divide", "remainder", "power") and result.type.dtype.name == "u64"


def edges(dtype: DType, op: str = "") -> np.ndarray:
    """Values at which functions go wrong."""
    if dtype is BOOL:
        return np.array([False, True])
    if dtype.is_integer:
        info = np.iinfo(NUMPY[dtype.name])
        values = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1]
        return np.array([*values, *([-1, -2, -7] if dtype.kind == "int" else [])], info.dtype)
    small = [0.0, -0.0, 0.25, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.7, -3.7, 9.0, -9.0]
    large = [] if op in _TRIGONOMETRY else [1e4, -1e4]
    return np.array([*small, *large, np.inf, -np.inf, np.nan]).astype(NUMPY[dtype.name])


def elementwise() -> Iterator[Case]:
    for op in sorted(ops.ELEMENTWISE):
        for dtype in dtypes_of(op):
            if op == "convert":
                yield from _converts(dtype)
            elif op == "bitcast_convert":
                yield from _bitcasts(dtype)
            elif op == "compare":
                yield from (
                    _case(op, dtype, d, lambda b, x, y, d=d: b.compare(x, y, d))
                    for d in ops.COMPARE_DIRECTIONS
                )
            elif op == "select":
                yield _case(op, dtype, "", lambda b, x, y: b.node(
                    "select", b.compare(x, y, "LT"), x, y))  # fmt: skip
            else:
                yield _case(op, dtype, "", lambda b, *xs, op=op: b.node(op, *xs))


def _case(op: str, dtype: DType, note: str, build: Callable[..., Value]) -> Case:
    """All combinations of the edge values as operands."""
    arity = 2 if op in ("select", "compare") else ops.OPS[op].arity or 1
    values = np.meshgrid(*[edges(dtype, op)] * arity, indexing="ij")
    arrays = tuple(np.ascontiguousarray(v.reshape(-1)) for v in values)
    b = Builder()
    operands = [b.parameter(TensorType(dtype, x.shape)) for x in arrays]
    name = "-".join(filter(None, (op, str(dtype), note)))
    return Case(name, b.graph("f", [build(b, *operands)]), arrays)


def _converts(source: DType) -> Iterator[Case]:
    for target in DTYPES.values():
        values = edges(source)
        if source.is_float and target.is_integer:
            # What does not fit is undefined.
            fits = np.isfinite(values) & (np.abs(values.astype(np.float64)) < 100)
            values = values[fits]
            values = values[(values >= 0) | (target.kind == "int")]
        b = Builder()
        x = b.parameter(TensorType(source, values.shape))
        yield Case(f"convert-{source}-{target}", b.graph("f", [b.convert(x, target)]), (values,))


def _bitcasts(source: DType) -> Iterator[Case]:
    for target in DTYPES.values():
        if target.bits == source.bits and target is not BOOL:
            values = edges(source)
            b = Builder()
            x = b.parameter(TensorType(source, values.shape))
            graph = b.graph("f", [b.node("bitcast_convert", x, dtype=target)])
            yield Case(f"bitcast_convert-{source}-{target}", graph, (values,))


# -- operations of whole tensors


def tensors() -> Iterator[Case]:
    for dtype in (F32, BF16, I32, BOOL, DTYPES["u32"], DTYPES["u64"]):
        for name, build in _TENSORS.items():
            b = Builder()
            x = b.parameter(TensorType(dtype, (3, 4, 5)))
            yield Case(f"{name}-{dtype}", b.graph("f", [build(b, x)]), (random(dtype, (3, 4, 5)),))
    yield from pads_of_little()
    for dtype in (F32, BF16, I32, BOOL, DTYPES["u32"]):
        yield from reductions(dtype)
    for dtype in (F32, F64, BF16, I64, BOOL):
        yield from contractions(dtype)


def random(dtype: DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.is_float:
        return rng.standard_normal(shape).astype(NUMPY[dtype.name])
    low = -9 if dtype.kind == "int" else 0
    return rng.integers(low, 2 if dtype is BOOL else 9, shape).astype(NUMPY[dtype.name])


_TENSORS: dict[str, Callable[[Builder, Value], Value]] = {
    "broadcast-at-the-right": lambda b, x: b.broadcast(x, (2, 3, 4, 5)),
    "broadcast-at-the-left": lambda b, x: b.broadcast_in_dim(x, (3, 4, 5, 2), (0, 1, 2)),
    "broadcast-of-one": lambda b, x: b.broadcast_in_dim(
        b.reshape(b.reduce(x, "maximum", (0, 1)), (1, 5)), (4, 5), (0, 1)
    ),
    "reshape": lambda b, x: b.reshape(x, (15, 4)),
    "reshape-of-transpose": lambda b, x: b.reshape(b.transpose(x, (2, 0, 1)), (60,)),
    "transpose": lambda b, x: b.transpose(x, (2, 0, 1)),
    "slice": lambda b, x: b.node("slice", x, start=(1, 0, 4), limit=(3, 4, 5), strides=(1, 3, 1)),
    "reverse": lambda b, x: b.node("reverse", x, dimensions=(0, 2)),
    "concatenate": lambda b, x: b.node("concatenate", x, x, x, dimension=1),
    "pad": lambda b, x: _pad(b, x, (1, 0, 2), (0, 3, 1), (0, 0, 0)),
    "pad-between": lambda b, x: _pad(b, x, (1, 0, 0), (0, 1, 0), (2, 0, 1)),
    "pad-that-cuts": lambda b, x: _pad(b, x, (-1, 0, -2), (1, -2, 0), (0, 0, 1)),
    "pad-with-a-value": lambda b, x: b.node(
        "pad", x, b.reduce(x, "maximum", (0, 1, 2)),
        low=(1, 0, 0), high=(0, 0, 2), interior=(1, 0, 0),
    ),
    "constant": lambda b, x: b.node("maximum", x, b.scalar(1, x.type.dtype, x.type.shape)),
    "clamp-literal": lambda b, x: b.node("clamp", *(
        b.scalar(0, x.type.dtype, x.type.shape), x, b.scalar(1, x.type.dtype, x.type.shape))),
    "select-literal": lambda b, x: b.node(
        "select", b.compare(x, b.scalar(1, x.type.dtype, x.type.shape), "GE"),
        x, b.scalar(0, x.type.dtype, x.type.shape)),
    "iota": lambda b, x: b.node("maximum", x, b.convert(b.iota(I32, (3, 4, 5), 1), x.type.dtype)),
}  # fmt: skip


def pads_of_little() -> Iterator[Case]:
    """Of no dimension, and of no element, where what is added is cropped."""
    for shape, low, high in [((), (), ()), ((0,), (-1,), (2,)), ((1, 2), (-2, 3), (2, -4))]:
        b = Builder()
        x = b.parameter(TensorType(F32, shape))
        graph = b.graph("f", [_pad(b, x, low, high, (0,) * len(shape))])
        yield Case(f"pad-{shape}-{low}-{high}", graph, (random(F32, shape),))


def _pad(
    b: Builder, x: Value, low: tuple[int, ...], high: tuple[int, ...], interior: tuple[int, ...]
) -> Value:
    fill = b.scalar(1, x.type.dtype)
    return b.node("pad", x, fill, low=low, high=high, interior=interior)


def reductions(dtype: DType) -> Iterator[Case]:
    for monoid in PLAIN:
        if dtype.is_float and monoid in ("and", "or"):
            continue
        for dimensions, shape in [
            ((0,), (3, 4, 5)),
            ((0, 2), (3, 4, 5)),
            ((1,), (2, 0)),
            ((), (3,)),
        ]:
            b = Builder()
            x = b.parameter(TensorType(dtype, shape))
            name = f"reduce-{monoid}-{dtype}-{'x'.join(map(str, shape))}-over-{dimensions}"
            graph = b.graph("f", [b.reduce(x, monoid, dimensions)])
            yield Case(name, graph, (random(dtype, shape),))
        if dtype is BOOL or monoid in ("add", "multiply", "maximum", "minimum"):
            yield from _scans(dtype, monoid)


def _scans(dtype: DType, monoid: str) -> Iterator[Case]:
    for reverse in (False, True):
        b = Builder()
        x = b.parameter(TensorType(dtype, (3, 4)))
        y = b.node("cumulative", x, monoid=monoid, dimension=1, reverse=reverse)
        name = f"cumulative-{monoid}-{dtype}{'-reverse' if reverse else ''}"
        yield Case(name, b.graph("f", [y]), (random(dtype, (3, 4)),))


_DOTS = {
    "matrices": ((3, 4), (4, 5), ((), ()), ((1,), (0,))),
    "both-transposed": ((4, 3), (5, 4), ((), ()), ((0,), (1,))),
    "vector": ((3, 4), (4,), ((), ()), ((1,), (0,))),
    "vectors": ((4,), (4,), ((), ()), ((0,), (0,))),
    "outer": ((3,), (4,), ((), ()), ((), ())),
    "batch": ((2, 3, 4), (2, 4, 5), ((0,), (0,)), ((2,), (1,))),
    "batch-at-the-end": ((3, 4, 2), (5, 2, 4), ((2,), (1,)), ((1,), (2,))),
    "two-contracted": ((2, 3, 4), (3, 5, 4), ((), ()), ((1, 2), (0, 2))),
    "three-and-two": ((2, 3, 4), (4, 5), ((), ()), ((2,), (0,))),
    "batch-of-vectors": ((2, 4), (2, 4, 5), ((0,), (0,)), ((1,), (1,))),
}


def contractions(dtype: DType) -> Iterator[Case]:
    for name, (left, right, batch, contract) in _DOTS.items():
        b = Builder()
        x, y = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
        graph = b.graph("f", [b.dot_general(x, y, batch=batch, contract=contract)])
        yield Case(f"dot-{name}-{dtype}", graph, (random(dtype, left), random(dtype, right, 1)))
