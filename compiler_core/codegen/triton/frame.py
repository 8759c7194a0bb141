"""The frame of a Triton kernel: the linear variables of a program, and the lines that define them.

loop       variables                   shapes
flat       index                       [BLOCK]
tiled      row, column (and batch)     [ROWS, 1], [1, COLUMNS] (and a number)
one row    row, column                 a number, [BLOCK]
rows       row, column                 [ROWS, 1], [1, COLUMNS]
columns    column, row                 [1, COLUMNS], [ROWS, 1]
all        index                       [BLOCK]
"""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler_core.codegen.triton.index import Dim
from compiler_core.ir import sizes
from compiler_core.ir.sizes import at_most, is_multiple, product
from compiler_core.kernel.kernel import Axis, Kernel
from compiler_core.schedule.gpu_schedule import GpuSchedule


@dataclass(frozen=True)
class Frame:
    """`parallel` and `reduce` are the lines that define the variables of each kind, `blocks` are
    the kernel's block sizes, and `options` the text of the options of a reduction along the tile's
    reduce axis."""

    dims: tuple[Dim, ...]
    blocks: Mapping[str, int]
    parallel: tuple[str, ...]
    reduce: tuple[str, ...] = ()
    options: str = ""
    p: Dim | None = None
    r: Dim | None = None
    r_block: str = ""
    tile_shape: str = ""
    row_shape: str = "(1,)"

    @property
    def length(self) -> sizes.Dim:
        """The extent of the reduce axes."""
        return self.r.extent if self.r is not None else 1


def frame(part: GpuSchedule) -> Frame:
    """The frame for `part`'s loop."""
    if part.square is not None:
        return _square(part, *part.square)
    return _reduction(part) if part.kernel.reduce else _flat(part)


def _flat(part: GpuSchedule) -> Frame:
    kernel = part.kernel
    if not kernel.parallel:
        return Frame((), {}, ())
    dim = _dim("index", kernel.parallel, part.block_p, "mask")
    line = f"index = {_program(kernel)} * BLOCK + tl.arange(0, BLOCK)"
    return Frame((dim,), {"BLOCK": part.block_p}, (line, *_mask(dim)), p=dim)


def _square(part: GpuSchedule, down: Axis, across: Axis) -> Frame:
    kernel = part.kernel
    row = _dim("row", (down,), part.block_p, "row_mask")
    column = _dim("column", (across,), part.block_r, "column_mask")
    lines = [
        f"row = ({_program(kernel, 1)} * ROWS + tl.arange(0, ROWS))[:, None]",
        *_mask(row),
        f"column = ({_program(kernel)} * COLUMNS + tl.arange(0, COLUMNS))[None, :]",
        *_mask(column),
    ]
    rest = tuple(a for a in kernel.parallel if a not in (down, across))
    dims: tuple[Dim, ...] = (row, column)
    if rest:
        dims = (Dim("batch", rest, block=False), row, column)
        lines.insert(0, f"batch = {_program(kernel, 2)}")
    return Frame(dims, {"ROWS": part.block_p, "COLUMNS": part.block_r}, tuple(lines))


def _reduction(part: GpuSchedule) -> Frame:
    kernel, several = part.kernel, part.block_p > 1
    down = kernel.kind == "column" and several
    p_name, r_name = ("column", "row") if kernel.kind == "column" else ("row", "column")
    r_name = r_name if kernel.parallel else "index"
    p_block, r_block = (f"{p_name}s".upper(), f"{r_name}s".upper()) if several else ("", "BLOCK")
    p_tail, r_tail = ("[None, :]", "[:, None]") if down else ("[:, None]", "[None, :]")
    p = _dim(p_name, kernel.parallel, part.block_p, f"{p_name}_mask") if kernel.parallel else None
    r = _dim(r_name, kernel.reduce, part.block_r, f"{r_name}_mask" if several else "mask")
    start = "start + " if part.loop == "looped" else ""
    step = f"{r_name} = {start}tl.arange(0, {r_block}){r_tail if several else ''}"
    lines: tuple[str, ...] = ()
    if p is not None:
        spread = f" * {p_block} + tl.arange(0, {p_block})"
        program = _program(kernel)
        lines = (f"{p_name} = {f'({program}{spread}){p_tail}' if several else program}", *_mask(p))
    shape = (r_block, p_block) if down else (p_block, r_block)
    blocks = {p_block: part.block_p} if several else {}
    return Frame(
        dims=(p, r) if p is not None else (r,),
        blocks={**blocks, r_block: part.block_r},
        parallel=lines,
        reduce=(step, *_mask(r)),
        options=f"axis={0 if down or not several else 1}{', keep_dims=True' if several else ''}",
        p=p,
        r=r,
        r_block=r_block,
        tile_shape=f"({', '.join(shape)})" if several else "(BLOCK,)",
        row_shape="(1,)" if not several else f"(1, {p_block})" if down else f"({p_block}, 1)",
    )


def _dim(name: str, axes: tuple[Axis, ...], block: int, mask: str) -> Dim:
    """A linear variable, masked only if the last block may be incomplete."""
    extent = product(a.extent for a in axes)
    masked = not is_multiple(extent, block) or extent == 0
    return Dim(name, axes, mask if masked else "", block > 1)


def _mask(dim: Dim) -> tuple[str, ...]:
    return (f"{dim.mask} = {dim.name} < {dim.extent}",) if dim.mask else ()


def _program(kernel: Kernel, axis: int = 0) -> str:
    """The program's number, in 64 bits if offsets may need them."""
    return f"tl.program_id({axis}){'.to(tl.int64)' if needs_int64(kernel) else ''}"


def needs_int64(kernel: Kernel) -> bool:
    """Whether offsets may need 64 bits."""
    return not all(at_most(b.type.elements, 2**31 - 1) for b in kernel.buffers)
