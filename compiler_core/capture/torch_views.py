"""ATen's views and rearrangements, and the tensors that it makes from nothing."""

from collections.abc import Sequence
from typing import Any

from compiler_core.capture.rules import Number, Operand, Rule
from compiler_core.capture.torch_pointwise import TorchRule
from compiler_core.ir.graph import Node
from compiler_core.ir.types import F64, I64


def _reshape(c: Rule, x: Node, *_: Any) -> Node:
    """The result's type already says the shape."""
    return c.b.reshape(x, c.out.shape)


def _same(c: Rule, x: Node, *_: Any) -> Node:
    return x


def _permute(c: Rule, x: Node, dims: Sequence[int]) -> Node:
    return c.b.transpose(x, [d % x.type.rank for d in dims])


def _transpose(c: Rule, x: Node, first: int, second: int) -> Node:
    order = list(range(x.type.rank))
    if order:
        order[first], order[second] = order[second], order[first]
    return c.b.transpose(x, order)


def _t(c: Rule, x: Node) -> Node:
    return c.b.transpose(x, tuple(reversed(range(x.type.rank))))


def _expand(c: Rule, x: Node, *_: Any) -> Node:
    return c.b.broadcast(x, c.out.shape)


def slice_along(c: Rule, x: Node, dim: int, start: int, limit: int, step: int = 1) -> Node:
    """One dimension sliced, the others whole."""
    shape = x.type.shape
    if (start, limit, step) == (0, shape[dim], 1):
        return x
    return c.b.node(
        "slice",
        x,
        start=tuple(start if d == dim else 0 for d in range(len(shape))),
        limit=tuple(limit if d == dim else s for d, s in enumerate(shape)),
        strides=tuple(step if d == dim else 1 for d in range(len(shape))),
    )


def _slice(
    c: Rule, x: Node, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Node:
    dim %= x.type.rank
    first, last, _ = slice(start, end, step).indices(x.type.shape[dim])
    return slice_along(c, x, dim, first, max(first, last), step)


def _select(c: Rule, x: Node, dim: int, index: int) -> Node:
    dim %= x.type.rank
    index %= x.type.shape[dim]
    return c.b.reshape(slice_along(c, x, dim, index, index + 1), c.out.shape)


def _pieces(c: Rule, x: Node, dim: int) -> list[Node]:
    """As many pieces along `dim` as there are results, each as long as its type says."""
    dim, at, made = dim % x.type.rank, 0, []
    for type_ in c.types:
        made.append(slice_along(c, x, dim, at, at + type_.shape[dim]))
        at += type_.shape[dim]
    return made


def _split(c: Rule, x: Node, _: Any, dim: int = 0) -> list[Node]:
    return _pieces(c, x, dim)


def _unbind(c: Rule, x: Node, dim: int = 0) -> list[Node]:
    dim %= x.type.rank
    return [c.b.reshape(slice_along(c, x, dim, i, i + 1), t.shape) for i, t in enumerate(c.types)]


def _diagonal(c: Rule, x: Node, offset: int = 0, first: int = 0, second: int = 1) -> Node:
    """Every (columns + 1)-th element of the flattened matrix."""
    rank = x.type.rank
    first, second = first % rank, second % rank
    rest = [d for d in range(rank) if d not in (first, second)]
    rows, columns = x.type.shape[first], x.type.shape[second]
    batch = tuple(x.type.shape[d] for d in rest)
    flat = c.b.reshape(c.b.transpose(x, [*rest, first, second]), (*batch, rows * columns))
    start = offset if offset >= 0 else -offset * columns
    count = c.out.shape[-1]
    if count == 0:
        return c.b.reshape(slice_along(c, flat, len(batch), 0, 0), c.out.shape)
    return slice_along(
        c, flat, len(batch), start, start + (count - 1) * (columns + 1) + 1, columns + 1
    )


def _cat(c: Rule, xs: Sequence[Node], dim: int = 0) -> Node:
    dim %= c.out.rank
    # torch lets empty vectors through whatever the other shapes are.
    parts = [c.cast(x, c.out.dtype) for x in xs if x.type.shape != (0,) or c.out.rank == 1]
    return parts[0] if len(parts) == 1 else c.b.node("concatenate", *parts, dimension=dim)


def _stack(c: Rule, xs: Sequence[Node], dim: int = 0) -> Node:
    dim %= c.out.rank
    shape = tuple(1 if d == dim else s for d, s in enumerate(c.out.shape))
    return _cat(c, [c.b.reshape(x, shape) for x in xs], dim)


def _repeat(c: Rule, x: Node, repeats: Sequence[int]) -> Node:
    """A new dimension before each old one, repeated, then the pairs merged."""
    shape = (1,) * (len(repeats) - x.type.rank) + x.type.shape
    pairs = tuple(v for r, s in zip(repeats, shape, strict=True) for v in (r, s))
    spread = c.b.broadcast_in_dim(c.b.reshape(x, shape), pairs, range(1, len(pairs), 2))
    return c.b.reshape(spread, c.out.shape)


def _flip(c: Rule, x: Node, dims: Sequence[int]) -> Node:
    return c.b.node("reverse", x, dimensions=tuple(sorted(d % x.type.rank for d in dims)))


def _roll(c: Rule, x: Node, shifts: Sequence[int], dims: Sequence[int] = ()) -> Node:
    if not dims:
        flat = c.b.reshape(x, (x.type.numel,))
        return c.b.reshape(_roll(c, flat, shifts, [0]), x.type.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        dim %= x.type.rank
        size = x.type.shape[dim]
        if cut := -shift % size if size else 0:
            parts = slice_along(c, x, dim, cut, size), slice_along(c, x, dim, 0, cut)
            x = c.b.node("concatenate", *parts, dimension=dim)
    return x


def _pad(c: Rule, x: Node, pads: Sequence[int], value: Number = 0) -> Node:
    """torch names the last dimension first."""
    rank = x.type.rank
    low, high = [0] * rank, [0] * rank
    for i in range(len(pads) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    return c.b.node(
        "pad", x, c.cast(value, x.type.dtype), low=tuple(low), high=tuple(high),
        interior=(0,) * rank,
    )  # fmt: skip


def triangle(c: Rule, x: Node, offset: int, direction: str) -> Node:
    """Whether column - row compares with `offset`, for the last two dimensions."""
    shape = x.type.shape
    row = c.b.iota(I64, shape, len(shape) - 2)
    column = c.b.iota(I64, shape, len(shape) - 1)
    return c.b.compare(column, c.add(row, offset), direction)


def _tril(c: Rule, x: Node, offset: int = 0) -> Node:
    return c.select(triangle(c, x, offset, "LE"), x, 0)


def _triu(c: Rule, x: Node, offset: int = 0) -> Node:
    return c.select(triangle(c, x, offset, "GE"), x, 0)


# -- from nothing


def _constant(value: Number) -> TorchRule:
    return lambda c, *_: c.cast(value, c.out.dtype, c.out.shape)


def _full(c: Rule, _: Any, value: Number, *__: Any) -> Node:
    return c.cast(value, c.out.dtype, c.out.shape)


def _scalar_tensor(c: Rule, value: Number, *_: Any) -> Node:
    return c.cast(value, c.out.dtype, c.out.shape)


def _arange(c: Rule, start: Number, end: Number, step: Number = 1, *_: Any) -> Node:
    """start + i * step, in double precision where a step is not whole."""
    if c.out.dtype.is_float:
        index = c.b.iota(F64, c.out.shape, 0)
        return c.narrow(c.add(c.mul(index, float(step)), float(start)))
    index = c.b.iota(c.out.dtype, c.out.shape, 0)
    index = index if step == 1 else c.mul(index, int(step))
    return index if start == 0 else c.add(index, int(start))


def _arange_to(c: Rule, end: Number, *_: Any) -> Node:
    return _arange(c, 0, end)


def _linspace(c: Rule, start: Operand, end: Operand, steps: int, *_: Any) -> Node | None:
    if isinstance(start, Node) or isinstance(end, Node):
        return None
    if steps == 1:
        return c.cast(start, c.out.dtype, c.out.shape)
    index = c.b.iota(F64, c.out.shape, 0)
    step = (end - start) / max(1, steps - 1)
    up = c.add(c.mul(index, float(step)), float(start))
    down = c.add(c.mul(c.add(index, -float(steps - 1)), float(step)), float(end))
    return c.narrow(c.select(c.compare(index, float(steps // 2), "LT"), up, down))


def _eye(c: Rule, *_: Any) -> Node:
    rows, columns = (c.b.iota(I64, c.out.shape, d) for d in (0, 1))
    return c.cast(c.b.compare(rows, columns, "EQ"), c.out.dtype)


TABLE: dict[str, TorchRule] = {
    **dict.fromkeys(
        ("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "view_copy",
         "_reshape_copy", "squeeze_copy", "unsqueeze_copy"),
        _reshape,
    ),
    **dict.fromkeys(("detach", "alias", "lift_fresh", "lift", "view_as", "contiguous"), _same),
    "permute": _permute,
    "transpose": _transpose,
    "t": _t,
    "expand": _expand,
    "slice": _slice,
    "select": _select,
    "split": _split,
    "split_with_sizes": _split,
    "unbind": _unbind,
    "diagonal": _diagonal,
    "diagonal_copy": _diagonal,
    "cat": _cat,
    "stack": _stack,
    "repeat": _repeat,
    "flip": _flip,
    "roll": _roll,
    "constant_pad_nd": _pad,
    "tril": _tril,
    "triu": _triu,
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros"), _constant(0)),
    **dict.fromkeys(("ones", "ones_like", "new_ones"), _constant(1)),
    # What is in such memory is not defined: zero is as good as anything.
    **dict.fromkeys(
        ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"), _constant(0)
    ),
    **dict.fromkeys(("full_like", "new_full", "full"), _full),
    "new_full": lambda c, x, size, value, *_: c.cast(value, c.out.dtype, c.out.shape),
    "scalar_tensor": _scalar_tensor,
    "arange": _arange_to,
    "arange.start": lambda c, start, end, *_: _arange(c, start, end),
    "arange.start_step": _arange,
    "linspace": _linspace,
    "eye": _eye,
}  # fmt: skip
