"""Merging axes: neighbouring axes that every access traverses as one become one axis; then the
kernel's kind is set.

softmax of f32[8,16,64,64] over the last dimension lowers with parallel axes 8, 16, 64. All its
accesses are contiguous over them, so the kernel gets one parallel axis of 8192.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import prod
from typing import TypeVar

from compiler_core.ir.sizes import hint, is_unit
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Phase, Scan, Store
from compiler_core.kernel.kernel import Axis, Def, Index, Kernel, KernelKind, Load

# What axes are called, by their kind.
_PREFIXES = {"parallel": "i", "reduce": "r"}
Part = TypeVar("Part", bound=Load | Index | Store)
# Windows at most so far apart are read by neighbouring lanes of a vector.
NEAR = 4


def canonicalize(kernel: Kernel) -> Kernel:
    """`kernel` with mergeable axes merged, axes renamed in order, and its kind set."""
    kernel = _along(kernel, _merged(kernel))
    return replace(kernel, kind=kind_of(kernel))


def rename(kernel: Kernel) -> Kernel:
    """Parallel axes are named i0, i1, ... and reduce axes r0, r1, ... in order; terms are listed
    outermost first."""
    return _along(kernel, kernel.axes)


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
    """The access pattern of the kernel: elementwise without reduce axes, full without parallel
    ones, row if most accesses in the loop over the reduce axes have stride 1 along the last reduce
    axis, column if along the last parallel axis."""
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


def _merged(kernel: Kernel) -> tuple[Axis, ...]:
    """The axes, those that are merged as one: the inner one, with the product of both extents."""
    walked, axes = accesses(kernel), list[Axis]()
    for outer in reversed(kernel.axes):
        if axes and _walked_as_one(kernel, walked, outer, axes[-1]):
            axes[-1] = replace(axes[-1], extent=outer.extent * axes[-1].extent)
        else:
            axes.append(outer)
    return tuple(reversed(axes))


def _walked_as_one(kernel: Kernel, walked: Iterable[Affine], outer: Axis, inner: Axis) -> bool:
    scanned = any(e.axis in (outer.name, inner.name) for e in kernel.scans.values())
    if scanned or outer.kind != inner.kind:
        return False
    return all(a.stride(outer.name) == a.stride(inner.name) * inner.extent for a in walked)


def _along(kernel: Kernel, axes: tuple[Axis, ...]) -> Kernel:
    """`kernel` along `axes`, which are renamed; those that were merged into others have no terms
    any more."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for axis in axes:
        prefix = _PREFIXES[axis.kind]
        number = counts[prefix] = counts.get(prefix, -1) + 1
        names[axis.name] = f"{prefix}{number}"

    def renamed(access: Affine) -> Affine:
        strides = dict(access.terms)
        terms = tuple((own, strides[old]) for old, own in names.items() if old in strides)
        same = terms == access.terms
        return access if same else Affine(terms, access.offset, access.indirect)

    def scan_renamed(e: Effect) -> Effect:
        return replace(e, axis=names[e.axis]) if isinstance(e, Scan) else e

    axes = tuple(replace(a, name=names[a.name]) for a in axes)
    phases = tuple(Phase(tuple(map(scan_renamed, s.effects))) for s in kernel.phases)
    return map_accesses(replace(kernel, axes=axes, phases=phases), renamed)


def map_accesses(kernel: Kernel, change: Callable[[Affine], Affine]) -> Kernel:
    """The kernel with `change` applied to every index expression."""

    def on_def(d: Def) -> Def:
        return _at(d, change(d.access)) if isinstance(d, Load | Index) else d

    def on_effect(e: Effect) -> Effect:
        return _at(e, change(e.access)) if isinstance(e, Store) else e

    return replace(
        kernel,
        defs=tuple(map(on_def, kernel.defs)),
        phases=tuple(Phase(tuple(map(on_effect, s.effects))) for s in kernel.phases),
    )


def _at(x: Part, access: Affine) -> Part:
    # Most are where they were: a copy takes longer than to see that.
    return x if access is x.access else replace(x, access=access)
