"""What products and convolutions have in common as Triton: which tile of the result a program
computes, and the fragment that is computed on it."""

from collections.abc import Iterable

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.triton.template import Template, program_id
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import atom, is_multiple
from compiler_core.ir.types import F32
from compiler_core.kernel.effects import Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule

# The axis of a side of one element, for which the kernel has none.
ONE = Axis("one", 1, "parallel")


def tile(w: Writer, step: Template, schedule: GpuMatmulSchedule, *, outer: str) -> None:
    """Writes the numbers of the rows and columns of the program's tile and, under the name `outer`,
    the number of its result within the batch."""
    program, many = program_id(step), schedule.batch != 1
    w.line("# Tiles are numbered down GROUP_M rows at a time, so that neighbours share columns.")
    w.line(f"tiles_m = tl.cdiv({schedule.m}, BLOCK_M)")
    w.line(f"tiles_n = tl.cdiv({schedule.n}, BLOCK_N)")
    outers = ["part"] * (schedule.parts > 1) + [outer] * many
    if outers:
        which, program = f"{program} // (tiles_m * tiles_n)", f"{program} % (tiles_m * tiles_n)"
        w.line(f"{outers[-1]} = {which}")
    if len(outers) > 1:
        batch = atom(schedule.batch)
        w.line(f"part, {outer} = {outer} // {batch}, {outer} % {batch}")
    w.lines(
        f"program = {program}",
        "group = program // (GROUP_M * tiles_n)",
        "group_rows = tl.minimum(tiles_m - group * GROUP_M, GROUP_M)",
        "inside = program % (GROUP_M * tiles_n)",
        "tile_m = group * GROUP_M + inside % group_rows",
        "tile_n = inside // group_rows",
        "row = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]",
        *([f"row_mask = row < {schedule.m}"] if row_mask(schedule) else []),
        "column = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]",
        *([f"column_mask = column < {schedule.n}"] if column_mask(schedule) else []),
    )


def row_mask(schedule: GpuMatmulSchedule) -> str:
    """The name of the mask of rows that exist; "" where tiles are never incomplete."""
    return "" if is_multiple(schedule.m, schedule.block_m) else "row_mask"


def column_mask(schedule: GpuMatmulSchedule) -> str:
    """The name of the mask of columns that exist; "" where tiles are never incomplete."""
    return "" if is_multiple(schedule.n, schedule.block_n) else "column_mask"


def mask_argument(masks: Iterable[str], other: str = "") -> str:
    """The mask argument of a load or store as text, "" if there is no mask; `other` is the text of
    the further argument for masked elements."""
    known = " & ".join(filter(None, masks))
    return f", mask={known}{other}" if known else ""


def fragment_on_tile(
    w: Writer,
    fragment: Fragment,
    names: tuple[str, str],
    whole: tuple[sizes.Dim, sizes.Dim],
    schedule: GpuMatmulSchedule,
) -> None:
    """The fragment on a tile `acc` of a `whole` result, whose rows and columns are counted by
    variables of these `names`: its loads of the result are the accumulated values."""
    batch, *sides = fragment.sides
    dims = [
        Dim(name, axes or (ONE,), mask)
        for name, axes, mask in zip(
            names, sides, (row_mask(schedule), column_mask(schedule)), strict=True
        )
    ]
    if batch:
        dims.insert(0, Dim("batch", batch, block=False))
    for axis, size in enumerate(whole):
        if size == 1:
            # One row or column of the tile is the result's, and the others are zero.
            w.line(f"acc = tl.sum(acc, axis={axis}, keep_dims=True)")
    body = Body(w, fragment.kernel, tuple(dims), "", "(BLOCK_M, BLOCK_N)")
    for name in fragment.product:
        dtype = fragment.kernel.dtype_of(name)
        rounded = "" if ops.register(dtype) is F32 else f".to({ops.tl_type(dtype)})"
        body.bind(name, f"acc{rounded}", fragment.kernel.definitions[name].origins)
    for phase in fragment.kernel.phases:
        for effect in phase.effects:
            assert isinstance(effect, Store)
            body.define(fragment.kernel.needed((effect.value,)))
            body.store(effect)
