"""A matrix product in C by blocks of rows that stay in cache: the kernels at the product's ends run
on the rows of a block.

    #pragma omp for
    for (long j = 0; j < 1024; j += F32_COLUMNS)
        pack_f32(in1 + j, 1024, 1024, 1024 - j, packed + j * 1024);
    #pragma omp for schedule(dynamic)
    for (long row = 0; row < 512; row += 24) {
        long end = row + 24 < 512 ? row + 24 : 512;
        float block[24 * 1024];
        rows_f32(in0 + row * 1024, 1024, packed, ..., block, 1024, end - row, 1024, 1024);
        k2_add_erf_rows(block - row * 1024, in2, out0, row, end);
    }
"""

from compiler_core.codegen.c.product.printer import ProductPrinter
from compiler_core.codegen.c.signature import call
from compiler_core.ir.types import BF16, F16


class ByRows(ProductPrinter):
    """Threads pack the right operand together and then share the blocks of rows."""

    def _before(self) -> None:
        if self.schedule.packed and not self.product.step.scratch:
            self._array("packed", self.register, str(self.sizes.packed_elements))

    def _body(self) -> None:
        if self.schedule.packed:
            self._pack_all()
        self._blocks()

    def _pack_all(self) -> None:
        sizes = self.sizes
        many = self.several and self.m.rhs_batched
        self._shared(many)
        with self._loops(many, f"long j = 0; j < {sizes.n}; j += {self.columns}"):
            self._pack(f"{self._panels()} + j * {sizes.k}")

    def _panels(self) -> str:
        """Where its panels begin."""
        many = self.several and self.m.rhs_batched
        return f"packed{f' + b * {self.sizes.k * self.sizes.padded}' if many else ''}"

    def _right(self) -> tuple[str, str, str]:
        """Where its columns begin, the distance of panels, and that of a panel's rows."""
        if self.schedule.packed:
            return self._panels(), str(self.sizes.k), self.columns
        return self._operand("rhs"), "1", str(self.sizes.n)

    def _blocks(self) -> None:
        m, sizes, rows = self.m, self.sizes, self.schedule.rows
        self._shared(self.several, "schedule(dynamic)")
        with self._loops(self.several, f"long row = 0; row < {sizes.m}; row += {rows}"):
            self._ends(rows)
            left, out = self._left(), self._out()
            given = [left, str(sizes.k), *self._right(), out, str(sizes.n), "end - row"]
            call(self.w, f"rows_{m.dtype}", [*given, str(sizes.k), str(sizes.n)], m.origins)
            self._run("end", f"block - {self._range[0]} * {sizes.n}")

    def _left(self) -> str:
        """The block's rows of the left operand, in registers' type and stored by rows."""
        m, k = self.m, self.sizes.k
        if "lhs" in self.parts:
            self._rows("left", self.kind, k)
            self._run("lhs", f"left - {self._range[0]} * {k}")
            at = "left"
        elif m.transpose_lhs:
            self._rows("upcast", self.register, k)
            given = [f"{self._operand('lhs')} + row", str(self.sizes.m), "upcast", str(k), str(k)]
            call(self.w, f"turn_{m.dtype}", [*given, "end - row"], m.origins)
            return "upcast"
        else:
            at = f"{self._operand('lhs')} + row * {k}"
        if m.dtype not in (F16, BF16):
            return at
        self._rows("upcast", self.register, k)
        call(self.w, f"left_{m.dtype}", [at, f"(end - row) * {k}", "upcast"], m.origins)
        return "upcast"

    def _out(self) -> str:
        n = self.sizes.n
        if "end" not in self.parts:
            return f"{self.names[self.m.out.name]} + {self._range[0]} * {n}"
        self._rows("block", self.kind, n)
        return "block"

    def _rows(self, name: str, kind: str, width: int) -> None:
        self._array(name, kind, f"{self.schedule.rows} * {width}")
