"""Convolutions: every number of one that may differ, on small odd sizes."""

from collections.abc import Iterator
from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, BOOL, F32, I32, DType, TensorType
from conformance.operations.cases import Case, random

Sizes = tuple[int, ...]

# Input, kernel, attributes.
NUMBERS: dict[str, tuple[Sizes, Sizes, dict[str, Any]]] = {
    "plain": ((2, 3, 7, 9), (4, 3, 3, 3), {}),
    "padded": ((2, 3, 7, 9), (4, 3, 3, 3), {"low": (1, 1), "high": (1, 1)}),
    "one-sided": ((1, 3, 7, 9), (4, 3, 3, 3), {"low": (0, 2), "high": (1, 0)}),
    "cropped": ((1, 3, 7, 9), (4, 3, 3, 3), {"low": (-1, 1), "high": (1, -2)}),
    "strided": ((1, 3, 7, 9), (4, 3, 3, 2), {"strides": (2, 3), "low": (1, 1), "high": (1, 1)}),
    "dilated": ((1, 3, 9, 9), (4, 3, 3, 2), {"rhs_dilation": (2, 3)}),
    "all": (
        (2, 4, 9, 11), (6, 2, 3, 2),
        {"strides": (2, 1), "rhs_dilation": (1, 2), "low": (1, 2), "high": (2, 0), "groups": 2},
    ),
    "transposed": (
        (2, 3, 4, 5), (4, 3, 3, 3),
        {"lhs_dilation": (2, 2), "low": (1, 1), "high": (2, 1), "window_reversal": (True, True)},
    ),
    "gaps": (
        (1, 3, 4, 5), (2, 3, 3, 2), {"lhs_dilation": (2, 3), "strides": (2, 1), "high": (1, 0)}
    ),
    "reversed": ((1, 3, 7, 9), (4, 3, 3, 3), {"window_reversal": (True, False)}),
    "grouped": ((2, 6, 7, 5), (4, 3, 3, 3), {"groups": 2}),
    "depthwise": ((2, 5, 7, 9), (5, 1, 3, 3), {"groups": 5, "low": (1, 1), "high": (1, 1)}),
    "depthwise-twice": ((1, 3, 7, 9), (6, 1, 3, 3), {"groups": 3, "strides": (2, 2)}),
    "pointwise": ((2, 3, 4, 5), (7, 3, 1, 1), {}),
    "channels-last": (
        (2, 7, 9, 3), (3, 3, 3, 4),
        {"lhs_dims": (0, 3, 1, 2), "rhs_dims": (3, 2, 0, 1), "out_dims": (0, 3, 1, 2)},
    ),
    "channels-first-out": (
        (7, 9, 2, 3), (3, 3, 3, 4),
        {"lhs_dims": (2, 3, 0, 1), "rhs_dims": (3, 2, 0, 1), "out_dims": (1, 0, 3, 2)},
    ),
    "line": ((2, 3, 11), (4, 3, 4), {"strides": (2,), "low": (1,), "high": (2,)}),
    "volume": ((1, 2, 5, 4, 6), (3, 2, 2, 3, 2), {"low": (1, 0, 1), "high": (0, 1, 1)}),
    "no-window": ((2, 3), (4, 3), {}),
    "weight-gradient": (
        (3, 2, 8, 7), (4, 2, 4, 4),
        {"rhs_dilation": (2, 2), "low": (1, 1), "high": (0, 1), "out_dims": (1, 0, 2, 3)},
    ),
    "grouped-weight-gradient": (
        (3, 4, 6, 6), (4, 2, 6, 6), {"low": (1, 1), "high": (1, 1), "groups": 2}
    ),
    "empty": ((2, 3, 2, 9), (4, 3, 3, 3), {}),
    "no-batch": ((0, 3, 7, 9), (4, 3, 3, 3), {}),
}  # fmt: skip

SAME = {"low": (1, 1), "high": (1, 1)}
LAST = {"lhs_dims": (0, 3, 1, 2), "rhs_dims": (3, 2, 0, 1), "out_dims": (0, 3, 1, 2)}
# Each channel by itself, with one result or several, and the gradients of such.
DEPTHWISE: dict[str, tuple[Sizes, Sizes, dict[str, Any]]] = {
    "same": ((2, 5, 7, 9), (5, 1, 3, 3), {"groups": 5, **SAME}),
    "twice": ((2, 3, 7, 9), (6, 1, 3, 3), {"groups": 3, **SAME}),
    "strided": ((2, 4, 9, 8), (4, 1, 3, 2), {"groups": 4, "strides": (2, 3), **SAME}),
    "dilated": ((1, 4, 11, 9), (8, 1, 3, 3), {"groups": 4, "rhs_dilation": (2, 3), **SAME}),
    "one-sided": ((1, 3, 6, 5), (3, 1, 3, 2), {"groups": 3, "low": (2, -1), "high": (-1, 2)}),
    "channels last": ((2, 7, 6, 5), (3, 3, 1, 5), {"groups": 5, **SAME, **LAST}),
    "twice, channels last": ((2, 6, 5, 3), (2, 3, 1, 6), {"groups": 3, **LAST}),
    "line": ((2, 6, 13), (6, 1, 4), {"groups": 6, "low": (3,), "high": (0,)}),
    "volume": (
        (1, 3, 4, 5, 6), (6, 1, 3, 2, 3), {"groups": 3, "low": (1, 0, 1), "high": (1, 1, 1)}
    ),
    "input gradient": (
        (2, 6, 7, 9), (3, 2, 3, 3),
        {"groups": 3, "window_reversal": (True, True), "low": (1, 1), "high": (1, 1)},
    ),
    "input gradient, strided": (
        (2, 4, 4, 5), (4, 1, 3, 3),
        {"groups": 4, "window_reversal": (True, True), "lhs_dilation": (2, 2), "low": (1, 1),
         "high": (2, 1)},
    ),
    "weight gradient": (
        (8, 1, 7, 9), (2, 4, 7, 9),
        {"groups": 4, **dict.fromkeys(("lhs_dims", "rhs_dims", "out_dims"), (1, 0, 2, 3)), **SAME},
    ),
}  # fmt: skip


def case(name: str, dtype: DType) -> Case:
    left, right, attrs = NUMBERS[name]
    b = Builder()
    x, y = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
    graph = b.graph("f", [b.convolution(x, y, **attrs)])
    return Case(
        f"convolution-{name}-{dtype}", graph, (random(dtype, left), random(dtype, right, 1))
    )


def every() -> Iterator[Case]:
    for name in NUMBERS:
        yield case(name, F32)
    for dtype in (BF16, I32, BOOL):
        for name in ("all", "transposed", "channels-last", "weight-gradient"):
            yield case(name, dtype)
