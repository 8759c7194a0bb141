"""JAX's primitives that move or repeat elements and compute nothing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiler_core.capture.rules import Operand, Rule
from compiler_core.ir.graph import Node

Params = Mapping[str, Any]
# None: not in this form; the primitive stays JAX's own.
JaxRule = Callable[..., Node | Sequence[Node] | None]


def _broadcast_in_dim(c: Rule, p: Params, x: Operand, *_: Any) -> Node:
    if not isinstance(x, Node):
        return c.cast(x, c.out.dtype, c.out.shape)
    return c.b.broadcast_in_dim(x, c.out.shape, p["broadcast_dimensions"])


def _reshape(c: Rule, p: Params, x: Operand, *_: Any) -> Node:
    return c.b.reshape(c.cast(x, c.out.dtype), c.out.shape)


def _transpose(c: Rule, p: Params, x: Node) -> Node:
    return c.b.transpose(x, p["permutation"])


def _slice(c: Rule, p: Params, x: Node) -> Node:
    strides = p["strides"] or (1,) * x.type.rank
    return c.b.node(
        "slice", x, start=tuple(p["start_indices"]), limit=tuple(p["limit_indices"]),
        strides=tuple(strides),
    )  # fmt: skip


def _cut(c: Rule, x: Node, start: Sequence[int], limit: Sequence[int]) -> Node:
    return c.b.node("slice", x, start=tuple(start), limit=tuple(limit), strides=(1,) * x.type.rank)


def _split(c: Rule, p: Params, x: Node) -> list[Node]:
    axis, at, made = p["axis"], 0, []
    for size in p["sizes"]:
        start = [at if d == axis else 0 for d in range(x.type.rank)]
        limit = [at + size if d == axis else s for d, s in enumerate(x.type.shape)]
        made.append(_cut(c, x, start, limit))
        at += size
    return made


def _rev(c: Rule, p: Params, x: Node) -> Node:
    return c.b.node("reverse", x, dimensions=tuple(sorted(p["dimensions"])))


def _concatenate(c: Rule, p: Params, *xs: Node) -> Node:
    return xs[0] if len(xs) == 1 else c.b.node("concatenate", *xs, dimension=p["dimension"])


def _pad(c: Rule, p: Params, x: Node, value: Operand) -> Node:
    """Padding by less than nothing cuts off."""
    low, high, interior = zip(*p["padding_config"], strict=True) if x.type.rank else ((), (), ())
    made = c.b.node(
        "pad", x, c.cast(value, x.type.dtype), low=tuple(max(0, v) for v in low),
        high=tuple(max(0, v) for v in high), interior=tuple(interior),
    )  # fmt: skip
    if min((*low, *high, 0)) == 0:
        return made
    start = [max(0, -v) for v in low]
    limit = [s + min(0, v) for s, v in zip(made.type.shape, high, strict=True)]
    return _cut(c, made, start, limit)


def _iota(c: Rule, p: Params, *_: Any) -> Node:
    return c.b.iota(c.out.dtype, c.out.shape, p["dimension"])


TABLE: dict[str, JaxRule] = {
    "broadcast_in_dim": _broadcast_in_dim,
    **dict.fromkeys(("reshape", "squeeze", "expand_dims"), _reshape),
    "transpose": _transpose,
    "slice": _slice,
    "split": _split,
    "rev": _rev,
    "concatenate": _concatenate,
    "pad": _pad,
    "iota": _iota,
}
