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
from compiler_core.schedule.gpu.schedule import GpuSchedule


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


@dataclass(frozen=True)
class _Tile:
    """How the two variables of a reduction span a tile: the names of their block sizes, what makes
    a dimension of each, the shapes of the tile and of a result for each row, and how `tl.reduce`
    reduces the tile."""

    p_block: str
    p_tail: str
    r_block: str
    r_tail: str
    r_mask: str
    shape: str
    row_shape: str
    options: str


_ONE_ROW = _Tile("", "", "BLOCK", "", "mask", "(BLOCK,)", "(1,)", "axis=0")
_ROWS = _Tile(
    "ROWS", "[:, None]", "COLUMNS", "[None, :]", "column_mask",
    "(ROWS, COLUMNS)", "(ROWS, 1)", "axis=1, keep_dims=True",
)  # fmt: skip
_COLUMNS = _Tile(
    "COLUMNS", "[None, :]", "ROWS", "[:, None]", "row_mask",
    "(ROWS, COLUMNS)", "(1, COLUMNS)", "axis=0, keep_dims=True",
)  # fmt: skip


def _reduction(part: GpuSchedule) -> Frame:
    kernel, is_column = part.kernel, part.kernel.kind == "column"
    p_name, r_name = ("column", "row") if is_column else ("row", "column")
    if not kernel.parallel:
        return _reduced(part, _ONE_ROW, "index", None)
    several = _COLUMNS if is_column else _ROWS
    tile = several if part.block_p > 1 else _ONE_ROW
    return _reduced(
        part, tile, r_name, _dim(p_name, kernel.parallel, part.block_p, f"{p_name}_mask")
    )


def _reduced(part: GpuSchedule, tile: _Tile, r_name: str, p: Dim | None) -> Frame:
    r = _dim(r_name, part.kernel.reduce, part.block_r, tile.r_mask)
    start = "start + " if part.loop == "looped" else ""
    step = f"{r_name} = {start}tl.arange(0, {tile.r_block}){tile.r_tail}"
    blocks = {tile.p_block: part.block_p} if tile.p_block else {}
    return Frame(
        dims=(r,) if p is None else (p, r),
        blocks={**blocks, tile.r_block: part.block_r},
        parallel=() if p is None else (_position(part, tile, p), *_mask(p)),
        reduce=(step, *_mask(r)),
        options=tile.options,
        p=p,
        r=r,
        r_block=tile.r_block,
        tile_shape=tile.shape,
        row_shape=tile.row_shape,
    )


def _position(part: GpuSchedule, tile: _Tile, p: Dim) -> str:
    """The line that defines the parallel variable: the program's number, or a block of them."""
    program, block = _program(part.kernel), tile.p_block
    if not block:
        return f"{p.name} = {program}"
    return f"{p.name} = ({program} * {block} + tl.arange(0, {block})){tile.p_tail}"


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
