"""Templates over a batch whose size is a symbol: convolutions of every kind, windows, rows in
order."""

from collections.abc import Mapping
from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.sizes import MOST, Dim, Symbol, size
from compiler_core.ir.types import F32, I64, TensorType
from conformance.operations import cases_convolution

B = Symbol("B", 32, 2, MOST)
ROWS: Dim = size(B)
Sizes = tuple[int, ...]


def with_batch(shape: Sizes, place: int) -> tuple[Dim, ...]:
    """`shape` with the symbol at `place`."""
    return tuple(ROWS if d == place else s for d, s in enumerate(shape))


def convolution(left: Sizes, right: Sizes, attrs: Mapping[str, Any], *, ended: bool) -> Graph:
    """A convolution of B images; `ended`: with a bias for each feature and tanh."""
    b = Builder()
    batch = attrs.get("lhs_dims", (0,))[0]
    x = b.parameter(TensorType(F32, with_batch(left, batch)))
    result = b.convolution(x, b.parameter(TensorType(F32, right)), **attrs)
    if ended:
        feature = attrs.get("out_dims", range(len(left)))[1]
        bias = b.parameter(TensorType(F32, (result.type.shape[feature],)))
        spread = b.broadcast_in_dim(bias, result.type.shape, (feature,))
        result = b.node("tanh", b.node("add", result, spread))
    return b.graph("f", [result])


# All that have something to sum.
CONVOLUTIONS = {
    name: numbers
    for name, numbers in cases_convolution.NUMBERS.items()
    if name not in ("empty", "no-batch")
}


def weight_gradient(*, ended: bool = False) -> Graph:
    """The gradient of a weight, in which the batch is summed over; `ended`: a tenth of it."""
    b, swapped = Builder(), (1, 0, 2, 3)
    x = b.parameter(TensorType(F32, (ROWS, 3, 7, 9)))
    grad = b.parameter(TensorType(F32, (ROWS, 5, 5, 7)))
    result = b.convolution(x, grad, lhs_dims=swapped, rhs_dims=swapped, out_dims=swapped)
    if ended:
        result = b.node("multiply", result, b.scalar(0.1, F32, result.type.shape))
    return b.graph("f", [result])


def pooling(monoid: str) -> Graph:
    """Windows of 3 by 2 places, over the edges of each image."""
    b = Builder()
    x = b.parameter(TensorType(F32, (ROWS, 3, 8, 9)))
    ones = (1, 1, 1, 1)
    return b.graph(
        "f",
        b.operation(
            "reduce_window", [x], monoid=monoid, window=(1, 1, 3, 2), strides=(1, 1, 2, 2),
            base_dilation=ones, window_dilation=ones, low=(0, 0, 1, 0), high=(0, 0, 1, 0),
        ),
    )  # fmt: skip


def ordered(length: int) -> Graph:
    """Rows in order, with the places that their elements had."""
    b = Builder()
    x, places = b.parameter(TensorType(F32, (ROWS, length))), b.iota(I64, (ROWS, length), 1)
    return b.graph(
        "f", b.operation("sort", [x, places], dimension=1, keys=1, descending=False, stable=True)
    )


def greatest(length: int, k: int) -> Graph:
    b = Builder()
    x = b.parameter(TensorType(F32, (ROWS, length)))
    return b.graph("f", b.operation("top_k", [x], k=k, total=False))


OTHERS: dict[str, Graph] = {
    "weight gradient": weight_gradient(),
    "weight gradient and what follows": weight_gradient(ended=True),
    "largest of windows": pooling("maximum"),
    "sum of windows": pooling("add"),
    "short rows in order": ordered(40),
    "long rows in order": ordered(700),
    "greatest five": greatest(300, 5),
}
GRAPHS: dict[str, Graph] = {
    **{name: convolution(*numbers, ended=False) for name, numbers in CONVOLUTIONS.items()},
    **{
        f"{name} and what follows": convolution(*numbers, ended=True)
        for name, numbers in CONVOLUTIONS.items()
        if name in (
            "plain", "all", "grouped", "pointwise", "line", "volume", "channels-last",
            "depthwise-twice",
        )
    },
    **OTHERS,
}  # fmt: skip
