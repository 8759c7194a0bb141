"""Merging axes: neighbouring axes that every access traverses as one become one axis; then the
kernel's kind is set.

softmax of f32[8,16,64,64] over the last dimension lowers with parallel axes 8, 16, 64. All its
accesses are contiguous over them, so the kernel gets one parallel axis of 8192.
"""

from collections.abc import Callable
from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import hint, is_unit
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Phase, Scan, Store
from compiler_core.kernel.kernel import Axis, Def, Index, Kernel, KernelKind, Load

# Windows as far apart at most are read by neighbouring lanes of a vector.
NEAR = 4


def canonicalize(kernel: Kernel) -> Kernel:
    """`kernel` with mergeable axes merged, axes renamed in order, and its kind set."""
    merged = True
    while merged:
        merged = False
        for outer, inner in zip(kernel.axes, kernel.axes[1:], strict=False):
            if outer.kind == inner.kind and _walks_as_one(kernel, outer, inner):
                kernel = _merge(kernel, outer, inner)
                merged = True
                break
    kernel = rename(kernel)
    return replace(kernel, kind=kind_of(kernel))


def flip(kernel: Kernel, axis: str) -> Kernel:
    """`kernel` with `axis` reversed, which turns a backward scan into a forward one."""
    (extent,) = (a.extent for a in kernel.axes if a.name == axis)

    def flipped(access: Affine) -> Affine:
        terms = tuple((a, -s if a == axis else s) for a, s in access.terms)
        offset = access.offset + access.stride(axis) * (extent - 1)
        return replace(access, terms=terms, offset=offset)

    return map_accesses(kernel, flipped)


def accesses(kernel: Kernel) -> list[Affine]:
    """All index expressions of the kernel: of loads, stores and index values."""
    return [d.access for d in kernel.defs if isinstance(d, Index)] + in_memory(kernel)


def in_memory(kernel: Kernel) -> list[Affine]:
    """The index expressions of loads and stores."""
    loads = [d.access for d in kernel.defs if isinstance(d, Load)]
    return loads + [e.access for e in kernel.stores]


def kind_of(kernel: Kernel) -> KernelKind:
    """row or column, by which kind of axis most tile accesses have stride 1 along."""
    if not kernel.reduce:
        return "elementwise"
    if not kernel.parallel:
        return "full"
    last_r, last_p = kernel.reduce[-1].name, kernel.parallel[-1].name
    tile = [a for a in in_memory(kernel) if any(a.stride(r.name) != 0 for r in kernel.reduce)]
    if kernel.kind == "column" and any(_slides(kernel, a) or a.indirect for a in tile):
        return "column"  # as its lowering knew: it walks windows, perhaps of elements apart
    # A row that all points share is small, and stays in cache; so does one that neighbours share.
    tile = [a for a in tile if any(a.stride(p.name) != 0 for p in kernel.parallel)] or tile
    if any(a.stride(last_p) != 0 for a in tile if a.stride(last_r) != 0):
        tile = [a for a in tile if a.stride(last_p) != 0]
    along_r = sum(1 for a in tile if is_unit(a.stride(last_r)))
    along_p = sum(1 for a in tile if is_unit(a.stride(last_p)))
    return "row" if along_r >= along_p else "column"


def _slides(kernel: Kernel, access: Affine) -> bool:
    """Whether an access traverses short windows that overlap or adjoin: then the long contiguous
    walk is over the windows rather than within each."""
    last, step = kernel.parallel[-1], abs(hint(access.stride(kernel.parallel[-1].name)))
    reach = sum((r.hint - 1) * abs(hint(access.stride(r.name))) for r in kernel.reduce) + 1
    points = prod(r.hint for r in kernel.reduce)
    return 0 < step <= NEAR and step < reach and points <= last.hint * NEAR


def _walks_as_one(kernel: Kernel, outer: Axis, inner: Axis) -> bool:
    if any(e.axis in (outer.name, inner.name) for e in kernel.scans.values()):
        return False
    return all(
        a.stride(outer.name) == a.stride(inner.name) * inner.extent for a in accesses(kernel)
    )


def _merge(kernel: Kernel, outer: Axis, inner: Axis) -> Kernel:
    """`inner` takes over the product of both extents; `outer` disappears."""
    axes = tuple(
        replace(a, extent=outer.extent * inner.extent) if a is inner else a
        for a in kernel.axes
        if a is not outer
    )
    return map_accesses(
        replace(kernel, axes=axes),
        lambda access: replace(access, terms=tuple(t for t in access.terms if t[0] != outer.name)),
    )


def rename(kernel: Kernel) -> Kernel:
    """Parallel axes are named i0, i1, ... and reduce axes r0, r1, ... in order; terms are listed
    outermost first."""
    names: dict[str, str] = {}
    for prefix, group in (("i", kernel.parallel), ("r", kernel.reduce)):
        names |= {axis.name: f"{prefix}{number}" for number, axis in enumerate(group)}
    order = {name: number for number, name in enumerate(a.name for a in kernel.axes)}

    def renamed(access: Affine) -> Affine:
        terms = sorted(access.terms, key=lambda t: order[t[0]])
        return replace(access, terms=tuple((names[a], s) for a, s in terms))

    def scan_renamed(e: Effect) -> Effect:
        return replace(e, axis=names[e.axis]) if isinstance(e, Scan) else e

    axes = tuple(replace(a, name=names[a.name]) for a in kernel.axes)
    phases = tuple(Phase(tuple(map(scan_renamed, s.effects))) for s in kernel.phases)
    return map_accesses(replace(kernel, axes=axes, phases=phases), renamed)


def map_accesses(kernel: Kernel, change: Callable[[Affine], Affine]) -> Kernel:
    """The kernel with `change` applied to every index expression."""

    def on_def(d: Def) -> Def:
        return replace(d, access=change(d.access)) if isinstance(d, Load | Index) else d

    def on_effect(e: Effect) -> Effect:
        return replace(e, access=change(e.access)) if isinstance(e, Store) else e

    return replace(
        kernel,
        defs=tuple(on_def(d) for d in kernel.defs),
        phases=tuple(Phase(tuple(on_effect(e) for e in s.effects)) for s in kernel.phases),
    )
