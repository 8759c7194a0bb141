"""An elementwise kernel as a fragment of a template: a prologue, computed on tiles that the
template has loaded, or an epilogue, computed on tiles that it has produced.

A fragment is the very kernel that would otherwise run before or after the template, with memory in
between. Its axes are split so that they count the sides of that memory's matrix: batch, rows and
columns of a product, or whatever sides the template names.
"""

from dataclasses import dataclass, replace
from math import prod

from compiler_core.ir.sizes import Dim, divided, hint
from compiler_core.ir.types import strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import map_accesses, rename
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Axis, Kernel, Load

# The most loads of a prologue for each element: as many as a rotation of a sum has. A concatenation
# of many parts has more, each masked, and compiles for as long as all other kernels together.
_MOST_LOADS = 12
# The extents of a matrix's sides, outermost first.
Sizes = tuple[Dim, ...]


@dataclass(frozen=True)
class Fragment:
    """`kernel` iterates over the sides of a matrix: `sides` has the axes of each side in order,
    none for a side of size 1. `product`: the loads of an epilogue that read the template's result;
    `value`: what a prologue passes to the template."""

    kernel: Kernel
    sides: tuple[tuple[Axis, ...], ...]
    product: tuple[str, ...] = ()
    value: str = ""


@dataclass(frozen=True)
class NoFragment:
    """Why a kernel cannot be part of a template."""

    reason: str


def epilogue_of(kernel: Kernel, buffer: str, sizes: Sizes) -> Fragment | NoFragment:
    """`kernel` after a template that writes a matrix of `sizes` to `buffer`."""
    if kernel.reduce or kernel.reductions or kernel.scans:
        return NoFragment(
            "the epilogue reduces, which needs whole rows, and a tile has parts of rows"
        )
    if prod(sizes[-2:]) == 1:
        return NoFragment(
            "the product is a single number, so it has no tile for the epilogue to run on"
        )
    cut = _over(kernel, buffer, sizes)
    if isinstance(cut, NoFragment):
        return cut
    loads = [d for d in cut.defs if isinstance(d, Load) and d.buffer == buffer]
    dense = _dense(cut.axes)
    if not all(d.access == dense and d.mask is None for d in loads):
        return NoFragment("the epilogue reads other elements of the result than those it computes")
    return Fragment(cut, _sides(cut.axes, sizes), product=tuple(d.name for d in loads))


def prologue_of(kernel: Kernel, buffer: str, sizes: Sizes) -> Fragment | NoFragment:
    """`kernel` before a template that reads a matrix of `sizes` from `buffer`."""
    if kernel.reduce or kernel.reductions or kernel.scans:
        return NoFragment("the prologue reduces, and every tile would repeat the reduction")
    if len(kernel.outputs) > 1:
        return NoFragment("the prologue has other results beside the operand")
    cut = _over(kernel, buffer, sizes)
    if isinstance(cut, NoFragment):
        return cut
    loads = sum(isinstance(d, Load) for d in cut.defs)
    if loads > _MOST_LOADS:
        return NoFragment(
            f"the prologue loads {loads} values for each element, which every tile would repeat"
        )
    stores = cut.stores
    if len(stores) != 1 or stores[0].access != _dense(cut.axes) or stores[0].mask:
        return NoFragment("the prologue writes the operand in another order than that of its loop")
    return Fragment(cut, _sides(cut.axes, sizes), value=stores[0].value)


def _over(kernel: Kernel, buffer: str, sizes: Sizes) -> Kernel | NoFragment:
    """The kernel with axes that follow the matrix's sides."""
    if kernel.scattered:
        return NoFragment("the kernel scatters its result, which no tile can hold")
    if not prod(sizes) or prod(a.extent for a in kernel.axes) != prod(sizes):
        return NoFragment(
            "the kernel's loop does not have one point for each element of the matrix"
        )
    result = cut(in_order_of(kernel, buffer), sizes)
    return result or NoFragment(
        "the kernel's axes cannot be split into rows and columns of the matrix"
    )


def in_order_of(kernel: Kernel, buffer: str) -> Kernel:
    """The kernel with its parallel axes in the order of the buffer's memory, as its first access to
    it says; parallel axes may be walked in any order."""
    loads: list[Load | Store] = [d for d in kernel.defs if isinstance(d, Load)]
    stores = kernel.stores
    first = next(x.access for x in (*loads, *stores) if x.buffer == buffer)
    axes = sorted(kernel.parallel, key=lambda a: -hint(first.stride(a.name)))
    return replace(kernel, axes=(*axes, *kernel.reduce))


def cut(kernel: Kernel, sizes: Sizes) -> Kernel | None:
    """The kernel with parallel axes split where they cross from one side to the next; None where
    that is not possible."""
    axes: list[Axis] = []
    rest = list(kernel.parallel)
    for size in reversed(sizes):
        left = size
        while left > 1:
            if not rest:
                return None
            axis = rest.pop()
            fewer, above = divided(left, axis.extent), divided(axis.extent, left)
            if fewer is not None:
                axes.insert(0, axis)
                left = fewer
            elif above is not None:
                outer = replace(axis, name=f"{axis.name}_", extent=above)
                inner = replace(axis, extent=left)
                kernel = _split(kernel, inner, outer.name)
                axes.insert(0, inner)
                rest.append(outer)
                left = 1
            else:
                return None
    return rename(replace(kernel, axes=(*axes, *kernel.reduce)))


def _split(kernel: Kernel, inner: Axis, outer: str) -> Kernel:
    """s * axis -> s * extent(inner) * outer + s * inner."""

    def spread(access: Affine) -> Affine:
        step = access.stride(inner.name)
        if step == 0:
            return access
        return replace(access, terms=(*access.terms, (outer, step * inner.extent)))

    whole = (*kernel.axes, replace(inner, name=outer))
    return map_accesses(replace(kernel, axes=whole), spread)


def _dense(axes: tuple[Axis, ...]) -> Affine:
    steps = strides(tuple(a.extent for a in axes))
    return Affine(tuple((a.name, s) for a, s in zip(axes, steps, strict=True)))


def _sides(axes: tuple[Axis, ...], sizes: Sizes) -> tuple[tuple[Axis, ...], ...]:
    """The axes of each side."""
    found: list[tuple[Axis, ...]] = []
    rest = list(axes)
    for size in sizes:
        own: list[Axis] = []
        while prod(a.extent for a in own) < size:
            own.append(rest.pop(0))
        found.append(tuple(own))
    return tuple(found)
