"""A matrix product in C by panels of columns, each packed by the thread that multiplies it with all
rows; an elementwise kernel after the product runs on the panel's columns.

    #pragma omp for schedule(dynamic)
    for (long j = 0; j < 1024; j += F32_COLUMNS) {
        long stop = j + F32_COLUMNS < 1024 ? j + F32_COLUMNS : 1024;
        float panel[F32_COLUMNS * 1024];
        pack_f32(in1 + j, 1024, 1024, 1024 - j, panel);
        for (long row = 0; row < 128; row += 48) {
            long end = row + 48 < 128 ? row + 48 : 128;
            float block[48 * 32];
            rows_f32(in0 + row * 1024, 1024, panel, ..., block, 32, end - row, 1024, F32_COLUMNS);
            k2_add_erf_rows(block - row * 32 - j, in2, out0, row, end, j, stop);
        }
    }

Where there are few panels, threads share the rows of each as well, and each packs its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from compiler_core.codegen.c.product.printer import ProductPrinter
from compiler_core.codegen.c.signature import call
from compiler_core.schedule.cpu.matmul import PANEL


class ByColumns(ProductPrinter):
    """Threads share the panels and never wait for one another."""

    def _before(self) -> None:
        """They share no memory."""

    def _body(self) -> None:
        w, sizes, rows = self.w, self.sizes, self.schedule.rows
        with self._panels() as (first, beyond):
            stop = f"j + {self.columns}"
            w.line(f"long stop = {stop} < {sizes.n} ? {stop} : {sizes.n};")
            if self.schedule.packed:
                self._array("panel", self.register, f"{self.columns} * {sizes.k}")
                self._pack("panel")
            with self._loops(False, f"long row = {first}; row < {beyond}; row += {rows}"):
                self._ends(rows)
                self._block()

    @contextmanager
    def _panels(self) -> Iterator[tuple[str, str]]:
        """The loops over panels, and over shares of the rows; the first row of one and where it
        ends."""
        w, sizes, share = self.w, self.sizes, self.schedule.share
        panels = f"long j = 0; j < {sizes.n}; j += {self.columns}"
        if not share:
            self._shared(self.several, "schedule(dynamic)")
            with self._loops(self.several, panels):
                yield "0", str(sizes.m)
            return
        self._shared(1 + self.several, "schedule(dynamic)")
        w.line(f"for (long share = 0; share < {sizes.m}; share += {share})", self.m.origins)
        with w.indent(), self._loops(self.several, panels):
            beyond = f"share + {share}"
            w.line(f"long beyond = {beyond} < {sizes.m} ? {beyond} : {sizes.m};")
            yield "share", "beyond"

    def _block(self) -> None:
        """The panel times a block of rows, and what runs on the result."""
        m, sizes, low = self.m, self.sizes, self._range[0]
        packed = self.schedule.packed
        right = ("panel", "0", self.columns) if packed else self._in_place()
        if "end" in self.parts:
            self._array("block", self.kind, f"{self.schedule.rows} * {PANEL}")
            out = ("block", str(PANEL))
        else:
            out = (f"{self.names[m.out.name]} + {low} * {sizes.n} + j", str(sizes.n))
        many = self._computed() if "end" in self.parts else "stop - j"
        left = f"{self._operand('lhs')} + row * {sizes.k}"
        given = [left, str(sizes.k), *right, *out, "end - row", str(sizes.k), many]
        call(self.w, f"rows_{m.dtype}", given, m.origins)
        self._run("end", f"block - {low} * {PANEL} - j", "j", "stop")

    def _computed(self) -> str:
        """Columns of the block: half a panel where no more are left."""
        if self.sizes.n % PANEL == 0:
            return self.columns
        half = self.columns.replace("COLUMNS", "LANES")
        return f"stop - j <= {half} ? {half} : {self.columns}"

    def _in_place(self) -> tuple[str, str, str]:
        return f"{self._operand('rhs')} + j", "0", str(self.sizes.n)
