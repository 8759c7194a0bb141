"""Lowering of window reductions (pooling, stencils, reductions of tuples over windows): the
positions in a window are reduce axes, and the operand is read at an affine index of both. A
convolution may be one too (plan/windowed_convolution.py).

    reduce_window of x[n], windows of 3, stride 2, one element of padding:
      parallel i   reduce r:3      v0 = load x[2*i + r - 1] if 0 <= 2*i + r - 1 < n

Outside of the operand, values are the monoid's identity.
"""

from dataclasses import dataclass

from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.kernel import affine, pieces
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.definitions import Attributed, Definitions


def space(node: Value) -> tuple[Dim, ...]:
    """The loop extents of a window reduction: the sizes of its result, then those of a window."""
    return (*node.type.shape, *node["window"])


def place(point: Definitions, node: Value, index: Index, within: Index) -> tuple[Index, str | None]:
    """For position `within` of the window at `index`: the index of the operands' elements there,
    and a bool value that is true where there are such; None where there always are."""
    inside: str | None = None
    at: list[Affine] = []
    numbers = zip(
        node["strides"], node["window_dilation"], node["low"], node["base_dilation"], strict=True
    )
    for d, each in enumerate(numbers):
        size = node.operands[0].type.shape[d]
        part, holds = along(point, node, (index[d], within[d]), Steps(*each), size)
        at.append(part)
        inside = point.both(node, inside, holds)
    return tuple(at), inside


@dataclass(frozen=True, slots=True)
class Steps:
    """Windows along one dimension, in elements: `stride` from one window to the next, `dilation`
    from one position within a window to the next, `low` of padding before the first element, and
    `apart`, the base dilation, from one element of the operand to the next."""

    stride: int
    dilation: int
    low: int
    apart: int


def along(
    point: Definitions, node: Attributed, at: tuple[Affine, Affine], steps: Steps, size: Dim
) -> tuple[Affine, str | None]:
    """In one dimension of `size` elements, for window at[0] and position at[1] within it: the index
    of the operand's element there, and a bool value that is true if there is one; None if there
    always is."""
    window, within = at
    step = affine.add(affine.scale(window, steps.stride), affine.scale(within, steps.dilation))
    return pieces.apart(point, node, affine.add(step, Affine((), -steps.low)), steps.apart, size)
