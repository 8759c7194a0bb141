"""Kernels that run on rows of a matrix product (kernel/by_rows.py), as C functions.

static void k2_add_erf_rows(const float *restrict in0, float *restrict out0, long low, long high) {
    for (long i0 = low; i0 < high; i0++) {
        ...
    }
}
"""

from collections.abc import Callable, Mapping

from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.flat import flat
from compiler_core.codegen.c.rows import rows
from compiler_core.codegen.c.signature import param, signature
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import Dim, atom
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.schedule.cpu.matmul import FIRST, STOP
from compiler_core.schedule.cpu.schedule import CpuSchedule


def row_function(w: Writer, part: RowKernel, schedule: CpuSchedule) -> None:
    """The kernel as a function of its buffers and a range of rows, `low` to `high`, and of columns
    if it does not need whole rows; `schedule` is that of one row."""
    kernel = part.kernel
    which = "rows and columns" if part.columns else "rows"
    w.line(f"// {kernel.kind}: on some {which} of a product", kernel.origins)
    params = [*map(param, kernel.buffers), "long low", "long high"]
    params += [f"long {FIRST}", f"long {STOP}"] if part.columns else []
    params += [f"long {symbol}" for symbol in kernel.symbols]
    signature(w, f"static void {kernel.name}_rows", params, kernel.origins)
    with w.indent():
        one = part.rows[0].name if len(part.rows) == 1 else "row"
        w.line(f"for (long {one} = low; {one} < high; {one}++) {{")
        with w.indent():
            _row_indices(w, part)
            _BY_STRATEGY[schedule.strategy](Body(w, part.within), schedule)
        w.line("}")
    w.line("}")


def _row_indices(w: Writer, part: RowKernel) -> None:
    """Each row axis, where there are several."""
    below: Dim = 1
    for i, axis in reversed([*enumerate(part.rows)] if len(part.rows) > 1 else []):
        whole = "row" if below == 1 else f"row / {atom(below)}"
        w.line(f"long {axis.name} = {f'{whole} % {atom(axis.extent)}' if i else whole};")
        below = below * axis.extent


# By strategy.
_BY_STRATEGY: Mapping[str, Callable[[Body, CpuSchedule], None]] = {"flat": flat, "rows": rows}
