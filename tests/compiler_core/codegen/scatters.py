"""Graphs of scatters for both printers: updates that meet, are combined, or are out of bounds."""

from collections.abc import Sequence

import numpy as np

from compiler_core.capture.places import put
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BF16, F32, I32, DType
from tests.compiler_core.codegen.indexing import Example, floats, graph, largest, numbers


def into_rows(
    b: Builder, operand: Value, words: Value, updates: Value, combine: str = "add",
    policy: str = "clamp",
) -> Value:  # fmt: skip
    """operand[words] combined with whole rows, as an embedding's gradient."""
    last = words.type.rank
    return b.node(
        "scatter", operand, words, updates,
        update_window_dims=tuple(range(last, updates.type.rank)), inserted_window_dims=(0,),
        input_batching_dims=(), scatter_indices_batching_dims=(),
        scatter_dims_to_operand_dims=(0,), index_vector_dim=last, combine=combine,
        out_of_bounds=policy, unique=False,
    )  # fmt: skip


def embedding_gradient(words: int, width: int, rows: int = 9, dtype: DType = F32) -> Example:
    """Zeros, and 2 * gradient added where each row was read."""

    def make(b: Builder, j: Value, gradient: Value) -> Value:
        given = b.convert(gradient, dtype)
        zeros = b.scalar(0.0, dtype, (rows, width))
        result = into_rows(b, zeros, j, b.node("add", given, given), "add", "mask")
        return b.convert(result, F32)

    # Numbers that bf16 has: Triton's interpreter cuts where hardware rounds.
    exact = np.round(floats(words, width) * 8) / 8
    return graph(make, numbers(-2, rows + 1, words), exact)


def into_a_parameter(combine: str, policy: str = "wrap") -> Example:
    """The operand is an input, which stays as it is, and is used again after the scatter."""

    def make(b: Builder, x: Value, j: Value, u: Value) -> Value:
        return b.node("subtract", into_rows(b, x, j, u, combine, policy), x)

    return graph(make, floats(6, 40), numbers(-8, 8, 50), floats(50, 40))


def many_rows(combine: str) -> Example:
    """Into so many rows that each looking through all updates does not pay."""
    return graph(
        lambda b, x, j, u: into_rows(b, b.node("tanh", x), j, u, combine, "mask"),
        floats(20_000, 8), numbers(0, 20_000, 4000), floats(4000, 8),
    )  # fmt: skip


def of_one_number(combine: str, dtype: DType = F32) -> Example:
    """Every update is the same literal."""

    def make(b: Builder, x: Value, j: Value) -> Value:
        update = b.scalar(3 if dtype is I32 else 1.5, dtype, (40, 8))
        return into_rows(b, b.convert(b.node("add", x, x), dtype), j, update, combine, "mask")

    return graph(make, floats(2000, 8), numbers(0, 2000, 40))


def extremes(combine: str) -> Example:
    """With NaN and infinities among the updates, and in the operand."""
    x, u = floats(6, 40), floats(50, 40)
    x[0, :3], u[:, 1], u[::7, 2], u[::5, 3] = np.nan, np.inf, np.nan, -np.inf
    x[1:, 4], u[:, 4] = -0.0, -1.5
    return graph(lambda b, x, j, u: into_rows(b, x, j, u, combine, "mask"), x, numbers(0, 6, 50), u)


def by_two_indices() -> Example:
    """Rows of x[i, j]."""

    def make(b: Builder, x: Value, at: Value, u: Value) -> Value:
        i, j = (
            b.reshape(b.node("slice", at, start=(k, 0), limit=(k + 1, 30), strides=(1, 1)), (30,))
            for k in (0, 1)
        )
        return put(b, x, [0, 1], [i, j], 0, u, "add", "wrap")

    return graph(make, floats(3, 4, 5), numbers(-3, 3, 2, 30), floats(30, 5))


def scattered(
    shape: tuple[int, ...], where: Sequence[np.ndarray], u: np.ndarray, **attrs: object
) -> Example:
    """Updates `u` are added at starts that may be out of bounds, by attributes of scatter."""
    starts = np.stack(where, -1)
    full = {
        "input_batching_dims": (), "scatter_indices_batching_dims": (),
        "index_vector_dim": starts.ndim - 1, "combine": "add", "out_of_bounds": "mask",
        "unique": False, **attrs,
    }  # fmt: skip

    def make(b: Builder, x: Value, at: Value, updates: Value) -> Value:
        return b.node("scatter", b.node("tanh", x), at, updates, **full)

    return graph(make, floats(*shape), starts, u)


def part_of_rows() -> Example:
    """x[j, 2:5]: the updates are narrower than the rows."""
    at = numbers(0, 6, 40), np.full(40, 2)
    return scattered(
        (6, 8), at, floats(40, 3), update_window_dims=(1,), inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0, 1),
    )  # fmt: skip


def overlapping_rows() -> Example:
    """x[j : j + 2]: windows along the dimension that is indexed."""
    return scattered(
        (8, 5), (numbers(-1, 8, 40),), floats(40, 2, 5), update_window_dims=(1, 2),
        inserted_window_dims=(), scatter_dims_to_operand_dims=(0,),
    )  # fmt: skip


def indices_around() -> Example:
    """x[i, :, j]: what is not indexed lies between."""
    return scattered(
        (4, 3, 7), (numbers(0, 4, 40), numbers(0, 7, 40)), floats(40, 3), update_window_dims=(1,),
        inserted_window_dims=(0, 2), scatter_dims_to_operand_dims=(0, 2),
    )  # fmt: skip


def in_a_block() -> Example:
    """x[:, 1, j]: a constant index within each block of rows."""
    return scattered(
        (3, 4, 7), (np.full(40, 1), numbers(0, 7, 40)), floats(40, 3), update_window_dims=(1,),
        inserted_window_dims=(1, 2), scatter_dims_to_operand_dims=(1, 2),
    )  # fmt: skip


def last_of_several(dtype: DType) -> Example:
    """Rows that are set by many updates each, or by none."""

    def make(b: Builder, x: Value, j: Value, u: Value) -> Value:
        rows = into_rows(b, b.convert(x, dtype), j, b.convert(u, dtype), "set", "mask")
        return b.convert(rows, F32)

    return graph(
        make,
        np.round(floats(9, 5) * 8) / 8,
        numbers(0, 9, 300) // 2,
        np.round(floats(300, 5) * 8) / 8,
    )


def counted(n: int, dtype: str = "int64") -> Example:
    """How often each number comes: updates of one element."""

    def make(b: Builder, j: Value) -> Value:
        return into_rows(b, b.scalar(0, I32, (7,)), j, b.scalar(1, I32, (n,)), "add", "mask")

    return graph(make, numbers(0, 8, n, dtype=dtype))


def at_the_largest(dtype: str, policy: str) -> Example:
    def make(b: Builder, x: Value, j: Value, u: Value) -> Value:
        return into_rows(b, x, j, u, "add", policy)

    return graph(make, floats(4, 6), largest(dtype), floats(5, 6))


def distinct() -> Example:
    """Rows that are set, no two of them the same; twice, one scatter into the other's result."""

    def make(b: Builder, x: Value, j: Value, u: Value) -> Value:
        once = into_rows(b, b.node("tanh", x), j, u, "set")
        return into_rows(b, once, j, u, "add")

    return graph(make, floats(30, 5), np.random.default_rng(1).permutation(30)[:12], floats(12, 5))


def cross_entropy_gradient(rows: int, classes: int) -> Example:
    """softmax(x) - onehot(target): each row has one update, so nothing is changed in memory."""

    def make(b: Builder, x: Value, target: Value) -> Value:
        e = b.node("exponential", x)
        total = b.broadcast(b.reduce(e, "add", (1,), True), (rows, classes))
        ones = b.node(
            "scatter", b.scalar(0.0, F32, (rows, classes)), b.reshape(target, (rows, 1)),
            b.scalar(1.0, F32, (rows, 1)), update_window_dims=(), inserted_window_dims=(1,),
            input_batching_dims=(0,), scatter_indices_batching_dims=(0,),
            scatter_dims_to_operand_dims=(1,), index_vector_dim=2, combine="add",
            out_of_bounds="mask", unique=True,
        )  # fmt: skip
        return b.node("subtract", b.node("divide", e, total), ones)

    return graph(make, floats(rows, classes), numbers(0, classes + 1, rows))


COMBINED = ("set", "add", "multiply", "maximum", "minimum")
SCATTERS: dict[str, Example] = {
    "embedding's gradient": embedding_gradient(50, 40),
    "embedding's gradient, wide": embedding_gradient(300, 300),
    "embedding's gradient in bf16": embedding_gradient(400, 40, 3, BF16),
    "add to a parameter": into_a_parameter("add"),
    "multiply": into_a_parameter("multiply", "clamp"),
    "maximum": into_a_parameter("maximum", "mask"),
    "minimum": into_a_parameter("minimum"),
    **{f"{m} with NaN": extremes(m) for m in ("maximum", "minimum", "multiply")},
    **{f"{m} of one number": of_one_number(m) for m in COMBINED},
    **{f"{m} of one integer": of_one_number(m, I32) for m in COMBINED},
    "two indices": by_two_indices(),
    "part of rows": part_of_rows(),
    "overlapping rows": overlapping_rows(),
    "indices around": indices_around(),
    "in a block": in_a_block(),
    "counts": counted(100),
    "many counts": counted(5000),
    **{
        f"at the largest uint64, {policy}": at_the_largest("uint64", policy)
        for policy in ("clamp", "mask", "wrap")
    },
    "distinct rows": distinct(),
    "cross entropy's gradient": cross_entropy_gradient(12, 50),
}
