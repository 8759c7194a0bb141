"""Graphs of one reduction, scan or window of a tuple monoid, and of windows of numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BF16, BOOL, F32, I32, I64, DType, TensorType
from conformance.operations.cases import PLAIN, Case, edges, random

INDEXED = ("argmax", "argmin", "argmax_last", "argmin_last")
SHAPES = [((3, 4, 5), (1,)), ((3, 4, 5), (0, 2)), ((7,), (0,)), ((4, 1), (1,)), ((2, 0), (1,))]


def _tuple_of(b: Builder, monoid: str, x: Value, dimension: int) -> list[Value]:
    """The components of single elements."""
    shape, dtype = x.type.shape, x.type.dtype
    if monoid in INDEXED:
        return [x, b.iota(I32, shape, dimension)]
    ones = b.scalar(1.0, dtype, shape)
    return [x, b.scalar(0.0, dtype, shape), ones] if monoid == "welford" else [x, ones]


def _values(dtype: DType, shape: tuple[int, ...], monoid: str) -> np.ndarray:
    """With equals, and with NaN where that is what is asked for."""
    values = random(dtype, shape)
    if dtype.is_float and monoid in INDEXED and values.size > 3:
        values = np.round(values)
        values.reshape(-1)[2] = np.nan
    return values


def tuples(dtype: DType) -> Iterator[Case]:
    monoids = (
        (*INDEXED, "welford", "complex_product", "online_softmax") if dtype.is_float else INDEXED
    )
    for monoid in monoids:
        for shape, dimensions in SHAPES:
            if monoid in INDEXED and len(dimensions) > 1:
                continue
            b = Builder()
            x = b.parameter(TensorType(dtype, shape))
            parts = _tuple_of(b, monoid, x, dimensions[0])
            result = b.operation("reduce", parts, monoid=monoid, dimensions=dimensions)
            name = f"reduce-{monoid}-{shape}-{dimensions}-{dtype}"
            yield Case(name, b.graph("f", result), (_values(dtype, shape, monoid),))
        for reverse in (False, True):
            b = Builder()
            x = b.parameter(TensorType(dtype, (3, 7)))
            parts = _tuple_of(b, monoid, x, 1)
            result = b.operation("cumulative", parts, monoid=monoid, dimension=1, reverse=reverse)
            name = f"cumulative-{monoid}-{'reverse-' if reverse else ''}{dtype}"
            yield Case(name, b.graph("f", result), (_values(dtype, (3, 7), monoid),))


# name -> shape, window, strides, base dilation, window dilation, low, high
WINDOWS = {
    "pool": ((2, 5, 6), (1, 2, 2), (1, 2, 2), (1, 1, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0)),
    "padded": ((5, 6), (3, 3), (2, 1), (1, 1), (1, 1), (1, 1), (1, 1)),
    "dilated": ((6, 7), (2, 2), (1, 2), (1, 2), (2, 1), (0, 1), (1, 0)),
    "cut": ((6,), (2,), (1,), (1,), (1,), (-1,), (-2,)),
    "whole": ((3, 4), (3, 4), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),
    "none": ((2,), (3,), (1,), (1,), (1,), (0,), (0,)),
    "nothing-there": ((2, 0), (2, 1), (1, 1), (1, 1), (1, 1), (0, 1), (0, 1)),
}


def windows(dtype: DType) -> Iterator[Case]:
    names = ("window", "strides", "base_dilation", "window_dilation", "low", "high")
    indexed = () if dtype is BOOL else ("argmax",)
    for name, (shape, *sizes) in WINDOWS.items():
        for monoid in (*PLAIN, *indexed):
            if dtype.is_float and monoid in ("and", "or"):
                continue
            b = Builder()
            x = b.parameter(TensorType(dtype, shape))
            parts = [x] if monoid in PLAIN else _tuple_of(b, monoid, x, len(shape) - 1)
            attrs: dict[str, Any] = dict(zip(names, sizes, strict=True))
            result = b.operation("reduce_window", parts, monoid=monoid, **attrs)
            graph = b.graph("f", result)
            yield Case(f"window-{name}-{monoid}-{dtype}", graph, (random(dtype, shape),))


def sorts(dtype: DType) -> Iterator[Case]:
    values = np.concatenate([edges(dtype), edges(dtype)[::-1], edges(dtype)[:3]])
    values = np.concatenate([values, -values[-9:]])  # a NaN with a sign among them
    table = np.stack([values, np.roll(values, 3), values[::-1]])
    b = Builder()
    x = b.parameter(TensorType(dtype, table.shape))
    i = b.iota(I64, table.shape, 1)
    result = [*b.operation("top_k", [x], k=4, total=False)]
    result += b.operation("top_k", [x], k=table.shape[1], total=True)
    for descending in (False, True):
        result += b.operation(
            "sort", [x, i], dimension=1, keys=1, descending=descending, stable=True
        )
        result += b.operation("sort", [x], dimension=0, keys=1, descending=descending, stable=False)
    yield Case(f"order-{dtype}", b.graph("f", result), (table,))
    b = Builder()
    x, y = (b.parameter(TensorType(dtype, values.shape)) for _ in range(2))
    given = [x, y, b.iota(I32, values.shape, 0)]
    both = b.operation("sort", given, dimension=0, keys=2, descending=True, stable=True)
    yield Case(f"order-by-two-{dtype}", b.graph("f", both), (values, np.roll(values, 5)))
    b = Builder()
    x = b.parameter(TensorType(dtype, (2, 0)))
    none = b.operation("sort", [x], dimension=1, keys=1, descending=False, stable=True)
    yield Case(f"order-of-nothing-{dtype}", b.graph("f", none), (random(dtype, (2, 0)),))


def every() -> Iterator[Case]:
    for dtype in (F32, BF16, I32):
        yield from tuples(dtype)
        yield from windows(dtype)
        yield from sorts(dtype)
    yield from windows(BOOL)
