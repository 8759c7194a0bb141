"""Steps that move or repeat elements."""

from compiler_core.ir.sizes import Dim, Size, is_multiple
from compiler_core.ir.types import TensorType
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import NUMBERS, Step


def _any(g: Growing, least: int = 0) -> Known:
    return g.operand(
        lambda t: t.rank >= least,
        lambda: TensorType(g.rng.choice(NUMBERS), g.shape(least, least + 2)),
    )


def _broadcast_in_dim(g: Growing) -> Known:
    x = _any(g)
    if x.rank > 3:
        raise Unfit("so many dimensions")
    rank = x.rank + g.rng.randint(0, 4 - x.rank)
    places = tuple(sorted(g.rng.sample(range(rank), x.rank)))
    own = dict(zip(places, x.shape, strict=True))
    shape = tuple(_widened(g, own[d]) if d in own else g.rng.choice(g.dims) for d in range(rank))
    return g.add("broadcast_in_dim", x, shape=shape, dimensions=places)[0]


def _widened(g: Growing, dim: Dim) -> Dim:
    return g.rng.choice(g.dims) if dim == 1 else dim


def _reshape(g: Growing) -> Known:
    """Merges two dimensions, splits one, or adds one of size 1."""
    x = _any(g)
    shape, at = x.shape, g.below(max(1, x.rank - 1))
    how = g.rng.choice(("merge", "split", "add"))
    if len(shape) >= 2 and how == "merge":
        new = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
    elif shape and how == "split" and is_multiple(shape[at], 2):
        pair = (shape[at] // 2, 2) if g.chance(0.5) else (2, shape[at] // 2)
        new = (*shape[:at], *pair, *shape[at + 1 :])
    else:
        new = (*shape[:at], 1, *shape[at:])
    return g.add("reshape", x, shape=new)[0]


def _transpose(g: Growing) -> Known:
    x = _any(g, 2)
    return g.add("transpose", x, permutation=tuple(g.rng.sample(range(x.rank), x.rank)))[0]


def _slice(g: Growing) -> Known:
    x = _any(g, 1)
    start, limit, strides = [], list(x.shape), []
    for d, size in enumerate(x.shape):
        start.append(g.below(g.least(size) + 1) if g.chance(0.5) else 0)
        strides.append(1 if isinstance(size, Size) else g.rng.randint(1, 3))
        if g.chance(0.3):
            limit[d] = g.rng.randint(start[d], g.least(size))
    return g.add("slice", x, start=tuple(start), limit=tuple(limit), strides=tuple(strides))[0]


def _reverse(g: Growing) -> Known:
    x = _any(g, 1)
    return g.add("reverse", x, dimensions=g.some(range(x.rank)) or (0,))[0]


def _concatenate(g: Growing) -> Known:
    x = _any(g, 1)
    d = g.below(x.rank)

    def alike(t: TensorType) -> bool:
        same = t.rank == x.rank and t.dtype is x.type.dtype
        return same and _without(t, d) == _without(x.type, d)

    others = [g.operand(alike, lambda: x.type) for _ in range(g.rng.randint(0, 2))]
    return g.add("concatenate", x, *others, dimension=d)[0]


def _without(t: TensorType, d: int) -> tuple[Dim, ...]:
    return (*t.shape[:d], -1, *t.shape[d + 1 :])


def _pad(g: Growing) -> Known:
    x = _any(g)
    value = g.operand(lambda t: t == TensorType(x.type.dtype), lambda: TensorType(x.type.dtype))
    low, high = (tuple(g.rng.choice((0, 0, 1, 2, -1)) for _ in x.shape) for _ in range(2))
    interior = tuple(g.rng.choice((0, 0, 0, 1, 2)) for _ in x.shape)
    return g.add("pad", x, value, low=low, high=high, interior=interior)[0]


STEPS: dict[str, Step] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "reverse": _reverse,
    "concatenate": _concatenate,
    "pad": _pad,
}
