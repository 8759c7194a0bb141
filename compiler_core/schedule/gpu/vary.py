"""The parameters of a GPU launch that may be set by hand, with their values: block sizes and warps.
Every value gives the same results; the cost model does not tell which is fastest."""

from compiler_core.ir.sizes import at_most
from compiler_core.schedule.choice import Free, Value
from compiler_core.schedule.gpu.schedule import GpuSchedule

_WARPS = (1, 2, 4, 8, 16)
_FLAT = (64, 128, 256, 512, 1024, 2048, 4096)
_SQUARE = (16, 32, 64)
_WALKED = (128, 256, 512, 1024, 2048, 4096, 8192)
_ROWS = (1, 2, 4, 8, 16, 32, 64)
# The most elements that a program holds at once: 64 registers of each of 512 threads, twice what
# the rules choose.
_MOST_HELD = 32768
# The most programs along the second and third axis of a grid.
_GRID_YZ = 65535


def of_gpu(part: GpuSchedule) -> Free:
    """The parameters of a launch on a GPU that may be set by hand, with their values."""
    return {"num_warps": _WARPS, **_blocks(part)}


def _blocks(part: GpuSchedule) -> Free:
    if part.loop == "flat":
        return {"block_p": _FLAT} if part.kernel.parallel else {}
    if part.loop == "tiled":
        found = (_fitting(part, name) for name in ("block_p", "block_r"))
        return dict(zip(("block_p", "block_r"), found, strict=True))
    rows = _ROWS if part.kernel.parallel else ()
    free: dict[str, tuple[Value, ...]] = {
        "block_p": tuple(n for n in rows if n * part.block_r <= _MOST_HELD)
    }
    if part.loop == "looped" and part.block_r > 1:
        most = part.block_r if part.kernel.scans else _MOST_HELD // part.block_p
        free["block_r"] = tuple(n for n in _WALKED if n <= most)
    return {name: values for name, values in free.items() if len(values) > 1}


def _fitting(part: GpuSchedule, name: str) -> tuple[int, ...]:
    def fits(size: int) -> bool:
        _, *others = part.varied({name: size}).cover
        return all(at_most(extent, _GRID_YZ * block) for extent, block in others)

    return tuple(size for size in _SQUARE if fits(size))
