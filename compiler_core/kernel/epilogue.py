"""An elementwise kernel as the end of a matrix product: the fragment that a template prints in its
own tile, where the product still is in registers.

The fragment is the very kernel that would otherwise run after the product and read it from memory;
its axes are cut so that they count the product's batch, rows and columns.
"""

from dataclasses import dataclass, replace
from math import prod

from compiler_core.ir.sizes import number
from compiler_core.ir.types import strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import map_accesses, rename
from compiler_core.kernel.kernel import Axis, Kernel, Load


@dataclass(frozen=True)
class Epilogue:
    """`kernel` over axes that count [batch, rows, columns], in this order; `product` names the
    loads that read the product, which a template has at hand."""

    kernel: Kernel
    batch: tuple[Axis, ...]
    rows: tuple[Axis, ...]
    columns: tuple[Axis, ...]
    product: tuple[str, ...]


@dataclass(frozen=True)
class NoEpilogue:
    """Why a kernel cannot end a product."""

    reason: str


def epilogue_of(kernel: Kernel, buffer: str, sizes: tuple[int, int, int]) -> Epilogue | NoEpilogue:
    """`kernel` after a product of `sizes` [batch, rows, columns] that is written to `buffer`."""
    if kernel.reduce or kernel.reductions or kernel.scans:
        return NoEpilogue("it reduces, and needs whole rows of the product")
    if kernel.scattered:
        return NoEpilogue("it scatters what it computes")
    if sizes[1] * sizes[2] == 1:
        return NoEpilogue("the product is one number, and no tile")
    if prod(a.extent for a in kernel.axes) != prod(sizes):
        return NoEpilogue("its loop is not over the product's elements")
    cut = _cut(kernel, sizes)
    if cut is None:
        return NoEpilogue("its loop does not follow the product's rows and columns")
    loads = [d for d in cut.defs if isinstance(d, Load) and d.buffer == buffer]
    dense = _dense(cut.axes)
    if not all(d.access == dense and d.mask is None for d in loads):
        return NoEpilogue("it reads the product elsewhere than where it computes")
    batch, rows, columns = _groups(cut.axes, sizes)
    return Epilogue(cut, batch, rows, columns, tuple(d.name for d in loads))


def _cut(kernel: Kernel, sizes: tuple[int, int, int]) -> Kernel | None:
    """The kernel with axes that do not cross from rows to columns, or from batch to rows."""
    axes: list[Axis] = []
    rest = list(kernel.axes)
    for size in reversed(sizes):
        left = size
        while left > 1:
            if not rest:
                return None
            axis = rest.pop()
            if left % axis.extent == 0:
                axes.insert(0, axis)
                left //= axis.extent
            elif axis.extent % left == 0:
                outer = replace(axis, name=f"{axis.name}_", extent=axis.extent // left)
                inner = replace(axis, extent=left)
                kernel = _split(kernel, inner, outer.name)
                axes.insert(0, inner)
                rest.append(outer)
                left = 1
            else:
                return None
    return rename(replace(kernel, axes=tuple(axes)))


def _split(kernel: Kernel, inner: Axis, outer: str) -> Kernel:
    """s * axis -> s * extent(inner) * outer + s * inner."""

    def spread(access: Affine) -> Affine:
        step = access.stride(inner.name)
        if not step:
            return access
        return replace(access, terms=(*access.terms, (outer, step * inner.extent)))

    whole = (*kernel.axes, replace(inner, name=outer))
    return map_accesses(replace(kernel, axes=whole), spread)


def _dense(axes: tuple[Axis, ...]) -> Affine:
    steps = strides(tuple(a.extent for a in axes))
    return Affine(tuple((a.name, number(s)) for a, s in zip(axes, steps, strict=True)))


def _groups(axes: tuple[Axis, ...], sizes: tuple[int, int, int]) -> list[tuple[Axis, ...]]:
    """The axes of each of the sizes."""
    found: list[tuple[Axis, ...]] = []
    rest = list(axes)
    for size in sizes:
        own: list[Axis] = []
        while prod(a.extent for a in own) < size:
            own.append(rest.pop(0))
        found.append(tuple(own))
    return found
