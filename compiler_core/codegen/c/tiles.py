"""The helper functions of generated matrix products in C: tiles of the result in registers.

A tile is unrolled into vectors: 12 rows of two of them where these have 512 bits (24 of 32
registers hold sums), 6 rows elsewhere. 16-bit floats are made f32 as they are packed, and rounded
as they are stored.
"""

from collections.abc import Iterable

from compiler_core.codegen.c.types import loaded, memory_type, register_type, stored
from compiler_core.ir.types import F64, DType

SIZES = """\
// Rows of a tile that is held in registers, and lanes of a vector; a tile has two vectors of
// columns. The tall one leaves registers for nothing beside.
#ifdef __AVX512F__
enum { ROWS = 8, TALL_ROWS = 12, F32_LANES = 16, F64_LANES = 8 };
#else
enum { ROWS = 4, TALL_ROWS = 6, F32_LANES = 8, F64_LANES = 4 };
#endif
enum { F32_COLUMNS = 2 * F32_LANES, F64_COLUMNS = 2 * F64_LANES };
"""

_ROWS = """\
// out[rows, columns] = lhs @ panel. Row r of lhs begins at lhs[r * down], row i of the panel at
// panel[i * width].
static inline __attribute__((always_inline)) void tile_{t}(
    const {r} *lhs, long down, const {r} *panel, long width, {m} *out, long pitch,
    int k, int rows, int columns
) {{
    {r} sum[TALL_ROWS][{columns}] = {{0}};
    for (int i = 0; i < k; i++)
        for (int r = 0; r < rows; r++) {{
            {r} x = lhs[r * down + i];
            #pragma omp simd
            for (int c = 0; c < {columns}; c++) sum[r][c] += x * panel[i * width + c];
        }}
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) out[r * pitch + c] = {stored};
}}

// The same for m rows: as many at a time as registers hold, then the rest.
static inline __attribute__((always_inline)) void panel_{t}(
    const {r} *lhs, long down, const {r} *panel, long width, {m} *out, long pitch,
    int m, int k, int columns
) {{
    int i = 0;
    for (; i + TALL_ROWS <= m; i += TALL_ROWS)
        tile_{t}(lhs + i * down, down, panel, width, out + i * pitch, pitch, k, TALL_ROWS, columns);
    for (; i + ROWS / 2 <= m; i += ROWS / 2)
        tile_{t}(lhs + i * down, down, panel, width, out + i * pitch, pitch, k, ROWS / 2, columns);
    for (; i < m; i++)
        tile_{t}(lhs + i * down, down, panel, width, out + i * pitch, pitch, k, 1, columns);
}}

// out[m, n] = lhs @ rhs, whose panels begin `step` apart.
static void rows_{t}(
    const {r} *lhs, long down, const {r} *rhs, long step, long width, {m} *out, long pitch,
    int m, int k, int n
) {{
    int j = 0;
    for (; j + {columns} <= n; j += {columns})
        panel_{t}(lhs, down, rhs + j * step, width, out + j, pitch, m, k, {columns});
    if (j < n) panel_{t}(lhs, down, rhs + j * step, width, out + j, pitch, m, k, n - j);
}}
"""

_PACK = """\
// A panel of an operand whose rows are `width` apart, filled up with zeros.
static void pack_{t}(const {m} *rhs, long width, int k, long columns, {r} *panel) {{
    for (int i = 0; i < k; i++)
        for (int c = 0; c < {columns}; c++)
            if (c < columns) panel[i * {columns} + c] = {packed};
            else panel[i * {columns} + c] = 0;
}}
"""

_PACK_COLUMNS = """\
// The same of an operand whose columns are `height` apart.
static void pack_{t}_t(const {m} *rhs, long height, int k, long columns, {r} *panel) {{
    int many = columns < {columns} ? columns : {columns};
    turn_{t}(rhs, height, panel, {columns}, many, k);
    for (int i = 0; i < k; i++)
        for (int c = many; c < {columns}; c++) panel[i * {columns} + c] = 0;
}}
"""

_TURN = """\
// A square of vectors, its rows made columns: places of 1, 2, 4, ... lanes change in turn.
static inline __attribute__((always_inline)) void transpose_{t}({r} x[{lanes}][{lanes}]) {{
    typedef {r} line __attribute__((vector_size(sizeof({r}) * {lanes})));
    typedef {i} order __attribute__((vector_size(sizeof({r}) * {lanes})));
    line *row = (line *)x;
    order lane;
    for (int l = 0; l < {lanes}; l++) lane[l] = l;
    #pragma GCC unroll 4
    for (int t = 0; 1 << t < {lanes}; t++) {{
        order odd = lane >> t & 1, low = lane + ({lanes} - (1 << t)) * odd, high = low + (1 << t);
        #pragma GCC unroll 16
        for (int r = 0; r < {lanes}; r++)
            if (!(r >> t & 1)) {{
                line a = row[r], b = row[r + (1 << t)];
                row[r] = __builtin_shuffle(a, b, low);
                row[r + (1 << t)] = __builtin_shuffle(a, b, high);
            }}
    }}
}}

// to[j, i] = from[i, j], whose rows are `width` and `pitch` apart.
static void turn_{t}(const {m} *from, long pitch, {r} *to, long width, int rows, int columns) {{
    int i = 0;
    for (; i + {lanes} <= rows; i += {lanes}) {{
        int j = 0;
        for (; j + {lanes} <= columns; j += {lanes}) {{
            {r} x[{lanes}][{lanes}] __attribute__((aligned(64)));
            for (int r = 0; r < {lanes}; r++)
                for (int c = 0; c < {lanes}; c++) x[r][c] = {turned};
            transpose_{t}(x);
            for (int r = 0; r < {lanes}; r++)
                for (int c = 0; c < {lanes}; c++) to[(j + r) * width + i + c] = x[r][c];
        }}
        for (int c = 0; j + c < columns; c++)
            for (int r = 0; r < {lanes}; r++) to[(j + c) * width + i + r] = {turned};
    }}
    for (int r = 0; i + r < rows; r++)
        for (int j = 0, c = 0; c < columns; c++) to[c * width + i + r] = {turned};
}}
"""

_LEFT = """\
// A left operand's elements in the type that registers hold.
static void left_{t}(const {m} *lhs, long count, {r} *wide) {{
    for (long i = 0; i < count; i++) wide[i] = {wide};
}}
"""

# By the function that calls them; {t} stands for the element type.
_TEXTS = {
    "rows_{t}": _ROWS,
    "pack_{t}": _PACK,
    "turn_{t}": _TURN,
    "pack_{t}_t": _PACK_COLUMNS,
    "left_{t}": _LEFT,
}


def columns(dtype: DType) -> str:
    """The columns of a tile."""
    return "F64_COLUMNS" if dtype is F64 else "F32_COLUMNS"


def helpers(text: str, dtypes: Iterable[DType]) -> list[str]:
    """The functions that `text` calls for products of `dtypes`, after SIZES."""
    found: list[str] = []
    for dtype in sorted(set(dtypes), key=str):
        words = {
            "t": dtype.name, "m": memory_type(dtype), "r": register_type(dtype),
            "i": "long" if dtype is F64 else "int",
            "columns": columns(dtype), "lanes": columns(dtype).replace("COLUMNS", "LANES"),
            "stored": stored(dtype, "sum[r][c]"), "wide": loaded(dtype, "lhs[i]"),
            "packed": loaded(dtype, "rhs[i * width + c]"),
            "turned": loaded(dtype, "from[(i + r) * pitch + j + c]"),
        }  # fmt: skip
        called = {name for name in _TEXTS if f"{name.format(**words)}(" in text}
        if "pack_{t}_t" in called:
            called.add("turn_{t}")
        found += [_TEXTS[name].format(**words) for name in _TEXTS if name in called]
    return found
