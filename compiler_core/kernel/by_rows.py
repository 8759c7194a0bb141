"""A kernel divided by the rows of a matrix that it reads or writes, so that it can run on a block
of rows while these are in cache: before a matrix product whose left operand it writes, or after one
whose result it reads.

Within a row it may do whatever a kernel does: a softmax, a norm, a scan. A fragment
(kernel/fragment.py), which is computed on a tile, is elementwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler_core.ir.sizes import Dim, divided, number, product, symbols
from compiler_core.ir.types import strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Store
from compiler_core.kernel.fragment import NoFragment, cut, in_order_of
from compiler_core.kernel.kernel import Axis, Kernel, Load


@dataclass(frozen=True)
class RowKernel:
    """A kernel that runs on blocks of rows of a matrix. `rows`, the first of its parallel axes,
    count these rows; `columns` is the number of columns that it processes at a time
    (kernel/by_columns.py), 0 for whole rows."""

    kernel: Kernel
    rows: tuple[Axis, ...]
    columns: int = 0

    @property
    def within(self) -> Kernel:
        """The computation of one row: accesses name the axes `rows`, whose values are given."""
        return replace(self.kernel, axes=self.kernel.axes[len(self.rows) :])


def by_rows(kernel: Kernel, buffer: str, rows: Dim, width: int) -> RowKernel | NoFragment:
    """`kernel` by rows of the matrix [rows, width] in `buffer`, which it reads or writes;
    NoFragment with the reason if its loops do not follow the rows. Raises Undecided if that depends
    on the value of a symbol."""
    if kernel.scattered:
        return NoFragment("the kernel scatters its result, which no block of rows can hold")
    if kernel.kind in ("column", "full"):
        return NoFragment(
            "the kernel reduces across the rows of the matrix, of which a block has a part"
        )
    each = divided(product(a.extent for a in kernel.parallel), rows) if rows > 1 else None
    if each is None:
        return NoFragment("the kernel's loops cannot be divided by the rows of the matrix")
    blocks = cut(in_order_of(kernel, buffer), (rows, each))
    if blocks is None:
        return NoFragment("the kernel's axes cannot be split at the rows of the matrix")
    own = blocks.parallel[: _leading(blocks.parallel, rows)]
    if any(symbols(a.extent) for a in blocks.axes if a not in own):
        return NoFragment(
            "the length of a row is a symbolic size, and a block of rows needs a number"
        )
    if not all(_within(blocks, access, own, width) for access in _of(blocks, buffer)):
        return NoFragment("the kernel needs elements of several rows of the matrix at once")
    return RowKernel(blocks, own)


def _leading(axes: tuple[Axis, ...], rows: Dim) -> int:
    """How many axes count the rows."""
    count = 0
    while product(a.extent for a in axes[:count]) != rows:
        count += 1
    return count


def _of(kernel: Kernel, buffer: str) -> Iterator[Affine | None]:
    """Each access to a buffer; None for one that a mask may keep from memory."""
    loads: list[Load | Store] = [d for d in kernel.defs if isinstance(d, Load)]
    stores = kernel.stores
    for x in (*loads, *stores):
        if x.buffer == buffer:
            yield None if x.mask else x.access


def _within(kernel: Kernel, access: Affine | None, rows: tuple[Axis, ...], width: int) -> bool:
    """Whether an access stays in the row of its point."""
    if access is None or access.indirect:
        return False
    steps = strides((*(a.extent for a in rows), width))
    if any(access.stride(a.name) != step for a, step in zip(rows, steps, strict=False)):
        return False
    inner = (a for a in kernel.axes if a not in rows)
    ends = [number(access.stride(a.name) * (a.extent - 1)) for a in inner]
    least = number(access.offset) + sum(e for e in ends if e < 0)
    most = number(access.offset) + sum(e for e in ends if e > 0)
    return least >= 0 and most < width
