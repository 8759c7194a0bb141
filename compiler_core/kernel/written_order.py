"""Loop interchange for kernels without reductions: the loops follow the memory that is written.

    out[i0, i2, i1] = round(x[i0, i1, i2])

Loops that follow x write each element to another cache line than the one before. In the order of
what is written, neighbours are adjacent there, and what is read across then is read in tiles, or a
few points at a time (schedule/cpu/loops.py).
"""

from dataclasses import replace

from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Axis, Kernel


def in_written_order(kernel: Kernel) -> Kernel:
    """`kernel` with its axes ordered by decreasing stride of its stores. Unchanged where stores
    disagree, and where there are reduce axes or scattered updates."""
    if kernel.reduce or kernel.scattered:
        return kernel
    orders = {_order(kernel, store.access) for store in kernel.stores}
    return replace(kernel, axes=orders.pop()) if len(orders) == 1 else kernel


def _order(kernel: Kernel, access: Affine) -> tuple[Axis, ...]:
    """The outermost first."""
    return tuple(sorted(kernel.axes, key=lambda axis: -hint(access.stride(axis.name))))
