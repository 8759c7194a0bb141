"""Steps that read and write at indices that are values: rows, points, boxes, and along a
dimension, under each policy for what is out of bounds."""

from typing import Any

from compiler_core.ir.ops.indexing import COMBINATIONS, OUT_OF_BOUNDS
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import I32, I64, U8, TensorType
from conformance.graphs.arrays import Content, below
from conformance.graphs.growing import Growing, Known
from conformance.graphs.table import NUMBERS, Step

# The indices' shape, the dimension numbers, and what the indices go up to.
Way = tuple[tuple[Dim, ...], dict[str, Any], int]


def _operand(g: Growing) -> Known:
    return g.operand(lambda t: t.rank >= 1, lambda: TensorType(g.rng.choice(NUMBERS), g.shape(1)))


def _rows(g: Growing, x: Known) -> Way:
    """Whole slices along one dimension."""
    d, counts = g.below(x.rank), g.shape(0, 2)
    first = g.rng.randint(0, len(counts))
    rest = x.rank - 1
    window = tuple(range(first, first + rest))
    sizes = tuple(1 if i == d else s for i, s in enumerate(x.shape))
    numbers = {"window": window, "collapsed": (d,), "starts": (d,), "vector": len(counts)}
    return counts, numbers | {"sizes": sizes}, g.least(x.shape[d])


def _points(g: Growing, x: Known) -> Way:
    """Single elements; a vector of indices each."""
    counts, every = g.shape(0, 2), tuple(range(x.rank))
    starts = tuple(g.rng.sample(every, x.rank))
    at = g.rng.randint(0, len(counts))
    shape = (*counts[:at], x.rank, *counts[at:])
    numbers = {"window": (), "collapsed": every, "starts": starts, "vector": at}
    return shape, numbers | {"sizes": (1,) * x.rank}, min(map(g.least, x.shape))


def _boxes(g: Growing, x: Known) -> Way:
    """Parts of every dimension, at starts along some."""
    starts = g.some(range(x.rank)) or (0,)
    counts = g.shape(0, 1)
    sizes = tuple(
        max(1, g.below(g.least(s) + 1)) if i in starts else s for i, s in enumerate(x.shape)
    )
    window = tuple(range(len(counts), len(counts) + x.rank))
    numbers = {"window": window, "collapsed": (), "starts": starts, "vector": len(counts)}
    room = min(g.least(x.shape[d]) - g.least(sizes[d]) + 1 for d in starts)
    return (*counts, len(starts)), numbers | {"sizes": sizes}, max(1, room)


def _along(g: Growing, x: Known) -> Way:
    """Along one dimension, at indices for each place of the others."""
    d = g.below(x.rank)
    others = tuple(i for i in range(x.rank) if i != d)
    shape = tuple(g.rng.choice(g.dims) if i == d else s for i, s in enumerate(x.shape))
    numbers = {"window": (), "collapsed": (d,), "starts": (d,), "vector": x.rank,
               "batching": others, "sizes": (1,) * x.rank}  # fmt: skip
    return shape, numbers, g.least(x.shape[d])


_WAYS = (_rows, _rows, _along, _points, _boxes)


def _indices(g: Growing, shape: tuple[Dim, ...], content: Content, free: bool) -> Known:
    """Of a content; where any number will do, also values that are there."""
    dtype = g.rng.choice((I64, I32, U8))
    type_ = TensorType(dtype, shape)
    found = g.pick(lambda t: t.shape == shape and t.dtype.is_integer) if free else None
    return found or g.leaf(type_, content)


def _gather(g: Growing) -> Known:
    x, policy = _operand(g), g.rng.choice(OUT_OF_BOUNDS)
    shape, n, limit = g.rng.choice(_WAYS)(g, x)
    free = policy != "in_bounds"
    indices = _indices(g, shape, below(limit, beyond=free), free)
    batching = n.get("batching", ())
    return g.add(
        "gather", x, indices, offset_dims=n["window"], collapsed_slice_dims=n["collapsed"]
        if not batching else n["starts"], operand_batching_dims=batching,
        start_indices_batching_dims=batching, start_index_map=n["starts"],
        index_vector_dim=n["vector"], slice_sizes=n["sizes"], out_of_bounds=policy,
        fill=g.number(x.type.dtype),
    )[0]  # fmt: skip


def _scatter(g: Growing) -> Known:
    x = _operand(g)
    combine, policy = g.rng.choice(COMBINATIONS), g.rng.choice(OUT_OF_BOUNDS)
    way = _rows if combine == "set" else g.rng.choice(_WAYS)
    shape, n, limit = way(g, x)
    # Of several that set an element, any one wins.
    once = combine == "set" or g.chance(0.1)
    if once:
        shape, policy = (min(2, limit),) if way is _rows else shape, "in_bounds"
        n = n if way is not _rows else n | {"vector": 1, "window": tuple(range(1, x.rank))}
        once = way is _rows
    free = policy != "in_bounds"
    indices = _indices(g, shape, below(limit, beyond=free, distinct=once), free)
    batching = n.get("batching", ())
    counts = [s for i, s in enumerate(shape) if i != n["vector"]]
    inside = [s for d, s in enumerate(n["sizes"]) if d not in n["collapsed"] and d not in batching]
    rank = len(counts) + len(inside)
    sources = iter(inside), iter(counts)
    updates_shape = tuple(next(sources[0 if d in n["window"] else 1]) for d in range(rank))
    wanted = TensorType(x.type.dtype, updates_shape)
    updates = g.operand(lambda t: t == wanted, lambda: wanted)
    return g.add(
        "scatter", x, indices, updates, update_window_dims=n["window"],
        inserted_window_dims=n["collapsed"], input_batching_dims=batching,
        scatter_indices_batching_dims=batching, scatter_dims_to_operand_dims=n["starts"],
        index_vector_dim=n["vector"], combine=combine, out_of_bounds=policy, unique=once,
    )[0]  # fmt: skip


def _starts(g: Growing, x: Known) -> list[Known]:
    dtype = g.rng.choice((I32, I64))
    scalar = TensorType(dtype)
    return [
        g.pick(lambda t: t == scalar) or g.leaf(scalar, below(g.least(s), beyond=True))
        for s in x.shape
    ]


def _part(g: Growing, x: Known) -> tuple[int, ...]:
    return tuple(g.rng.randint(min(1, g.least(s)), g.least(s)) for s in x.shape)


def _dynamic_slice(g: Growing) -> Known:
    x = _operand(g)
    return g.add("dynamic_slice", x, *_starts(g, x), sizes=_part(g, x))[0]


def _dynamic_update_slice(g: Growing) -> Known:
    x = _operand(g)
    wanted = x.type.with_shape(_part(g, x))
    update = g.operand(lambda t: t == wanted, lambda: wanted)
    return g.add("dynamic_update_slice", x, update, *_starts(g, x))[0]


STEPS: dict[str, Step] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
