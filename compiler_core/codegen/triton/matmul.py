"""A matrix product as Triton: each program computes a tile of the result in steps along k, with
fused fragments.

A prologue is computed on each loaded tile of an operand, an epilogue on the tile of the result.
"""

from dataclasses import dataclass

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.body import Body
from compiler_core.codegen.triton.index import Dim
from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.template import emitted, needs_long
from compiler_core.codegen.triton.tile import (
    ONE,
    column_mask,
    fragment_on_tile,
    mask_argument,
    row_mask,
    tile,
)
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import atom, is_multiple
from compiler_core.ir.types import F32
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import BufferParam, Index, Load
from compiler_core.plan.fused_matmul import PROLOGUES, FusedMatmul
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule


def emit_matmul(step: Matmul | FusedMatmul, schedule: GpuMatmulSchedule) -> TritonSource:
    """The module of one product with its parts."""
    w = Writer()

    def body() -> None:
        tile(w, step, schedule, outer="batch")
        _Product(w, step, schedule).walk()
        _epilogue(w, step, schedule)

    return emitted(w, step, schedule, body, schedule.num_stages)


@dataclass(frozen=True)
class _Operand:
    """The tile of one operand. `free` and `inner` are its two variables: rows or columns of the
    result, and the position along k; `sizes` are their extents, `masks` the names of the masks of
    those that exist, "" where all do."""

    name: str
    buffer: BufferParam
    transposed: bool
    batched: bool
    free: str
    inner: str
    sizes: tuple[sizes.Dim, sizes.Dim]
    masks: tuple[str, str]

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
        names = list(zip((self.free, self.inner), self.masks, strict=True))
        along_inner = self.transposed == (self.name == "rhs")
        ordered = names if along_inner else names[::-1]
        found = [
            Dim(n, axes or (ONE,), mask) for (n, mask), axes in zip(ordered, sides, strict=True)
        ]
        return (*([Dim("batch", batch, block=False)] if batch else []), *found)


@dataclass(frozen=True)
class _Product:
    """The product of a tile, accumulated in f32."""

    w: Writer
    step: Matmul | FusedMatmul
    schedule: GpuMatmulSchedule

    def operands(self) -> tuple[_Operand, _Operand]:
        m, many = self.step.matmul, self.step.matmul.batch != 1
        across, down = ("", "") if self._even else ("across_mask", "down_mask")
        left = _Operand(
            "lhs", m.lhs, m.transpose_lhs, many and m.lhs_batched, "row", "across", (m.m, m.k),
            (row_mask(self.schedule), across),
        )  # fmt: skip
        right = _Operand(
            "rhs", m.rhs, m.transpose_rhs, many and m.rhs_batched, "column", "down", (m.n, m.k),
            (column_mask(self.schedule), down),
        )  # fmt: skip
        return left, right

    @property
    def _even(self) -> bool:
        """Whether the last step along k is complete."""
        return is_multiple(self.step.matmul.k, self.schedule.block_k)

    def _steps(self) -> str:
        """The first position along k, and the one after the last."""
        matmul, part = self.step.matmul, self.step.matmul.k_part
        if not part:
            return f"0, {matmul.k}"
        last = f"part * {part} + {part}"
        if not is_multiple(matmul.k, part):
            last = f"tl.minimum({last}, {matmul.k})"
        return f"part * {part}, {last}"

    def walk(self) -> None:
        w, matmul = self.w, self.step.matmul
        k, origins = matmul.k, matmul.origins
        exact = ', input_precision="ieee"' if matmul.lhs.type.dtype is F32 else ""
        long = ".to(tl.int64)" if needs_long(self.step) else ""
        w.line("acc = tl.full((BLOCK_M, BLOCK_N), 0, tl.float32)", origins)
        w.line(f"for start in range({self._steps()}, BLOCK_K):", origins)
        with w.indent():
            w.line(f"inner = start + tl.arange(0, BLOCK_K){long}")
            w.line("across, down = inner[None, :], inner[:, None]")
            if not self._even:
                w.line(f"across_mask, down_mask = across < {k}, down < {k}")
            for operand, role in zip(self.operands(), PROLOGUES, strict=True):
                fragment = self.step.fragment(role)
                if fragment is None:
                    masks = mask_argument(operand.masks, ", other=0.0")
                    w.line(f"{operand.name} = tl.load({operand.pointer()}{masks})", origins)
                else:
                    self._prologue(operand, fragment)
            w.line(f"acc = tl.dot(lhs, rhs, acc{exact})", origins)

    def _prologue(self, operand: _Operand, fragment: Fragment) -> None:
        """The operand's tile, zero outside of the matrix, where the fragment's values are
        arbitrary."""
        body = Body(self.w, fragment.kernel, operand.dims(fragment), "", "")
        body.define(fragment.kernel.needed((fragment.value,)))
        value, masks = body.name(fragment.value), " & ".join(filter(None, operand.masks))
        if masks:
            value = f"tl.where({masks}, {value}, 0.0)"
        if not _is_tile(fragment):
            shape = "BLOCK_M, BLOCK_K" if operand.name == "lhs" else "BLOCK_K, BLOCK_N"
            value = f"(tl.full(({shape}), 0, tl.float32) + {value})"
        dtype = operand.buffer.type.dtype
        rounded = "" if dtype is F32 else f".to({ops.tl_type(dtype)})"
        self.w.line(f"{operand.name} = {value}{rounded}", fragment.kernel.origins)


def _is_tile(fragment: Fragment) -> bool:
    """Whether the fragment's value has both of the operand's sides: of one that is the same along
    one or both, Triton makes no tile by itself."""
    needed = fragment.kernel.needed((fragment.value,))
    known = (d for d in needed if isinstance(d, Load | Index))
    used = {axis for d in known for axis, _ in d.access.terms}
    _, *sides = fragment.sides
    return all(used & {axis.name for axis in side} for side in sides)


def _epilogue(w: Writer, step: Matmul | FusedMatmul, schedule: GpuMatmulSchedule) -> None:
    fragment, m = step.fragment("end"), step.matmul
    if fragment is None:
        return _store(w, m, schedule)
    fragment_on_tile(w, fragment, ("row", "column"), (m.m, m.n), schedule)


def _store(w: Writer, matmul: Matmul, schedule: GpuMatmulSchedule) -> None:
    where = f"row * {atom(matmul.n)} + column"
    if matmul.batch != 1:
        where += f" + batch * {atom(matmul.m * matmul.n)}"
    if schedule.parts > 1:
        where += f" + part * {atom(matmul.batch * matmul.m * matmul.n)}"
    masks = mask_argument((row_mask(schedule), column_mask(schedule)))
    w.line(f"tl.store({matmul.out.name}_ptr + {where}, acc{masks})", matmul.origins)
