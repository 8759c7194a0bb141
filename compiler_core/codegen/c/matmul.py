"""A Matmul step as calls of the vendor's BLAS, through pointers that the runtime sets.

BLAS is column-major, where out = lhs @ rhs is out^T = rhs^T @ lhs^T: the operands are swapped, and
a row-major matrix is passed as "N".
"""

from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom
from compiler_core.plan.cpu.libraries import BLAS_ROUTINES
from compiler_core.plan.steps import Matmul


def declaration(dtype: str) -> str:
    """The pointer through which the program calls the vendor's product of `dtype`, f32 or f64."""
    kind = {"f32": "float", "f64": "double"}[dtype]
    return (
        f"// The vendor's matrix product, set when this program is loaded.\n"
        f"void (*{BLAS_ROUTINES[dtype]})(const char *, const char *,\n"
        f"    const int *, const int *, const int *, const {kind} *, const {kind} *, const int *,\n"
        f"    const {kind} *, const int *, const {kind} *, {kind} *, const int *);\n"
    )


def emit(w: Writer, step: Matmul, lhs: str, rhs: str, out: str, *, threads: bool) -> None:
    """The calls, one for each member of the batch; `lhs`, `rhs`, `out` are pointer expressions.
    `threads`: whether threads share them."""
    kind = memory_type(step.dtype)
    w.line(f"{{  // {step.name}: [{step.m}, {step.k}] @ [{step.k}, {step.n}]", step.origins)
    with w.indent():
        lda, ldb = (
            (step.m if step.transpose_lhs else step.k),
            (step.k if step.transpose_rhs else step.n),
        )
        w.line(f"const int m = {step.m}, n = {step.n}, k = {step.k}, lda = {lda}, ldb = {ldb};")
        w.line(f"const {kind} one = 1, zero = 0;")
        w.line(f"const {kind} *lhs = {lhs}, *rhs = {rhs};")
        w.line(f"{kind} *out = {out};")
        left, right = "lhs", "rhs"
        if step.batch > 1:
            if threads:
                # Inside a parallel region the BLAS uses one thread a call.
                w.line("#pragma omp parallel for num_threads(threads)")
            w.line(f"for (long b = 0; b < {step.batch}; b++)")
            left += f" + b * {atom(step.m * step.k)}" if step.lhs_batched else ""
            right += f" + b * {atom(step.k * step.n)}" if step.rhs_batched else ""
        target = f"out + b * {atom(step.m * step.n)}" if step.batch > 1 else "out"
        first, second = ("T" if t else "N" for t in (step.transpose_rhs, step.transpose_lhs))
        pad = "    " if step.batch > 1 else ""
        w.line(
            f'{pad}{BLAS_ROUTINES[step.dtype.name]}("{first}", "{second}", &n, &m, &k, &one, '
            f"{right}, &ldb, {left}, &lda, &zero, {target}, &n);",
            step.origins,
        )
    w.line("}")
