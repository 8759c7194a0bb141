"""Graphs of indexing operations for both printers, with inputs that leave the bounds."""

from collections.abc import Callable, Sequence

import numpy as np

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import F32, I32, I64, U8, U32, U64, TensorType

Example = tuple[Graph, list[np.ndarray]]
_RANDOM = np.random.default_rng(11)


def floats(*shape: int) -> np.ndarray:
    return _RANDOM.standard_normal(shape).astype(np.float32)


def numbers(low: int, high: int, *shape: int, dtype: str = "int64") -> np.ndarray:
    return _RANDOM.integers(low, high, shape).astype(dtype)


def rows_of(
    b: Builder, table: Value, words: Value, policy: str = "clamp", fill: float = 0
) -> Value:
    """table[words]: whole rows by number, as an embedding's lookup."""
    last = words.type.rank
    width = table.type.sizes[1:]
    return b.node(
        "gather", table, words,
        offset_dims=tuple(range(last, last + len(width))), collapsed_slice_dims=(0,),
        operand_batching_dims=(), start_indices_batching_dims=(), start_index_map=(0,),
        index_vector_dim=last, slice_sizes=(1, *width), out_of_bounds=policy, fill=fill,
    )  # fmt: skip


def along(b: Builder, x: Value, j: Value, policy: str = "clamp", fill: float = 0) -> Value:
    """x[i, j[i, k]], as take_along_axis over the last of two dimensions."""
    return b.node(
        "gather", x, j, offset_dims=(), collapsed_slice_dims=(1,), operand_batching_dims=(0,),
        start_indices_batching_dims=(0,), start_index_map=(1,), index_vector_dim=2,
        slice_sizes=(1, 1), out_of_bounds=policy, fill=fill,
    )  # fmt: skip


def graph(make: Callable[..., Value | Sequence[Value]], *inputs: np.ndarray) -> Example:
    """`make(builder, *parameters)`, one parameter an input."""
    b = Builder()
    types = {"float32": F32, "int64": I64, "int32": I32, "uint8": U8}
    types |= {"uint32": U32, "uint64": U64}
    given = [b.parameter(TensorType(types[x.dtype.name], x.shape)) for x in inputs]
    with b.origin(1):
        result = make(b, *given)
    return b.graph("indexed", [result] if isinstance(result, Value) else result), list(inputs)


def embedding(words: int, width: int, policy: str = "clamp") -> Example:
    def make(b: Builder, table: Value, j: Value) -> Value:
        return b.node("tanh", rows_of(b, table, j, policy, 0.5))

    return graph(make, floats(9, width), numbers(-12, 12, words))


def embedding_norm(words: int, width: int) -> Example:
    """One kernel: rows by number, divided by their root mean square."""

    def make(b: Builder, table: Value, j: Value) -> Value:
        rows = rows_of(b, table, j)
        shape = rows.type.shape
        total = b.reduce(b.node("multiply", rows, rows), "add", (1,), True)
        mean = b.node("divide", total, b.scalar(float(width), F32, total.type.shape))
        return b.node("multiply", rows, b.broadcast(b.node("rsqrt", mean), shape))

    return graph(make, floats(9, width), numbers(0, 9, words))


def cross_entropy(rows: int, classes: int) -> Example:
    """log(sum(exp(x))) - x[i, target[i]]."""

    def make(b: Builder, x: Value, target: Value) -> Value:
        total = b.node("log", b.reduce(b.node("exponential", x), "add", (1,)))
        own = b.reshape(along(b, x, b.reshape(target, (rows, 1))), (rows,))
        return b.node("subtract", total, own)

    return graph(make, floats(rows, classes), numbers(0, classes, rows))


def taken(policy: str, dtype: str = "int64") -> Example:
    low = 0 if dtype == "uint8" else -9
    j = numbers(low, 14, 5, 7, dtype=dtype)
    return graph(lambda b, x, i: along(b, x, i, policy, 0.25), floats(5, 8), j)


def largest(dtype: str) -> np.ndarray:
    """Indices up to the largest of their type, which is -1 where it is read with a sign."""
    most = int(np.iinfo(dtype).max)
    return np.array([0, most, 2, most // 2 + 1, 1], dtype)


def by_the_largest(dtype: str, policy: str) -> Example:
    return graph(lambda b, x, j: rows_of(b, x, j, policy, 0.5), floats(4, 6), largest(dtype))


def sliced(starts: tuple[int, int]) -> Example:
    def make(b: Builder, x: Value, i: Value, j: Value) -> Value:
        return b.node("negate", b.node("dynamic_slice", x, i, j, sizes=(3, 20)))

    return graph(make, floats(8, 40), *(np.array(s, np.int64) for s in starts))


def updated(starts: tuple[int, int]) -> Example:
    def make(b: Builder, x: Value, update: Value, i: Value, j: Value) -> Value:
        both = b.node("dynamic_update_slice", x, b.node("exponential", update), i, j)
        return b.node("add", both, both)

    given = (np.array(s, np.int64) for s in starts)
    return graph(make, floats(8, 40), floats(3, 20), *given)


def of_a_transpose() -> Example:
    """Rows of a table that is stored by columns."""
    return graph(
        lambda b, x, j: rows_of(b, b.transpose(x, (1, 0)), j), floats(6, 11), numbers(-2, 13, 4)
    )


def running_sum(axis: int, backwards: bool) -> Example:
    """Along the words of an embedding, or within each."""

    def make(b: Builder, table: Value, j: Value) -> Value:
        rows = rows_of(b, table, j)
        return b.node("cumulative", rows, monoid="add", dimension=axis, reverse=backwards)

    return graph(make, floats(9, 13), numbers(0, 9, 7))


def of_a_computed_table() -> Example:
    return graph(
        lambda b, x, j: rows_of(b, b.node("tanh", x), j), floats(30, 12), numbers(0, 30, 4)
    )


CASES: dict[str, Example] = {
    "embedding": embedding(6, 40),
    "embedding, long": embedding(300, 65),
    "embedding, wrapped": embedding(10, 33, "wrap"),
    "embedding, masked": embedding(10, 33, "mask"),
    "embedding and norm": embedding_norm(12, 40),
    "cross entropy": cross_entropy(12, 50),
    "taken, clamped": taken("clamp"),
    "taken, wrapped": taken("wrap", "int32"),
    "taken, masked": taken("mask"),
    "taken by bytes": taken("clamp", "uint8"),
    **{
        f"by the largest {dtype}, {policy}": by_the_largest(dtype, policy)
        for dtype in ("uint32", "uint64", "int64")
        for policy in ("clamp", "mask", "wrap")
    },
    "slice": sliced((2, 7)),
    "slice out of bounds": sliced((-4, 77)),
    "update": updated((2, 7)),
    "update out of bounds": updated((99, -1)),
    "of a transpose": of_a_transpose(),
    "of a computed table": of_a_computed_table(),
    **{
        f"running sum over {over}{direction}": running_sum(axis, bool(direction))
        for axis, over in enumerate(("words", "a word"))
        for direction in ("", ", backwards")
    },
}
