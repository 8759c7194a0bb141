"""ATen's reductions and scans. Half precision accumulates in single, as torch's kernels do."""

import math
from collections.abc import Sequence
from typing import Any

from compiler_core.capture.formulas import index_of
from compiler_core.capture.rules import Number, Rule, widened
from compiler_core.capture.torch_pointwise import TorchRule
from compiler_core.ir.graph import Node
from compiler_core.ir.types import BOOL, I64

Dims = int | Sequence[int] | None


def dims_of(x: Node, dims: Dims) -> tuple[int, ...]:
    """None and the empty list mean every dimension."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return tuple(range(x.type.rank))
    listed = (dims,) if isinstance(dims, int) else dims
    return tuple(sorted({d % x.type.rank for d in listed})) if x.type.rank else ()


def count(x: Node, dims: Sequence[int]) -> int:
    return math.prod(x.type.shape[d] for d in dims)


def sum_of(c: Rule, x: Node, dims: Sequence[int], keepdims: bool = False) -> Node:
    return c.b.reduce(x, "add", dims, keepdims)


def mean_of(c: Rule, x: Node, dims: Sequence[int], keepdims: bool = False) -> Node:
    return c.div(sum_of(c, x, dims, keepdims), count(x, dims))


def _wide(c: Rule, x: Node) -> Node:
    """As the type that the result is accumulated in."""
    return c.cast(x, widened(c.out.dtype))


def _shaped(c: Rule, x: Node) -> Node:
    return c.narrow(c.b.reshape(x, c.out.shape))


def fold(monoid: str) -> TorchRule:
    """Sums, products: in the type of the result."""

    def rule(c: Rule, x: Node, dims: Dims = None, *_: Any) -> Node:
        return _shaped(c, c.b.reduce(_wide(c, x), monoid, dims_of(x, dims)))

    return rule


def fold_all(monoid: str) -> TorchRule:
    return lambda c, x, *_: fold(monoid)(c, x)


def _mean(c: Rule, x: Node, dims: Dims = None, *_: Any) -> Node:
    return _shaped(c, mean_of(c, _wide(c, x), dims_of(x, dims)))


def extreme(monoid: str) -> TorchRule:
    def rule(c: Rule, x: Node, dims: Dims = None, *_: Any) -> Node:
        return _shaped(c, c.b.reduce(x, monoid, dims_of(x, dims)))

    return rule


def _truth(monoid: str) -> TorchRule:
    def rule(c: Rule, x: Node, dims: Dims = None, *_: Any) -> Node:
        return _shaped(c, c.b.reduce(c.cast(x, BOOL), monoid, dims_of(x, dims)))

    return rule


def _arg(monoid: str) -> TorchRule:
    def rule(c: Rule, x: Node, dim: int | None = None, keepdims: bool = False) -> Node:
        if x.type.rank == 0:
            return c.b.scalar(0, I64)
        if dim is None:
            x, dim = c.b.reshape(x, (x.type.numel,)), 0
        return c.b.reshape(index_of(c, x, dim % x.type.rank, monoid), c.out.shape)

    return rule


def _with_index(monoid: str) -> TorchRule:
    """`max(dim)`: the values, and where they are."""

    def rule(c: Rule, x: Node, dim: int, *_: Any) -> tuple[Node, Node]:
        if x.type.rank == 0:
            return x, c.b.scalar(0, I64)
        dim %= x.type.rank
        values = c.b.reduce(x, monoid, (dim,))
        where = index_of(c, x, dim, monoid)
        return c.b.reshape(values, c.out.shape), c.b.reshape(where, c.out.shape)

    return rule


def _amin_amax(c: Rule, x: Node, dim: int | None = None, *_: Any) -> tuple[Node, Node]:
    low, high = (c.b.reduce(x, m, dims_of(x, dim)) for m in ("minimum", "maximum"))
    return c.b.reshape(low, c.out.shape), c.b.reshape(high, c.out.shape)


def variance(c: Rule, x: Node, dims: Sequence[int], correction: Number) -> tuple[Node, Node]:
    """Variance and mean over `dims`, which stay as size 1: two passes, for the digits."""
    mean = mean_of(c, x, dims, keepdims=True)
    centred = c.sub(x, mean)
    total = sum_of(c, c.mul(centred, centred), dims, keepdims=True)
    # torch divides by zero too where the correction leaves nothing.
    return c.div(total, max(0.0, count(x, dims) - correction)), mean


def _variance(root: bool, with_mean: bool) -> TorchRule:
    def rule(c: Rule, x: Node, dims: Dims = None, correction: Any = 1, *_: Any) -> Any:
        correction = 1 if correction is None else float(correction)
        value, mean = variance(c, _wide(c, x), dims_of(x, dims), correction)
        value = c.b.node("sqrt", value) if root else value
        return (_shaped(c, value), _shaped(c, mean)) if with_mean else _shaped(c, value)

    return rule


def _norm(c: Rule, x: Node, order: Number = 2, dims: Dims = None, *_: Any) -> Node:
    wide, axes = _wide(c, x), dims_of(x, dims)
    magnitude = c.b.node("abs", wide)
    if order == 2:
        return _shaped(c, c.b.node("sqrt", sum_of(c, c.mul(wide, wide), axes)))
    if order == 1:
        return _shaped(c, sum_of(c, magnitude, axes))
    if order in (math.inf, -math.inf):
        monoid = "maximum" if order > 0 else "minimum"
        return _shaped(c, c.b.reduce(magnitude, monoid, axes))
    if order == 0:
        nonzero = c.cast(c.compare(wide, 0, "NE"), wide.type.dtype)
        return _shaped(c, sum_of(c, nonzero, axes))
    total = sum_of(c, c.op("power", magnitude, order), axes)
    return _shaped(c, c.op("power", total, 1 / order))


def _logsumexp(c: Rule, x: Node, dims: Dims, keepdims: bool = False) -> Node:
    wide, axes = _wide(c, x), dims_of(x, dims)
    high = c.b.reduce(wide, "maximum", axes, keepdims=True)
    # A row of -inf, or one with inf, must not become inf - inf.
    shift = c.select(c.b.node("is_finite", high), high, 0)
    total = sum_of(c, c.exp(c.sub(wide, shift)), axes, keepdims=True)
    return _shaped(c, c.add(c.b.node("log", total), shift))


def _scan(monoid: str) -> TorchRule:
    def rule(c: Rule, x: Node, dim: int, *_: Any) -> Node:
        wide = _wide(c, x)
        if x.type.rank == 0:
            return c.narrow(wide)
        attrs = {"monoid": monoid, "dimension": dim % x.type.rank, "reverse": False}
        return c.narrow(c.b.node("cumulative", wide, **attrs))

    return rule


TABLE: dict[str, TorchRule] = {
    "sum": fold_all("add"),
    "sum.dim_IntList": fold("add"),
    "prod": fold_all("multiply"),
    "prod.dim_int": fold("multiply"),
    "mean": lambda c, x, *_: _mean(c, x),
    "mean.dim": _mean,
    "amax": extreme("maximum"),
    "amin": extreme("minimum"),
    "aminmax": _amin_amax,
    "max": extreme("maximum"),
    "min": extreme("minimum"),
    "max.dim": _with_index("maximum"),
    "min.dim": _with_index("minimum"),
    "argmax": _arg("maximum"),
    "argmin": _arg("minimum"),
    "any": _truth("or"),
    "all": _truth("and"),
    "var.correction": _variance(root=False, with_mean=False),
    "std.correction": _variance(root=True, with_mean=False),
    "var_mean.correction": _variance(root=False, with_mean=True),
    "std_mean.correction": _variance(root=True, with_mean=True),
    "linalg_vector_norm": _norm,
    "logsumexp": _logsumexp,
    "cumsum": _scan("add"),
    "cumprod": _scan("multiply"),
}
