"""A small matrix product in C: one tile of the result at a time is kept in registers.

    static void product_f32_16x64x128(const float *restrict lhs, ...) {
        for (int j = 0; j < 128; j += F32_COLUMNS)
            panel_f32(lhs, 64, 1, rhs + j, 128, out + j, 128, 16, 64, F32_COLUMNS);
    }

Sizes are compile-time constants, so the C compiler unrolls a tile into vector registers: 8 rows of
two vectors if these have 512 bits (16 of 32 registers hold sums), else 4 rows.
"""

from collections.abc import Iterable

from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.types import F32, F64
from compiler_core.plan.steps import Matmul

SIZES = """\
// Rows and columns of a product that are held in registers at a time.
#ifdef __AVX512F__
enum { ROWS = 8, F32_COLUMNS = 32, F64_COLUMNS = 16 };
#else
enum { ROWS = 4, F32_COLUMNS = 16, F64_COLUMNS = 8 };
#endif
"""

_TILE = """\
// out[rows, columns] = lhs @ rhs. Row r of lhs begins at lhs[r * down] and goes on by `along`.
static inline __attribute__((always_inline)) void tile_{t}(
    const {c} *lhs, long down, long along, const {c} *rhs, long width, {c} *out, long pitch,
    int k, int rows, int columns
) {{
    {c} sum[ROWS][{T}_COLUMNS] = {{0}};
    for (int i = 0; i < k; i++)
        for (int r = 0; r < rows; r++) {{
            {c} x = lhs[r * down + i * along];
            #pragma omp simd
            for (int c = 0; c < columns; c++) sum[r][c] += x * rhs[i * width + c];
        }}
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) out[r * pitch + c] = sum[r][c];
}}
"""

_PANEL = """\
// The same for all m rows.
static inline __attribute__((always_inline)) void panel_{t}(
    const {c} *lhs, long down, long along, const {c} *rhs, long width, {c} *out, long pitch,
    int m, int k, int columns
) {{
    int i = 0;
    for (; i + ROWS <= m; i += ROWS)
        tile_{t}(lhs + i * down, down, along, rhs, width, out + i * pitch, pitch, k, ROWS, columns);
    if (m % ROWS)
        tile_{t}(lhs + i * down, down, along, rhs, width, out + i * pitch, pitch, k, m % ROWS,
            columns);
}}
"""

_PACK = """\
// Columns of a matrix whose rows have k elements, side by side.
static inline void pack_{t}(const {c} *rhs, int k, int columns, {c} *packed) {{
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < k; i++) packed[i * {T}_COLUMNS + c] = rhs[c * k + i];
}}
"""


_TYPES = {F32: "float", F64: "double"}


def helpers(steps: Iterable[Matmul]) -> list[str]:
    """Texts that the functions of `steps` need, after SIZES."""
    steps = list(steps)
    found: list[str] = []
    for dtype in sorted({step.dtype for step in steps}, key=str):
        own = [step for step in steps if step.dtype is dtype]
        texts = [_TILE, _PANEL, *[_PACK] * any(step.transpose_rhs for step in own)]
        names = {"t": dtype.name, "c": _TYPES[dtype], "T": dtype.name.upper()}
        found += [text.format(**names) for text in texts]
    return found


def function_name(step: Matmul) -> str:
    """Products of one name are one function."""
    stored = "t" * step.transpose_lhs + "_" * step.transpose_rhs + "t" * step.transpose_rhs
    sizes = f"product_{step.dtype}_{step.m}x{step.k}x{step.n}"
    return f"{sizes}_{stored}" if stored else sizes


def function(steps: list[Matmul]) -> Source:
    """The function of products that have one name."""
    step, w = steps[0], Writer()
    origins = sorted({o for each in steps for o in each.origins})
    kind = memory_type(step.dtype)
    sizes = f"[{step.m}, {step.k}] @ [{step.k}, {step.n}]"
    w.line(f"// {sizes}, a tile at a time in registers", origins)
    w.line(f"static void {function_name(step)}(", origins)
    w.line(f"    const {kind} *restrict lhs, const {kind} *restrict rhs, {kind} *restrict out")
    w.line(") {")
    with w.indent():
        _panels(w, step)
    w.line("}")
    return w.source(function_name(step), "c")


def _panels(w: Writer, step: Matmul) -> None:
    t, n, k = step.dtype.name, step.n, step.k
    columns = f"{t.upper()}_COLUMNS"
    if step.transpose_rhs:
        w.line(f"{memory_type(step.dtype)} packed[{k} * {columns}];")
    w.line("int j = 0;")
    w.line(f"for (; j + {columns} <= {n}; j += {columns}) {{", step.origins)
    with w.indent():
        _panel(w, step, columns)
    w.line("}")
    w.line(f"if ({n} % {columns}) {{", step.origins)
    with w.indent():
        _panel(w, step, f"{n} % {columns}")
    w.line("}")


def _panel(w: Writer, step: Matmul, columns: str) -> None:
    t = step.dtype.name
    rhs, width = "rhs + j", str(step.n)
    if step.transpose_rhs:
        w.line(f"pack_{t}(rhs + j * {step.k}, {step.k}, {columns}, packed);", step.origins)
        rhs, width = "packed", f"{t.upper()}_COLUMNS"
    down, along = (1, step.m) if step.transpose_lhs else (step.k, 1)
    w.line(
        f"panel_{t}(lhs, {down}, {along}, {rhs}, {width}, out + j, {step.n}, "
        f"{step.m}, {step.k}, {columns});",
        step.origins,
    )
