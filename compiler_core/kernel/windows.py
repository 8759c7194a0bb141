"""Lowering of window reductions (pooling, stencils): reduce axes within each window, read through
an affine index.

    reduce_window of x[n], windows of 3, stride 2, one element of padding:
      parallel i   reduce r:3      v0 = load x[2*i + r - 1] if 0 <= 2*i + r - 1 < n

Outside of the operand the value is the monoid's identity.
"""

from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.kernel import affine, pieces
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.point import Point


def space(node: Value) -> tuple[Dim, ...]:
    """The loop space of a window reduction: the dimensions of its result, then those of a
    window."""
    return (*node.type.shape, *node["window"])


def place(point: Point, node: Value, index: Index, within: Index) -> tuple[Index, str | None]:
    """Where the operands' elements at `within` of the window at `index` stand, and the bool value
    that says whether they are there; None where they always are."""
    inside: str | None = None
    at: list[Affine] = []
    numbers = zip(
        node["strides"], node["window_dilation"], node["low"], node["base_dilation"], strict=True
    )
    for d, (stride, dilation, low, apart) in enumerate(numbers):
        step = affine.add(affine.scale(index[d], stride), affine.scale(within[d], dilation))
        step = affine.add(step, Affine((), -low))
        part, holds = pieces.apart(point, node, step, apart, node.operands[0].type.shape[d])
        at.append(part)
        inside = point.both(node, inside, holds)
    return tuple(at), inside
