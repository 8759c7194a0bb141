"""A matrix product as Triton: a tile of the result, walked along k, and the fragment at its end."""

from math import prod

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.triton.module import Launch, TritonSource, module, signature
from compiler_core.codegen.writer import Writer
from compiler_core.ir.types import F32
from compiler_core.kernel.kernel import Axis, Store
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.gpu_matmul import GpuMatmulSchedule


def emit_matmul(step: FusedMatmul, schedule: GpuMatmulSchedule) -> TritonSource:
    """The module of one product with its epilogue."""
    w = Writer()
    arguments = (*step.inputs, *step.outputs)
    params = [f"{b.name}_ptr" for b in arguments]
    params += [f"{name}: tl.constexpr" for name in schedule.blocks]
    w.line("@triton.jit")
    signature(w, step.name, params, step.origins)
    with w.indent():
        w.line(f"# {schedule.reason[0].upper()}{schedule.reason[1:]}.")
        _tile(w, step.matmul)
        _walk(w, step.matmul)
        _epilogue(w, step)
    launch = Launch(step.name, arguments, schedule.blocks, schedule.grid, schedule.num_warps)
    return TritonSource(step.epilogue.kernel, module(w.source(step.name, "python")), launch)


def _tile(w: Writer, matmul: Matmul) -> None:
    """Which tile this program computes."""
    w.lines(
        "# Tiles are numbered down GROUP_M rows at a time, so that neighbours share columns.",
        f"tiles_m = tl.cdiv({matmul.m}, BLOCK_M)",
        f"tiles_n = tl.cdiv({matmul.n}, BLOCK_N)",
        "group = tl.program_id(0) // (GROUP_M * tiles_n)",
        "group_rows = tl.minimum(tiles_m - group * GROUP_M, GROUP_M)",
        "inside = tl.program_id(0) % (GROUP_M * tiles_n)",
        "tile_m = group * GROUP_M + inside % group_rows",
        "tile_n = inside // group_rows",
        "row = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]",
        f"row_mask = row < {matmul.m}",
        "column = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]",
        f"column_mask = column < {matmul.n}",
    )
    if matmul.batch > 1:
        w.line("batch = tl.program_id(1)")


def _walk(w: Writer, matmul: Matmul) -> None:
    """The product of the tile, accumulated in f32."""
    k, origins = matmul.k, matmul.origins
    exact = ', input_precision="ieee"' if matmul.dtype is F32 else ""
    w.line("acc = tl.full((BLOCK_M, BLOCK_N), 0, tl.float32)", origins)
    w.line(f"for start in range(0, {k}, BLOCK_K):", origins)
    with w.indent():
        w.line("inner = start + tl.arange(0, BLOCK_K)")
        left = _pointer(matmul.lhs.name, "row", "inner[None, :]", matmul.transpose_lhs, matmul.m, k)
        left += _of_batch(matmul, matmul.lhs_batched, matmul.m * k)
        w.line(f"lhs_mask = row_mask & (inner[None, :] < {k})")
        w.line(f"lhs = tl.load({left}, mask=lhs_mask, other=0.0)", origins)
        right = _pointer(
            matmul.rhs.name, "inner[:, None]", "column", matmul.transpose_rhs, k, matmul.n
        )
        right += _of_batch(matmul, matmul.rhs_batched, k * matmul.n)
        w.line(f"rhs_mask = (inner[:, None] < {k}) & column_mask")
        w.line(f"rhs = tl.load({right}, mask=rhs_mask, other=0.0)", origins)
        w.line(f"acc = tl.dot(lhs, rhs, acc{exact})", origins)


def _pointer(buffer: str, row: str, column: str, transposed: bool, rows: int, columns: int) -> str:
    """An element of a [rows, columns] matrix that may be stored by columns."""
    if transposed:
        return f"{buffer}_ptr + {row} + {column} * {rows}"
    return f"{buffer}_ptr + {row} * {columns} + {column}"


def _of_batch(matmul: Matmul, batched: bool, size: int) -> str:
    return f" + batch * {size}" if matmul.batch > 1 and batched else ""


def _epilogue(w: Writer, step: FusedMatmul) -> None:
    """The fragment over the tile: where it loads the product, it has it."""
    epilogue = step.epilogue
    dims = [
        Dim("row", epilogue.rows or (_ONE,), "row_mask"),
        Dim("column", epilogue.columns or (_ONE,), "column_mask"),
    ]
    if prod(a.extent for a in epilogue.batch) > 1:
        dims.insert(0, Dim("batch", epilogue.batch, block=False))
    for axis, axes in enumerate((epilogue.rows, epilogue.columns)):
        if not axes:
            # One row or column of the tile is the product's, and the others are zero.
            w.line(f"acc = tl.sum(acc, axis={axis}, keep_dims=True)")
    body = Body(w, epilogue.kernel, tuple(dims), "", "(BLOCK_M, BLOCK_N)")
    for name in epilogue.product:
        dtype = epilogue.kernel.dtype_of(name)
        rounded = "" if ops.register(dtype) is F32 else f".to({ops.tl_type(dtype)})"
        body.bind(name, f"acc{rounded}", epilogue.kernel.definitions[name].origins)
    for phase in epilogue.kernel.phases:
        for effect in phase.effects:
            assert isinstance(effect, Store)
            body.define(epilogue.kernel.needed((effect.value,)))
            body.store(effect)


# A side of one element has no axis of the kernel's.
_ONE = Axis("one", 1, "parallel")
