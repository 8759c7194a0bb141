"""Tiles of a kernel that reads across: some points along the axis on which reads are contiguous, by
some along the last one."""

from collections.abc import Sequence

from compiler_core.ir.sizes import hint
from compiler_core.ir.types import F32, I32, U32
from compiler_core.kernel.kernel import Kernel, Load
from compiler_core.schedule.cpu.schedule import Tile, register

# A tile without transposition: points along the axis of the contiguous reads, and along the last
# one; few of the latter, since lines a power of two apart share a set of the first-level cache.
TILE_DOWN, TILE_ALONG = 64, 16
# A transposed tile: four cache lines of each row that is read, which the processor fetches
# together, and of each that is written. x.T + y of f32[1024, 1024] took 370 us with a line of each
# row read and 216 with four, on two cores of a Zen 4; over eight sizes from 128 to 4096 it is 1.7
# times as fast. Several transposed loads have shorter tiles: their arrays would fill the
# first-level cache.
TURNED_DOWN, TURNED_DOWN_OF_SEVERAL, TURNED_ALONG = 64, 16, 64
# For 16-bit floats, which are converted to f32 before they are transposed: a cache line of each row
# that is read.
_TURNED_DOWN_OF_SIXTEEN = 32


def tile(kernel: Kernel, across: str) -> tuple[str, Tile]:
    """Why tiles, and which."""
    reason = "something is read across: in tiles, whose cache lines are used up"
    turned = [d for d in _loads_across(kernel, across) if _may_be_turned(d)]
    if not turned:
        return reason, Tile(across, TILE_DOWN, TILE_ALONG)
    reason += ", and which are turned in registers"
    names = tuple(d.name for d in turned)
    return reason, Tile(across, _down(turned), TURNED_ALONG, names)


def _down(turned: Sequence[Load]) -> int:
    """Points of a turning tile along the axis of the contiguous reads."""
    if len(turned) > 1:
        return TURNED_DOWN_OF_SEVERAL
    dtype = turned[0].dtype
    return TURNED_DOWN if register(dtype) is dtype else _TURNED_DOWN_OF_SIXTEEN


def _may_be_turned(d: Load) -> bool:
    """Whether tiles of a load have words of 32 bits, or floats that are computed in as many, all
    of which are in memory."""
    words = register(d.dtype) in (F32, I32, U32)
    return words and d.mask is None and not d.access.indirect


def read_across(kernel: Kernel) -> str:
    """The axis along which a load is contiguous that strides along the last one; "" if none."""
    *outer, last = kernel.parallel or (None,)
    for axis in outer:
        assert last is not None and axis is not None
        large = axis.hint >= TILE_DOWN and last.hint >= TILE_ALONG
        if large and _loads_across(kernel, axis.name):
            return axis.name
    return ""


def _loads_across(kernel: Kernel, axis: str) -> list[Load]:
    last = kernel.parallel[-1].name
    loads = (d for d in kernel.defs if isinstance(d, Load))
    return [d for d in loads if d.access.stride(axis) == 1 < hint(d.access.stride(last))]
