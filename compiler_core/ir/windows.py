"""Where the elements of a gather's result, or of a scatter's updates, lie in the operand
(StableHLO's dimension numbers).

Both operations move windows of the operand. Some dimensions of the result (or updates) run within a
window (`window_dims`); the others count windows. `indices` holds a start vector for each window.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core.ir.graph import Operation
from compiler_core.ir.sizes import Dim, number


@dataclass(frozen=True, slots=True)
class Windows:
    """The dimension numbers of one gather or scatter. `sizes`: the window's extent in each
    operand dimension. Operand dimensions in `collapsed` and `batching` have window extent 1 and
    no dimension in the result; the others correspond to `window_dims`, in order. Component k of
    a start vector (along `vector_dim` of the indices) is the start in operand dimension
    `starts[k]`. Operand dimension `batching[i]` is paired with dimension `indices_batching[i]`
    of the indices."""

    window_dims: tuple[int, ...]
    collapsed: tuple[int, ...]
    batching: tuple[int, ...]
    indices_batching: tuple[int, ...]
    starts: tuple[int, ...]
    vector_dim: int
    sizes: tuple[Dim, ...]

    @property
    def inside(self) -> tuple[int, ...]:
        """The operand dimensions that appear in the result, in order."""
        gone = {*self.collapsed, *self.batching}
        return tuple(d for d in range(len(self.sizes)) if d not in gone)

    def counting(self, rank: int) -> tuple[int, ...]:
        """The dimensions of a result of `rank` that count windows: those of the indices without the
        vector dimension, in order."""
        return tuple(d for d in range(rank) if d not in self.window_dims)

    def counted_by(self, indices_dim: int, rank: int) -> int:
        """The dimension of a result of `rank` that corresponds to a dimension of the indices."""
        return self.counting(rank)[indices_dim - (indices_dim > self.vector_dim)]


def windows_of(operation: Operation) -> Windows:
    """The dimension numbers of a gather or a scatter."""
    return _of_gather(operation) if operation.op == "gather" else _of_scatter(operation)


def _of_gather(o: Operation) -> Windows:
    return Windows(
        o["offset_dims"], o["collapsed_slice_dims"], o["operand_batching_dims"],
        o["start_indices_batching_dims"], o["start_index_map"], o["index_vector_dim"],
        o["slice_sizes"],
    )  # fmt: skip


def _of_scatter(o: Operation) -> Windows:
    operand, _, updates = (x.type.shape for x in o.operands)
    gone = {*o["inserted_window_dims"], *o["input_batching_dims"]}
    sizes = iter(o["update_window_dims"])
    return Windows(
        o["update_window_dims"], o["inserted_window_dims"], o["input_batching_dims"],
        o["scatter_indices_batching_dims"], o["scatter_dims_to_operand_dims"],
        o["index_vector_dim"],
        tuple(1 if d in gone else updates[next(sizes)] for d in range(len(operand))),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arrays:
    """What `places` needs of numpy or torch: `arange(size)`, `where(condition, x, y)` and `clamp(x,
    low, high)`."""

    arange: Callable[[int], Any]
    where: Callable[[Any, Any, Any], Any]
    clamp: Callable[[Any, int, int], Any]


def places(operation: Operation, indices: Any, xp: Arrays) -> tuple[list[Any], Any | None]:
    """For each operand dimension, the indices of the windows' elements, broadcastable to the shape
    of the result (a scatter's updates); and a mask of those in bounds, None if all are or have been
    clamped. `indices` are signed integers."""
    w = windows_of(operation)
    operand = operation.operands[0].type.sizes
    windows = operation.types[0] if operation.op == "gather" else operation.operands[2].type
    at: list[Any] = []
    inside = None
    for d, size in enumerate(operand):
        start, holds = _start(operation, w, d, indices, windows.rank, xp)
        if holds is not None:
            inside = holds if inside is None else inside & holds
        if d in w.inside:
            dim = w.window_dims[w.inside.index(d)]
            offset = _along(xp.arange(number(w.sizes[d])), dim, windows.rank)
            start = offset if start is None else start + offset
        elif d in w.batching:
            along = w.counted_by(w.indices_batching[w.batching.index(d)], windows.rank)
            start = _along(xp.arange(size), along, windows.rank)
        at.append(_along(xp.arange(1), 0, windows.rank) if start is None else start)
    return at, inside


def _start(
    operation: Operation, w: Windows, d: int, indices: Any, rank: int, xp: Arrays
) -> tuple[Any, Any]:
    """The starts in dimension `d` (None: 0), and where they are in bounds (None: everywhere)."""
    if d not in w.starts:
        return None, None
    shape = operation.operands[1].type.sizes
    k = w.starts.index(d)
    if w.vector_dim == len(shape):
        start, counts = indices, shape
    else:
        start = indices[(slice(None),) * w.vector_dim + (k,)]
        counts = shape[: w.vector_dim] + shape[w.vector_dim + 1 :]
    spread = [1] * rank
    for dim, count in zip(w.counting(rank), counts, strict=True):
        spread[dim] = count
    size = operation.operands[0].type.sizes[d]
    return _bounded(operation, start.reshape(spread), size, size - number(w.sizes[d]), xp)


def _bounded(operation: Operation, start: Any, size: int, last: int, xp: Arrays) -> tuple[Any, Any]:
    policy = operation["out_of_bounds"]
    if policy == "in_bounds":
        return start, None
    if policy == "wrap":
        start = xp.where(start < 0, start + size, start)
    masked = policy == "mask" or (policy == "wrap" and operation.op == "scatter")
    holds = (start >= 0) & (start <= last) if masked else None
    return xp.clamp(start, 0, max(0, last)), holds


def _along(values: Any, dimension: int, rank: int) -> Any:
    """A vector along one dimension of `rank`."""
    sizes: Sequence[int] = [-1 if d == dimension else 1 for d in range(rank)]
    return values.reshape(sizes)
