"""A matrix product as Triton: each program computes a tile of the result in steps along k, with
fused fragments.

A prologue is computed on each loaded tile of an operand, an epilogue on the tile of the result.
"""

from dataclasses import dataclass

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.triton.module import Launch, TritonSource, module, signature
from compiler_core.codegen.triton.tile import ONE, fragment_on_tile, tile
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import atom
from compiler_core.ir.types import F32
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import PROLOGUES, FusedMatmul
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.gpu_matmul import GpuMatmulSchedule


def emit_matmul(step: FusedMatmul, schedule: GpuMatmulSchedule) -> TritonSource:
    """The module of one product with its parts."""
    w = Writer()
    arguments = (*step.inputs, *step.outputs)
    params = [f"{b.name}_ptr" for b in arguments]
    params += [f"{name}: tl.constexpr" for name in schedule.blocks]
    w.line("@triton.jit")
    signature(w, step.name, params, step.origins)
    with w.indent():
        w.line(f"# {schedule.reason[0].upper()}{schedule.reason[1:]}.")
        tile(w, step.matmul.m, step.matmul.n)
        if step.matmul.batch > 1:
            w.line("batch = tl.program_id(1)")
        _walk(w, step)
        _epilogue(w, step)
    launch = Launch(step.name, arguments, schedule.blocks, schedule.grid, schedule.num_warps)
    return TritonSource(module(w.source(step.name, "python")), launch)


@dataclass(frozen=True)
class _Operand:
    """The tile of one operand. `free` and `inner` are its two variables: rows or columns of the
    result, and the position along k; `sizes` are their extents."""

    name: str
    buffer: BufferParam
    transposed: bool
    batched: bool
    free: str
    inner: str
    sizes: tuple[sizes.Dim, sizes.Dim]

    @property
    def mask(self) -> str:
        return f"{self.free}_mask & {self.inner}_mask"

    def pointer(self) -> str:
        """The tile's address; a row-major operand is contiguous along `inner` if it is the left
        one, along `free` if it is the right one."""
        free, inner = self.sizes
        along_inner = self.transposed == (self.name == "rhs")
        slow, fast, width = (
            (self.free, self.inner, inner) if along_inner else (self.inner, self.free, free)
        )
        batch = f" + batch * {atom(free * inner)}" if self.batched else ""
        return f"{self.buffer.name}_ptr + {slow} * {atom(width)} + {fast}{batch}"

    def dims(self, fragment: Fragment) -> tuple[Dim, ...]:
        """The variables that count the sides of the operand as it is stored."""
        batch, *sides = fragment.sides
        names = [self.free, self.inner]
        along_inner = self.transposed == (self.name == "rhs")
        ordered = names if along_inner else names[::-1]
        found = [
            Dim(n, axes or (ONE,), f"{n}_mask") for n, axes in zip(ordered, sides, strict=True)
        ]
        return (*([Dim("batch", batch, block=False)] if batch else []), *found)


def _operands(m: Matmul) -> tuple[_Operand, _Operand]:
    many = m.batch > 1
    left = _Operand(
        "lhs", m.lhs, m.transpose_lhs, many and m.lhs_batched, "row", "across", (m.m, m.k)
    )
    right = _Operand(
        "rhs", m.rhs, m.transpose_rhs, many and m.rhs_batched, "column", "down", (m.n, m.k)
    )
    return left, right


def _walk(w: Writer, step: FusedMatmul) -> None:
    """The product of the tile, accumulated in f32."""
    matmul = step.matmul
    k, origins = matmul.k, matmul.origins
    exact = ', input_precision="ieee"' if matmul.lhs.type.dtype is F32 else ""
    w.line("acc = tl.full((BLOCK_M, BLOCK_N), 0, tl.float32)", origins)
    w.line(f"for start in range(0, {k}, BLOCK_K):", origins)
    with w.indent():
        w.lines(
            "inner = start + tl.arange(0, BLOCK_K)",
            "across, down = inner[None, :], inner[:, None]",
            f"across_mask, down_mask = across < {k}, down < {k}",
        )
        for operand, role in zip(_operands(matmul), PROLOGUES, strict=True):
            fragment = step.fragment(role)
            if fragment is None:
                guard = f"mask={operand.mask}, other=0.0"
                w.line(f"{operand.name} = tl.load({operand.pointer()}, {guard})", origins)
            else:
                _prologue(w, operand, fragment)
        w.line(f"acc = tl.dot(lhs, rhs, acc{exact})", origins)


def _prologue(w: Writer, operand: _Operand, fragment: Fragment) -> None:
    """The operand's tile, zero outside of the matrix, where the fragment's values are arbitrary."""
    body = Body(w, fragment.kernel, operand.dims(fragment), "", "")
    body.define(fragment.kernel.needed((fragment.value,)))
    value = f"tl.where({operand.mask}, {body.name(fragment.value)}, 0.0)"
    dtype = operand.buffer.type.dtype
    rounded = "" if dtype is F32 else f".to({ops.tl_type(dtype)})"
    w.line(f"{operand.name} = {value}{rounded}", fragment.kernel.origins)


def _epilogue(w: Writer, step: FusedMatmul) -> None:
    fragment, m = step.fragment("end"), step.matmul
    if fragment is None:
        return _store(w, m)
    fragment_on_tile(w, fragment, ("row", "column"), (m.m, m.n))


def _store(w: Writer, matmul: Matmul) -> None:
    where = f"row * {matmul.n} + column"
    if matmul.batch > 1:
        where += f" + batch * {matmul.m * matmul.n}"
    text = f"tl.store({matmul.out.name}_ptr + {where}, acc, mask=row_mask & column_mask)"
    w.line(text, matmul.origins)
