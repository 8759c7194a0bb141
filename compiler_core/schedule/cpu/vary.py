"""The parameters of a kernel's CPU schedule that may be set by hand, with their values: columns of
a block, pieces, and whether loops are in vectors. Every value gives the same results; the cost
model does not tell which is fastest."""

from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.choice import Free, Value
from compiler_core.schedule.cpu.schedule import NO, CpuSchedule

_COLUMNS = (64, 128, 256, 512, 1024)
_PIECES = (2, 4, 8, 16, 32, 64, 128)


def of_cpu(kernel: Kernel, way: CpuSchedule) -> Free:
    """The parameters of a kernel on a CPU that may be set by hand, with their values."""
    simd = not way.tile and any(p.simd for nest in way.nests for p in nest.parts)
    simd = simd or any(inner.how == "simd" for inner in way.inner)
    free: dict[str, tuple[Value, ...]] = {"simd": (NO,)} if simd else {}
    if way.strategy == "columns":
        free["block"] = _COLUMNS
    if way.strategy == "split":
        (axis,) = (a for a in kernel.reduce if a.name == way.shared)
        free["pieces"] = tuple(n for n in _PIECES if n <= axis.hint or kernel.symbols)
    return free
