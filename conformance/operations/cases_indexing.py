"""Graphs of one gather, scatter or slice at a computed place, at sizes and indices on the edge."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.build import Builder
from compiler_core.ir.ops.indexing import COMBINATIONS, OUT_OF_BOUNDS
from compiler_core.ir.types import BF16, BOOL, DTYPES, F32, I32, I64, DType, TensorType
from conformance.operations.cases import Case, random

INSIDE: dict[str, list[Any]] = {"rows": [0, 2, 2, 1], "pairs": [[0, 1], [2, 3], [1, 1]]}
BEYOND: dict[str, list[Any]] = {
    "rows": [0, -1, 3, -3, 7, -9],
    "pairs": [[0, -1], [2, 4], [-3, 1], [3, 3]],
}

# name -> (operand, indices, attributes of the gather)
_GATHERS: dict[str, tuple[tuple[int, ...], str, dict[str, Any]]] = {
    "rows": ((3, 4), "rows", {
        "offset_dims": (1,), "collapsed_slice_dims": (0,), "start_index_map": (0,),
        "index_vector_dim": 1, "slice_sizes": (1, 4)}),
    "columns": ((4, 3), "rows", {
        "offset_dims": (0,), "collapsed_slice_dims": (1,), "start_index_map": (1,),
        "index_vector_dim": 1, "slice_sizes": (4, 1)}),
    "points": ((3, 4), "pairs", {
        "offset_dims": (), "collapsed_slice_dims": (0, 1), "start_index_map": (0, 1),
        "index_vector_dim": 1, "slice_sizes": (1, 1)}),
    "boxes": ((3, 4, 2), "pairs", {
        "offset_dims": (0, 2, 3), "collapsed_slice_dims": (), "start_index_map": (1, 0),
        "index_vector_dim": 1, "slice_sizes": (2, 3, 2)}),
    "along": ((4, 3), "columns", {
        "offset_dims": (), "collapsed_slice_dims": (1,), "operand_batching_dims": (0,),
        "start_indices_batching_dims": (0,), "start_index_map": (1,),
        "index_vector_dim": 2, "slice_sizes": (1, 1)}),
}  # fmt: skip


def _indices(name: str, beyond: bool) -> np.ndarray:
    if name == "columns":
        values = BEYOND["rows"] if beyond else INSIDE["rows"]
        return np.array([values, values[::-1], values, values], np.int64)
    return np.array((BEYOND if beyond else INSIDE)[name], np.int64)


def gathers(dtype: DType) -> Iterator[Case]:
    for name, (shape, kind, numbers) in _GATHERS.items():
        for policy in OUT_OF_BOUNDS:
            indices = _indices(kind, policy != "in_bounds")
            fill = True if dtype is BOOL else float("nan") if dtype.is_float else 7
            if name == "boxes" and policy == "in_bounds":
                indices = indices % 2
            b = Builder()
            x, i = (
                b.parameter(TensorType(dtype, shape)),
                b.parameter(TensorType(I64, indices.shape)),
            )
            attrs = {"operand_batching_dims": (), "start_indices_batching_dims": (), **numbers}
            y = b.node("gather", x, i, out_of_bounds=policy, fill=fill, **attrs)
            yield Case(
                f"gather-{name}-{policy}-{dtype}",
                b.graph("f", [y]),
                (random(dtype, shape), indices),
            )


def scatters(dtype: DType) -> Iterator[Case]:
    for name, (shape, kind, numbers) in _GATHERS.items():
        for policy in OUT_OF_BOUNDS:
            for combine in COMBINATIONS if name in ("rows", "boxes") else ("add",):
                yield from _scatter(name, shape, kind, numbers, policy, combine, dtype)


def _scatter(
    name: str,
    shape: tuple[int, ...],
    kind: str,
    numbers: dict[str, Any],
    policy: str,
    combine: str,
    dtype: DType,
) -> Iterator[Case]:
    indices = _indices(kind, policy != "in_bounds")
    if name == "boxes" and policy == "in_bounds":
        indices = indices % 2
    if combine == "set":
        # Of several updates of one element any may stay.
        if policy == "clamp" or name == "boxes":
            return
        indices = np.array([0, -1, 7] if policy != "in_bounds" else [2, 0], np.int64)
    b = Builder()
    x, i = b.parameter(TensorType(dtype, shape)), b.parameter(TensorType(I64, indices.shape))
    moved = b.node(
        "gather", x, i, out_of_bounds="clamp", fill=0,
        **{"operand_batching_dims": (), "start_indices_batching_dims": (), **numbers},
    )  # fmt: skip
    b = Builder()
    x, i = b.parameter(TensorType(dtype, shape)), b.parameter(TensorType(I64, indices.shape))
    u = b.parameter(moved.type)
    attrs = {
        "update_window_dims": numbers["offset_dims"],
        "inserted_window_dims": numbers["collapsed_slice_dims"],
        "input_batching_dims": numbers.get("operand_batching_dims", ()),
        "scatter_indices_batching_dims": numbers.get("start_indices_batching_dims", ()),
        "scatter_dims_to_operand_dims": numbers["start_index_map"],
        "index_vector_dim": numbers["index_vector_dim"],
    }
    y = b.node("scatter", x, i, u, combine=combine, out_of_bounds=policy, unique=False, **attrs)
    given = (random(dtype, shape), indices, random(dtype, moved.type.sizes, 1))
    yield Case(f"scatter-{name}-{combine}-{policy}-{dtype}", b.graph("f", [y]), given)


def slices(dtype: DType) -> Iterator[Case]:
    for starts in ([0, 0], [1, 2], [-5, 9], [2, 3]):
        for sizes in ((2, 3), (3, 4), (1, 1), (0, 2)):
            b = Builder()
            x = b.parameter(TensorType(dtype, (3, 4)))
            u = b.parameter(TensorType(dtype, sizes))
            at = [b.parameter(TensorType(I32)) for _ in starts]
            read = b.node("dynamic_slice", x, *at, sizes=sizes)
            written = b.node("dynamic_update_slice", x, u, *at)
            places = tuple(np.array(s, np.int32) for s in starts)
            name = "-".join(map(str, (*starts, *sizes, dtype)))
            given = (random(dtype, (3, 4)), random(dtype, sizes, 1), *places)
            yield Case(f"dynamic-slices-{name}", b.graph("f", [read, written]), given)


def far() -> Iterator[Case]:
    """By the largest indices of a type, which are far out of bounds: those of one without a sign
    are not -1, nor is 2**32 zero."""
    for kind in (DTYPES[name] for name in ("u8", "u16", "u32", "u64", "i64")):
        most = 2**kind.bits - 1 if kind is not I64 else 2**33 - 1
        indices = np.array([0, most, 2, most // 2 + 1], NUMPY[kind.name])
        for policy in OUT_OF_BOUNDS[1:]:
            yield _rows(f"{policy}-{kind}", kind, indices, policy)
        yield _boxes(kind, indices[1:])


def _rows(name: str, kind: DType, indices: np.ndarray, policy: str) -> Case:
    """A gather and a scatter of one float a place."""
    b = Builder()
    x = b.parameter(TensorType(F32, (3,)))
    at, u = b.parameter(TensorType(kind, (4,))), b.parameter(TensorType(F32, (4,)))
    bounds: dict[str, Any] = {"index_vector_dim": 1, "out_of_bounds": policy}
    read = b.node(
        "gather", x, at, offset_dims=(), collapsed_slice_dims=(0,), operand_batching_dims=(),
        start_indices_batching_dims=(), start_index_map=(0,), slice_sizes=(1,), fill=7.0, **bounds,
    )  # fmt: skip
    written = b.node(
        "scatter", x, at, u, update_window_dims=(), inserted_window_dims=(0,),
        input_batching_dims=(), scatter_indices_batching_dims=(),
        scatter_dims_to_operand_dims=(0,), combine="add", unique=False, **bounds,
    )  # fmt: skip
    given = (random(F32, (3,)), indices, random(F32, (4,), 1))
    return Case(f"far-rows-{name}", b.graph("f", [read, written]), given)


def _boxes(kind: DType, starts: np.ndarray) -> Case:
    """A slice that is read and one that is written, at each start."""
    b = Builder()
    x, u = b.parameter(TensorType(F32, (6,))), b.parameter(TensorType(F32, (2,)))
    at = [b.parameter(TensorType(kind)) for _ in starts]
    results = [b.node("dynamic_slice", x, start, sizes=(2,)) for start in at]
    results += [b.node("dynamic_update_slice", x, u, start) for start in at]
    given = (random(F32, (6,)), random(F32, (2,), 1), *(np.array(s) for s in starts))
    return Case(f"far-boxes-{kind}", b.graph("f", results), given)


def edges() -> Iterator[Case]:
    """Nothing to read from, nothing to read, one element, no dimension."""
    rows = {**_GATHERS["rows"][2], "operand_batching_dims": (), "start_indices_batching_dims": ()}
    for operand, count in (((3, 4), 0), ((0, 4), 0), ((1, 1), 1), ((3, 0), 2)):
        b = Builder()
        x, i = b.parameter(TensorType(F32, operand)), b.parameter(TensorType(I64, (count,)))
        attrs = rows | {"slice_sizes": (min(1, operand[0]), operand[1])}
        y = b.node("gather", x, i, out_of_bounds="mask", fill=0.0, **attrs)
        name = f"gather-of-{operand}-at-{count}"
        yield Case(name, b.graph("f", [y]), (random(F32, operand), np.zeros(count, np.int64)))
    b = Builder()
    x, u = (b.parameter(TensorType(F32)) for _ in range(2))
    result = [b.node("dynamic_slice", x, sizes=()), b.node("dynamic_update_slice", x, u)]
    yield Case(
        "slices-of-a-scalar",
        b.graph("f", result),
        (np.array(1, np.float32), np.array(2, np.float32)),
    )


def every() -> Iterator[Case]:
    for dtype in (F32, I32, BOOL, DTYPES["u32"]):
        yield from gathers(dtype)
        yield from scatters(dtype)
    yield from slices(F32)
    yield from slices(BF16)
    yield from far()
    yield from edges()
