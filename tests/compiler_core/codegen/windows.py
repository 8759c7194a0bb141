"""Graphs of reductions over windows, and of pads between elements, for both printers."""

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32
from tests.compiler_core.codegen.indexing import Example, floats, graph


def pooled(shape: tuple[int, ...], monoid: str, window: int, stride: int, *rest: int) -> Example:
    """Windows over the last two dimensions, of what a tanh gives."""
    return graph(
        lambda b, x: windows(b, b.node("tanh", x), monoid, window, stride, *rest), floats(*shape)
    )


def windows(
    b: Builder,
    x: Value,
    monoid: str,
    window: int,
    stride: int,
    pad: int = 0,
    dilation: int = 1,
    apart: int = 1,
) -> Value:
    def last_two(n: int, other: int) -> tuple[int, ...]:
        return (*[other] * (x.type.rank - 2), n, n)

    return b.node(
        "reduce_window", x, monoid=monoid, window=last_two(window, 1),
        strides=last_two(stride, 1), base_dilation=last_two(apart, 1),
        window_dilation=last_two(dilation, 1), low=last_two(pad, 0), high=last_two(pad, 0),
    )  # fmt: skip


def average(shape: tuple[int, ...], window: int, stride: int, pad: int) -> Example:
    """Means of what is inside: padding does not count."""

    def make(b: Builder, x: Value) -> Value:
        ones = b.scalar(1.0, F32, x.type.shape)
        sizes = (window, stride, pad)
        return b.node("divide", windows(b, x, "add", *sizes), windows(b, ones, "add", *sizes))

    return graph(make, floats(*shape))


def padded_between(shape: tuple[int, ...], low: object, high: object, interior: object) -> Example:
    def make(b: Builder, x: Value) -> Value:
        value = b.scalar(0.5, F32)
        return b.node("pad", b.node("tanh", x), value, low=low, high=high, interior=interior)

    return graph(make, floats(*shape))


WINDOWS: dict[str, Example] = {
    "maximum": pooled((2, 3, 12, 20), "maximum", 3, 2, 1),
    "maximum, no padding": pooled((2, 3, 12, 20), "maximum", 2, 2),
    "maximum, dilated": pooled((2, 3, 14, 40), "maximum", 3, 1, 2, 2),
    "sum": pooled((2, 3, 9, 130), "add", 3, 1, 1),
    "sum, wide": pooled((1, 2, 40, 33), "add", 7, 3, 3),
    "minimum of few": pooled((4, 3, 3), "minimum", 3, 1, 1),
    "whole": pooled((5, 8, 8), "add", 8, 8),
    "product, far": pooled((3, 9, 9), "multiply", 2, 6, 1),
    "sum of what stands apart": pooled((3, 5, 7), "add", 3, 1, 1, 1, 2),
    "maximum of what stands apart": pooled((2, 9, 4), "maximum", 2, 2, 1, 1, 3),
    "padded between": padded_between((4, 7), (1, -2), (0, 3), (2, 1)),
    "padded between, one element": padded_between((1, 3), (1, 0), (1, 0), (5, 0)),
    "average": average((2, 3, 12, 20), 3, 2, 1),
}
