"""JAX's primitives that move or repeat elements and compute nothing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiler_core.capture.jax.symbols import divided_exactly
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim

Params = Mapping[str, Any]
# A rule; None if it does not support this form, so that the primitive stays JAX's own.
JaxRule = Callable[..., Value | Sequence[Value] | None]


def _broadcast_in_dim(ctx: LoweringContext, p: Params, x: Operand, *_: Any) -> Value:
    if not isinstance(x, Value):
        return ctx.cast(x, ctx.out.dtype, ctx.out.shape)
    return ctx.b.broadcast_in_dim(x, ctx.out.shape, p["broadcast_dimensions"])


def _reshape(ctx: LoweringContext, p: Params, x: Operand, *_: Any) -> Value:
    """Of the elements in the order of `dimensions`, where these are given."""
    converted, order = ctx.cast(x, ctx.out.dtype), p["dimensions"]
    divided_exactly(converted.type.elements, ctx.out.elements)
    return ctx.b.reshape(
        converted if order is None else ctx.b.transpose(converted, order), ctx.out.shape
    )


def _of_ones(ctx: LoweringContext, p: Params, x: Operand) -> Value:
    """Dimensions of one element gone, or added."""
    return ctx.b.reshape(ctx.cast(x, ctx.out.dtype), ctx.out.shape)


def _transpose(ctx: LoweringContext, p: Params, x: Value) -> Value:
    return ctx.b.transpose(x, p["permutation"])


def _slice(ctx: LoweringContext, p: Params, x: Value) -> Value:
    strides = p["strides"] or (1,) * x.type.rank
    return ctx.b.node(
        "slice", x, start=tuple(p["start_indices"]), limit=tuple(p["limit_indices"]),
        strides=tuple(strides),
    )  # fmt: skip


def _cut(ctx: LoweringContext, x: Value, start: Sequence[int], limit: Sequence[Dim]) -> Value:
    return ctx.b.node(
        "slice", x, start=tuple(start), limit=tuple(limit), strides=(1,) * x.type.rank
    )


def _split(ctx: LoweringContext, p: Params, x: Value) -> list[Value]:
    axis, at, pieces = p["axis"], 0, []
    for size in p["sizes"]:
        start = [at if d == axis else 0 for d in range(x.type.rank)]
        limit = [at + size if d == axis else s for d, s in enumerate(x.type.shape)]
        pieces.append(_cut(ctx, x, start, limit))
        at += size
    return pieces


def _rev(ctx: LoweringContext, p: Params, x: Value) -> Value:
    return ctx.b.node("reverse", x, dimensions=tuple(sorted(p["dimensions"])))


def _concatenate(ctx: LoweringContext, p: Params, *xs: Value) -> Value:
    return xs[0] if len(xs) == 1 else ctx.b.node("concatenate", *xs, dimension=p["dimension"])


def _stack(ctx: LoweringContext, p: Params, *xs: Operand) -> Value:
    axis = p["axis"]
    one = tuple(1 if d == axis else s for d, s in enumerate(ctx.out.shape))
    inner = (*one[:axis], *one[axis + 1 :])
    parts = [ctx.b.reshape(ctx.fit(x, ctx.out.dtype, inner), one) for x in xs]
    return _concatenate(ctx, {"dimension": axis}, *parts)


def _unstack(ctx: LoweringContext, p: Params, x: Value) -> list[Value]:
    ones = _split(ctx, {"axis": p["axis"], "sizes": (1,) * len(ctx.types)}, x)
    return [ctx.b.reshape(one, ctx.out.shape) for one in ones]


def _tile(ctx: LoweringContext, p: Params, x: Value) -> Value:
    """Each dimension after a new one, along which it repeats."""
    pairs = [size for pair in zip(p["reps"], x.type.shape, strict=True) for size in pair]
    spread = ctx.b.broadcast_in_dim(x, pairs, range(1, 2 * x.type.rank, 2))
    return ctx.b.reshape(spread, ctx.out.shape)


def _pad(ctx: LoweringContext, p: Params, x: Value, value: Operand) -> Value:
    """Padding by less than nothing cuts off."""
    low, high, interior = zip(*p["padding_config"], strict=True) if x.type.rank else ((), (), ())
    padded = ctx.b.node(
        "pad", x, ctx.cast(value, x.type.dtype), low=tuple(max(0, v) for v in low),
        high=tuple(max(0, v) for v in high), interior=tuple(interior),
    )  # fmt: skip
    if min((*low, *high, 0)) == 0:
        return padded
    start = [max(0, -v) for v in low]
    limit = [s + min(0, v) for s, v in zip(padded.type.shape, high, strict=True)]
    return _cut(ctx, padded, start, limit)


def _iota(ctx: LoweringContext, p: Params, *_: Any) -> Value:
    return ctx.b.iota(ctx.out.dtype, ctx.out.shape, p["dimension"])


# Primitives that move the elements of one array, whatever these are: the parts of complex numbers,
# the bytes of 8-bit floats and the words of keys too.
MOVES: dict[str, JaxRule] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    **dict.fromkeys(("squeeze", "expand_dims"), _of_ones),
    "transpose": _transpose,
    "slice": _slice,
    "split": _split,
    "rev": _rev,
    "unstack": _unstack,
    "tile": _tile,
}
# Primitives that do so with any number of arrays.
JOINS: dict[str, JaxRule] = {"concatenate": _concatenate, "stack": _stack}

TABLE: dict[str, JaxRule] = {
    **MOVES,
    **JOINS,
    "pad": _pad,
    "iota": _iota,
}
