"""Loop interchange for reductions: the loops follow the memory order of the largest operand.

    y = transpose(x, (2, 0, 1))
    sum(y, (0, 2))       goes over x[i0, r0, r1], not across it
    mean(y * y, 1)       for x[r0, i0, i1], not for i1 and then i0

A reduction reads far more than it writes, and combines its elements in any order.
"""

from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Axis, Kernel, Load

# From this number of elements read for each one written on, the order of the reads decides for the
# parallel axes too: a strided write takes a cache line of 16 f32 for each element.
_MANY = 16


def in_read_order(kernel: Kernel) -> Kernel:
    """`kernel` with its axes ordered by decreasing stride of its largest load: the reduce axes, and
    the parallel ones where the reduction is over `_MANY` points or more. Unchanged where loads of
    the same size disagree, where the order has a meaning (scans, scatters, windows, reductions of
    tuples), and where a store is inside the loop over the reduce axes."""
    if not kernel.reduce or _has_its_order(kernel):
        return kernel
    orders = {_order(kernel, access) for access in _largest(kernel)}
    return replace(kernel, axes=orders.pop()) if len(orders) == 1 else kernel


def _has_its_order(kernel: Kernel) -> bool:
    """A kernel of windows is made in the order of these; of equal elements the first has a
    meaning."""
    tuples = any(len(reduction.names) > 1 for reduction in kernel.reductions.values())
    windows = kernel.kind == "column"
    written = any(map(kernel.is_tile_effect, kernel.stores))
    return windows or tuples or written or bool(kernel.scans or kernel.scattered)


def _largest(kernel: Kernel) -> list[Affine]:
    """Where the loads are that differ at the most points of the loops."""
    loads = [d.access for d in kernel.defs if isinstance(d, Load) and not d.access.indirect]
    points = [_points(kernel, access) for access in loads]
    return [access for access, n in zip(loads, points, strict=True) if n == max(points)]


def _points(kernel: Kernel, access: Affine) -> int:
    return prod(axis.hint for axis in kernel.axes if _step(access, axis))


def _order(kernel: Kernel, access: Affine) -> tuple[Axis, ...]:
    """Of each kind of axis the outermost first."""
    many = prod(axis.hint for axis in kernel.reduce) >= _MANY
    parallel = _sorted(kernel.parallel, access) if many else kernel.parallel
    kinds = {"parallel": iter(parallel), "reduce": iter(_sorted(kernel.reduce, access))}
    return tuple(next(kinds[axis.kind]) for axis in kernel.axes)


def _sorted(axes: tuple[Axis, ...], access: Affine) -> tuple[Axis, ...]:
    """Axes along which the access does not move stay where they are."""
    moving = [axis for axis in axes if _step(access, axis)]
    outermost = iter(sorted(moving, key=lambda axis: -_step(access, axis)))
    return tuple(next(outermost) if axis in moving else axis for axis in axes)


def _step(access: Affine, axis: Axis) -> int:
    return abs(hint(access.stride(axis.name)))
