"""What products and convolutions have in common as Triton: which tile of the result a program
computes, and the fragment that is computed on it."""

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.types import F32
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Axis, Store

# A side of one element has no axis of the kernel's.
ONE = Axis("one", 1, "parallel")


def tile(w: Writer, m: sizes.Dim, n: sizes.Dim) -> None:
    """The lines that compute which tile of an m by n result a program computes."""
    w.lines(
        "# Tiles are numbered down GROUP_M rows at a time, so that neighbours share columns.",
        f"tiles_m = tl.cdiv({m}, BLOCK_M)",
        f"tiles_n = tl.cdiv({n}, BLOCK_N)",
        "group = tl.program_id(0) // (GROUP_M * tiles_n)",
        "group_rows = tl.minimum(tiles_m - group * GROUP_M, GROUP_M)",
        "inside = tl.program_id(0) % (GROUP_M * tiles_n)",
        "tile_m = group * GROUP_M + inside % group_rows",
        "tile_n = inside // group_rows",
        "row = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]",
        f"row_mask = row < {m}",
        "column = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]",
        f"column_mask = column < {n}",
    )


def fragment_on_tile(
    w: Writer, fragment: Fragment, names: tuple[str, str], whole: tuple[sizes.Dim, sizes.Dim]
) -> None:
    """The fragment on a tile `acc` of a `whole` result, whose rows and columns are counted by
    variables of these `names`: its loads of the result are the accumulated values."""
    batch, *sides = fragment.sides
    dims = [
        Dim(name, axes or (ONE,), f"{side}_mask")
        for name, axes, side in zip(names, sides, ("row", "column"), strict=True)
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
