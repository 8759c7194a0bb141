"""Memory traffic and arithmetic of one run of a kernel."""

from collections.abc import Mapping
from math import prod

from compiler_core.ir import ops
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Axis, Compute, Kernel, Load, roots


def traffic(kernel: Kernel) -> tuple[int, int]:
    """(bytes read, bytes written), a lower bound: each buffer is counted once. Where a kernel loads
    only part of a buffer (a slice, the rows that indices select), the loop's points are counted
    instead."""
    moving = {a: kernel.varying([a.name]) for a in kernel.axes}
    loaded: dict[str, int] = {}
    for d in kernel.defs:
        if isinstance(d, Load):
            walked = prod(
                axis.hint
                for axis, values in moving.items()
                if d.access.stride(axis.name) != 0 or values.intersection(d.access.values)
            )
            loaded[d.buffer] = loaded.get(d.buffer, 0) + walked * d.dtype.bytes
    whole = {b.name: b.type.at_hint().bytes for b in kernel.buffers}
    read = sum(min(size, whole[name]) for name, size in loaded.items())
    changed = {e.buffer: _points(kernel, moving, e) for e in kernel.scattered}
    written = {
        b.name: min(
            b.type.at_hint().bytes, changed.get(b.name, b.type.at_hint().numel) * b.type.dtype.bytes
        )
        for b in kernel.outputs
    }
    again = sum(written[e.buffer] for e in kernel.scattered if e.mode != "set")
    return read + again, sum(written.values())


def _points(kernel: Kernel, moving: Mapping[Axis, frozenset[str]], e: Store) -> int:
    """How many times a store with a computed place is executed."""
    return prod(
        axis.hint
        for axis, values in moving.items()
        if e.access.stride(axis.name) != 0 or values.intersection(roots(e))
    )


def flops(kernel: Kernel) -> int:
    """Arithmetic operations; a transcendental function counts with its weight in ir/ops/."""
    points = kept = 1
    for axis in kernel.axes:
        points *= axis.hint
        kept *= axis.hint if axis.kind == "parallel" else 1
    tile = kernel.tile_values if kernel.reduce else frozenset(d.name for d in kernel.defs)
    elementwise = sum(
        ops.OPS[d.op].cost * (points if d.name in tile else kept)
        for d in kernel.defs
        if isinstance(d, Compute)
    )
    return elementwise + points * (len(kernel.reductions) + len(kernel.scans))
