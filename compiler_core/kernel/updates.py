"""Updates: stores at computed places, or that combine with what is in memory; and whether their
order changes the result."""

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import DType
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Kernel


def dtype_of(kernel: Kernel, e: Store) -> DType:
    """The dtype of the buffer that the store `e` updates."""
    (dtype,) = (b.type.dtype for b in kernel.buffers if b.name == e.buffer)
    return dtype


def in_order(kernel: Kernel) -> tuple[Store, ...]:
    """The stores whose result depends on the order of their updates: of several that set an element
    the last one stays, and sums and products of floats are rounded after each."""
    return tuple(e for e in kernel.scattered if not _any_order(e.mode, dtype_of(kernel, e)))


def _any_order(mode: str, dtype: DType) -> bool:
    """Whether every order of the updates gives the same bits."""
    return mode != "set" and (dtype.is_integer or not MONOIDS[mode].rounds)
