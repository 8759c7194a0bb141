"""Bytes that a kernel moves between memory and a processor which reads memory in units."""

from math import prod

from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Kernel, Load


def moved(kernel: Kernel, axis: str, unit: int, without: str = "", inside: str = "") -> int:
    """Bytes moved if accesses along `axis` are adjacent in time and memory is transferred in units
    of `unit` bytes: every element once, with the unused remainder of its unit. The buffer `without`
    is not counted. `inside` is "reduce" if neighbours visit all points of the reduce axes together,
    as those of a window do, which use up the remainder."""
    whole = {b.name: b.type for b in kernel.buffers}
    found: dict[str, int] = {}
    for buffer, access in _accesses(kernel):
        if buffer == without:
            continue
        element = whole[buffer].dtype.bytes
        points = prod(a.hint for a in kernel.axes if access.stride(a.name) != 0)
        stride = abs(hint(access.stride(axis))) // (_covered(kernel, access) if inside else 1)
        wasted = min(stride, max(1, unit // element)) if stride > 1 else 1
        size = min(points * element, whole[buffer].at_hint().bytes) * wasted
        found[buffer] = max(found.get(buffer, 0), size)
    return sum(found.values())


def _covered(kernel: Kernel, access: Affine) -> int:
    """Neighbouring elements that the reduce axes visit, at least the one itself."""
    beside = [a.hint for a in kernel.reduce if abs(hint(access.stride(a.name))) == 1]
    return max((1, *beside))


def _accesses(kernel: Kernel) -> list[tuple[str, Affine]]:
    loads = [(d.buffer, d.access) for d in kernel.defs if isinstance(d, Load)]
    effects = kernel.effects
    return loads + [(e.buffer, e.access) for e in effects if isinstance(e, Store)]
