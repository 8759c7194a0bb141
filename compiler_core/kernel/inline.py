"""Kernels over other axes, and inlining a producer's definitions in place of loads of its result.

A template (attention) has axes of its own. The kernels before, inside and after it are ordinary
ones; here their index expressions are rewritten in terms of the template's axes, which is possible
if the place of an element in memory determines its index (the arithmetic of reshape,
kernel/affine.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compiler_core.ir.sizes import Undecided, at_most, hint, product
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import map_accesses
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Axis, Def, Kernel, Load
from compiler_core.kernel.renaming import reading, renamed

# The value of each axis in terms of other axes.
Moves = Mapping[str, Affine]


def substituted(access: Affine, moves: Moves) -> Affine:
    """`access` with each axis of `moves` replaced; computed terms stay."""
    found = Affine((), access.offset, access.indirect)
    for axis, stride in access.terms:
        found = affine.add(found, affine.scale(moves.get(axis, Affine(((axis, 1),))), stride))
    return found


def over(kernel: Kernel, axes: Sequence[Axis], moves: Moves) -> Kernel:
    """`kernel` expressed over `axes`."""
    moved = replace(kernel, axes=tuple(axes))
    return map_accesses(moved, lambda access: substituted(access, moves))


def places(
    access: Affine, axes: Sequence[Axis], at: Affine, extents: affine.Extents
) -> Moves | None:
    """The point of a loop over `axes` at which `access` touches the element `at`, provided that it
    touches each element once. None if it does not, if the point is not affine in the axes, or if
    that depends on the value of a symbol."""
    several = (a for a in axes if not at_most(a.extent, 1))
    walked = sorted(several, key=lambda a: -hint(access.stride(a.name)))
    shape = tuple(a.extent for a in walked)
    dense = affine.linear(tuple(Affine(((a.name, 1),)) for a in walked), shape)
    if access.offset or access.indirect or dict(access.terms) != dict(dense.terms):
        return None
    try:
        index = affine.reshape((at,), (product(shape),), shape, extents)
    except Undecided:
        return None
    return None if index is None else {a.name: x for a, x in zip(walked, index, strict=True)}


def is_elementwise(kernel: Kernel) -> bool:
    """Whether each point computes its elements by itself: no reduction, scan or scatter."""
    return not (kernel.reduce or kernel.reductions or kernel.scans or kernel.scattered)


def store_of(kernel: Kernel, buffer: str) -> Store | None:
    """The only store to `buffer`, which must be a plain one."""
    stores = kernel.stores
    found = [e for e in stores if e.buffer == buffer]
    return found[0] if len(found) == 1 and found[0].mask is None else None


def inlined(kernel: Kernel, buffer: str, producer: Kernel) -> Kernel | None:
    """`kernel` with the computation of `producer` in place of each load of `buffer`; None if the
    indices are not affine."""
    store = store_of(producer, buffer)
    if store is None or not is_elementwise(producer):
        return None
    extents = {a.name: a.extent for a in kernel.axes}
    defs: list[Def] = []
    for d in kernel.defs:
        if not (isinstance(d, Load) and d.buffer == buffer):
            defs.append(d)
            continue
        moves = places(store.access, producer.axes, d.access, extents)
        if moves is None or d.mask is not None:
            return None
        defs += _computed(over(producer, kernel.axes, moves), store.value, d.name)
    buffers = {b.name: b for b in (*kernel.buffers, *producer.inputs) if b.name != buffer}
    return replace(kernel, defs=tuple(defs), buffers=tuple(buffers.values()))


def _computed(producer: Kernel, value: str, name: str) -> list[Def]:
    """The definitions of `value`, which is called `name`."""
    needed = producer.needed((value,))
    names = {d.name: f"{name}_{d.name}" for d in needed} | {value: name}
    return [renamed(d, names) for d in needed]


def numbered(kernel: Kernel, prefix: str) -> tuple[Kernel, Mapping[str, str]]:
    """`kernel` with its values renamed v0, v1, ... (or another letter); and the new names."""
    names = {d.name: f"{prefix}{i}" for i, d in enumerate(kernel.defs)}
    phases = tuple(Phase(tuple(reading(e, names) for e in p.effects)) for p in kernel.phases)
    defs = tuple(renamed(d, names) for d in kernel.defs)
    order = [a.name for a in kernel.axes]

    def outermost_first(access: Affine) -> Affine:
        terms = sorted(access.terms, key=lambda t: order.index(t[0]))
        return replace(access, terms=tuple(terms))

    return map_accesses(replace(kernel, defs=defs, phases=phases), outermost_first), names
