"""Packing: an operand that is read with a stride along the innermost parallel axis is first copied
transposed, so that a vector loads neighbours.

    d[i, j] = reduce add over r of (x[i, r] - c[j, r])^2

Vectorised along r, each result needs a sum across lanes, and r may be shorter than a vector. Once c
is packed as t[r, j] = c[j, r], a vector holds the results of neighbouring j, and no lanes are
summed. The copy is read again for each i.
"""

from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import hint, is_unit
from compiler_core.ir.types import TensorType, strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import canonicalize, in_memory
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Axis, BufferParam, Kernel, Load

# The fewest neighbours, which fill a vector, and the fewest times that a copy is read.
_LEAST_BESIDE, _LEAST_AGAIN = 16, 8
# Copies must stay in a core's second-level cache.
_MOST_BYTES = 512 * 1024


def with_packed_operands(kernel: Kernel) -> tuple[Kernel, ...]:
    """The kernels that pack the strided operands of `kernel`, one for each load, then `kernel`
    itself, reading the packed copies. Empty where packing does not pay (too few neighbours, too few
    reads of each copy, copies larger than a second-level cache) or is not possible (symbolic sizes,
    scans, masked or computed accesses)."""
    if not kernel.reduce or len(kernel.parallel) < 2 or kernel.symbols or kernel.scans:
        return ()
    *outer, last = kernel.parallel
    if last.hint < _LEAST_BESIDE or prod(a.hint for a in outer) < _LEAST_AGAIN:
        return ()
    apart = [d for d in kernel.defs if isinstance(d, Load) and _is_apart(kernel, d)]
    beneath = [a for a in in_memory(kernel) if all(a is not d.access for d in apart)]
    if not apart or not all(hint(a.stride(last.name)) in (0, 1) for a in beneath):
        return ()
    if sum(prod(a.hint for a in _walked(kernel, d)) * d.dtype.bytes for d in apart) > _MOST_BYTES:
        return ()
    copies = {d.name: f"{kernel.name}_{d.name}_beside" for d in apart}
    copying = [_copy(kernel, d, copies[d.name]) for d in apart]
    return (*copying, _reading(kernel, copies))


def _is_apart(kernel: Kernel, d: Load) -> bool:
    """Whether neighbouring results read a load at places apart, the same for all outer points."""
    *outer, last = kernel.parallel
    if d.mask is not None or d.access.indirect or is_unit(d.access.stride(last.name)):
        return False
    moves = hint(d.access.stride(last.name)) > 1
    return moves and all(d.access.stride(a.name) == 0 for a in outer)


def _walked(kernel: Kernel, d: Load) -> list[Axis]:
    """The axes that a load depends on, the last parallel one innermost."""
    axes = [a for a in kernel.reduce if d.access.stride(a.name) != 0]
    return [*axes, kernel.parallel[-1]]


def _dense(axes: list[Axis]) -> Affine:
    steps = strides(tuple(a.extent for a in axes))
    return Affine(tuple((a.name, step) for a, step in zip(axes, steps, strict=True)))


def _copy(kernel: Kernel, d: Load, name: str) -> Kernel:
    """Writes what `d` reads as the buffer `name`, neighbours side by side."""
    axes = _walked(kernel, d)
    out = BufferParam(name, TensorType(d.dtype, tuple(a.extent for a in axes)), "out")
    read = next(b for b in kernel.buffers if b.name == d.buffer)
    alike = tuple(replace(a, kind="parallel") for a in axes)
    store = Store(name, _dense(axes), d.name, d.origins)
    title = name.replace(f"{d.name}_beside", f"copy_{d.name}")
    buffers = (replace(read, role="in"), out)
    phases = (Phase((store,)),)
    return canonicalize(Kernel(title, "elementwise", alike, buffers, (d,), phases, d.origins))


def _reading(kernel: Kernel, copies: dict[str, str]) -> Kernel:
    """`kernel` with these loads from their copies."""
    found, added = [], []
    for d in kernel.defs:
        if isinstance(d, Load) and d.name in copies:
            axes, name = _walked(kernel, d), copies[d.name]
            type_ = TensorType(d.dtype, tuple(a.extent for a in axes))
            added.append(BufferParam(name, type_, "in"))
            d = replace(d, buffer=name, access=_dense(axes))
        found.append(d)
    read = {d.buffer for d in found if isinstance(d, Load)} | {e.buffer for e in kernel.stores}
    buffers = (*added, *(b for b in kernel.buffers if b.name in read))
    return canonicalize(replace(kernel, buffers=buffers, defs=tuple(found)))
