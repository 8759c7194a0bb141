"""The helper functions of generated matrix products in C, which compute tiles of the result in
registers.

A tile is unrolled into vectors (schedule/cpu/matmul.py). It is written in vector types, and
compiled once for all products of a program (`noclone`): finding vectors in loops, and again for
each size, takes gcc several times as long and gives the same instructions. For the same reason
elements are copied by memcpy. 16-bit floats are converted to f32 while they are packed, and rounded
when they are stored.
"""

from collections.abc import Iterable
from itertools import chain

from compiler_core.codegen.c.helper import Helper
from compiler_core.codegen.c.tile_panels import HALF_PANEL, PANEL
from compiler_core.codegen.c.types import lanes, loaded, memory_type, register_type, stored
from compiler_core.ir.types import BF16, F16, F64, DType
from compiler_core.schedule.cpu.matmul import BLOCKS, NARROW, WIDE, Registers
from compiler_core.schedule.cpu.schedule import register


def _sizes(tile: Registers) -> str:
    return (
        f"enum {{ ROWS = {tile.rows}, TALL_ROWS = {tile.tall_rows}, "
        f"F32_LANES = {tile.f32_lanes}, F64_LANES = {tile.f64_lanes} }};"
    )


SIZES = f"""\
// Rows of a tile that is held in registers, and lanes of a vector; a tile has two vectors of
// columns. The tall one leaves registers for nothing beside.
#ifdef __AVX512F__
{_sizes(WIDE)}
#else
{_sizes(NARROW)}
#endif
enum {{ F32_COLUMNS = 2 * F32_LANES, F64_COLUMNS = 2 * F64_LANES, MOST_ROWS = {max(BLOCKS)} }};
"""

_LINE = """\
// A vector, wherever it lies in memory.
typedef {r} {h}_line
    __attribute__((vector_size(sizeof({r}) * {lanes}), aligned(sizeof({r})), may_alias));
"""

_ROWS = Helper(
    """\
// out[m, n] = lhs @ rhs, whose panels begin `step` apart. The last one may have fewer columns.
""",
    """rows_{t}(
    const {r} *lhs, long down, const {r} *rhs, long step, long width, {m} *out, long pitch,
    int m, int k, int n
)""",
    """\
    int j = 0;
    for (; j + {columns} <= n; j += {columns})
        panel_{h}(lhs, down, rhs + j * step, width, out + j, pitch, m, k);
    if (j == n) return;
    if (j + {lanes} == n) {{
        narrow_{h}(lhs, down, rhs + j * step, width, out + j, pitch, m, k);
        return;
    }}
    {r} whole[MOST_ROWS][{columns}] __attribute__((aligned(64)));
    if (j + {lanes} > n)
        narrow_{h}(lhs, down, rhs + j * step, width, *whole, {columns}, m, k);
    else
        panel_{h}(lhs, down, rhs + j * step, width, *whole, {columns}, m, k);
    for (int i = 0; i < m; i++)
        __builtin_memcpy(out + i * pitch + j, whole[i], sizeof({r}) * (n - j));
""",
)

# Helpers for results that are rounded when they are stored.
_UPCAST_ROWS = Helper(
    """\
// out[m, n] = lhs @ rhs, whose panels begin `step` apart.
""",
    """rows_{t}(
    const {r} *lhs, long down, const {r} *rhs, long step, long width, {m} *out, long pitch,
    int m, int k, int n
)""",
    """\
    {r} upcast[MOST_ROWS][{columns}] __attribute__((aligned(64)));
    for (int j = 0; j < n; j += {columns}) {{
        if (j + {lanes} >= n)
            narrow_{h}(lhs, down, rhs + j * step, width, *upcast, {columns}, m, k);
        else
            panel_{h}(lhs, down, rhs + j * step, width, *upcast, {columns}, m, k);
        int many = n - j < {columns} ? n - j : {columns};
        for (int i = 0; i < m; i++)
            for (int c = 0; c < many; c++) out[i * pitch + j + c] = {stored};
    }}
""",
)

_PACK = Helper(
    """\
// A panel of an operand whose rows are `width` apart, filled up with zeros.
""",
    """pack_{t}(const {m} *rhs, long width, int k, long columns, {r} *panel)""",
    """\
    if (columns < {columns}) __builtin_memset(panel, 0, sizeof({r}) * {columns} * k);
    for (int i = 0; i < k; i++)
        if (columns < {columns})
            __builtin_memcpy(panel + i * {columns}, rhs + i * width, sizeof({r}) * columns);
        else
            __builtin_memcpy(panel + i * {columns}, rhs + i * width, sizeof({r}) * {columns});
""",
)

_UPCAST_PACK = Helper(
    """\
// A panel of an operand whose rows are `width` apart, filled up with zeros.
""",
    """pack_{t}(const {m} *rhs, long width, int k, long columns, {r} *panel)""",
    """\
    for (int i = 0; i < k; i++)
        for (int c = 0; c < {columns}; c++)
            panel[i * {columns} + c] = c < columns ? {packed} : 0;
""",
)

_PACK_COLUMNS = Helper(
    """\
// The same of an operand whose columns are `height` apart.
""",
    """pack_{t}_t(const {m} *rhs, long height, int k, long columns, {r} *panel)""",
    """\
    if (columns < {columns}) __builtin_memset(panel, 0, sizeof({r}) * {columns} * k);
    turn_{t}(rhs, height, panel, {columns}, columns < {columns} ? columns : {columns}, k);
""",
)

_SQUARE = Helper(
    """\
// A square of vectors, its rows made columns, of which `many` are stored: places of 1, 2, 4, ...
// lanes change in turn.
""",
    """square_{h}(
    const {r} *from, long pitch, {r} *to, long width, int many
)""",
    """\
    typedef {i} order __attribute__((vector_size(sizeof({r}) * {lanes})));
    {h}_line row[{lanes}];
    order lane;
    for (int l = 0; l < {lanes}; l++) lane[l] = l;
    #pragma GCC unroll 16
    for (int r = 0; r < {lanes}; r++) row[r] = *({h}_line *)(from + r * pitch);
    #pragma GCC unroll 4
    for (int t = 0; 1 << t < {lanes}; t++) {{
        order odd = lane >> t & 1, low = lane + ({lanes} - (1 << t)) * odd, high = low + (1 << t);
        #pragma GCC unroll 16
        for (int r = 0; r < {lanes}; r++)
            if (!(r >> t & 1)) {{
                {h}_line a = row[r], b = row[r + (1 << t)];
#if defined __clang__  // which has no shuffle by places that are computed
                for (int l = 0; l < {lanes}; l++) {{
                    row[r][l] = low[l] < {lanes} ? a[low[l]] : b[low[l] - {lanes}];
                    row[r + (1 << t)][l] = high[l] < {lanes} ? a[high[l]] : b[high[l] - {lanes}];
                }}
#else
                row[r] = __builtin_shuffle(a, b, low);
                row[r + (1 << t)] = __builtin_shuffle(a, b, high);
#endif
            }}
    }}
    #pragma GCC unroll 16
    for (int r = 0; r < {lanes}; r++)
        if (r < many) *({h}_line *)(to + r * width) = row[r];
""",
    once=True,
)

_TURN = Helper(
    """\
// to[j, i] = from[i, j], whose rows are `width` and `pitch` apart, by squares. The last ones reach
// back over the ones before; what cannot be read as whole vectors is copied first.
""",
    """turn_{t}(
    const {m} *from, long pitch, {r} *to, long width, int rows, int columns
)""",
    """\
    int down = rows < {lanes} ? rows : {lanes}, along = columns < {lanes} ? columns : {lanes};
    for (int row = 0; row < rows; row += {lanes})
        for (int column = 0; column < columns; column += {lanes}) {{
            int i = row + {lanes} <= rows ? row : rows - down;
            int j = column + {lanes} <= columns ? column : columns - along;
            const {m} *here = from + i * pitch + j;
            {r} *there = to + j * width + i, x[{lanes}][{lanes}], y[{lanes}][{lanes}];
            if ((i + {lanes} - 1) * pitch + j + {lanes} <= (rows - 1) * pitch + columns) {{
{whole}
                continue;
            }}
            for (int r = 0; r < down; r++)
                {turned};
            square_{h}(*x, {lanes}, *y, {lanes}, along);
            for (int c = 0; c < along; c++)
                __builtin_memcpy(there + c * width, y[c], sizeof({r}) * down);
        }}
""",
    once=True,
)

# The text that packs a whole square, whose elements already have the register type or are converted
# to it.
_WHOLE = """\
                square_{h}(here, pitch, there, width, along);"""
_UPCAST_WHOLE = """\
                for (int r = 0; r < {lanes}; r++)
                    for (int c = 0; c < {lanes}; c++) x[r][c] = {element};
                square_{h}(*x, {lanes}, there, width, along);"""
_TURNED = _WHOLE, "__builtin_memcpy(x[r], here + r * pitch, sizeof({r}) * along)"
_UPCAST_TURNED = _UPCAST_WHOLE, "for (int c = 0; c < along; c++) x[r][c] = {element}"

_LEFT = Helper(
    """\
// A left operand's elements in the type that registers hold.
""",
    """left_{t}(const {m} *lhs, long count, {r} *upcast)""",
    """\
    for (long i = 0; i < count; i++) upcast[i] = {upcast};
""",
)

# By name, callees before callers; {t} stands for the element type, {h} for that of registers.
_TEXTS = {
    "panel_{h}": PANEL,
    "narrow_{h}": HALF_PANEL,
    "rows_{t}": _ROWS,
    "pack_{t}": _PACK,
    "square_{h}": _SQUARE,
    "turn_{t}": _TURN,
    "pack_{t}_t": _PACK_COLUMNS,
    "left_{t}": _LEFT,
}
_UPCAST_TEXTS = {"rows_{t}": _UPCAST_ROWS, "pack_{t}": _UPCAST_PACK}


def columns(dtype: DType) -> str:
    """The C constant that is the number of columns of a tile for products of `dtype`."""
    return "F64_COLUMNS" if dtype is F64 else "F32_COLUMNS"


def helpers(text: str, dtypes: Iterable[DType]) -> list[str]:
    """The helper functions that `text` calls for products of `dtypes`, after the constants SIZES.
    Dtypes with the same register type share functions."""
    ordered = sorted(set(dtypes), key=str)
    each = ((vectors(t), *(f.text for f in functions(text, t))) for t in ordered)
    return [*dict.fromkeys(chain.from_iterable(each))]


def vectors(dtype: DType) -> str:
    """The C type of a vector register in these functions."""
    return _LINE.format(**_words(dtype))


def functions(text: str, dtype: DType) -> list[Helper]:
    """The helper functions that `text` calls, directly or through each other, callees first."""
    words, found = _words(dtype), list[Helper]()
    templates = _TEXTS | _UPCAST_TEXTS if dtype in (F16, BF16) else _TEXTS
    for name, template in reversed(templates.items()):
        if f"{name.format(**words)}(" in "".join((text, *(f.text for f in found))):
            found.insert(0, template.of(words))
    return found


def _words(dtype: DType) -> dict[str, str]:
    """What stands for the names in braces."""
    words = {
        "t": dtype.name, "m": memory_type(dtype),
        "h": register(dtype).name, "r": register_type(dtype),
        "i": "long" if dtype is F64 else "int",
        "columns": columns(dtype), "lanes": lanes(dtype),
        "stored": stored(dtype, "upcast[i][c]"), "upcast": loaded(dtype, "lhs[i]"),
        "packed": loaded(dtype, "rhs[i * width + c]"),
        "element": loaded(dtype, "here[r * pitch + c]"),
    }  # fmt: skip
    whole, turned = _UPCAST_TURNED if dtype in (F16, BF16) else _TURNED
    return words | {"whole": whole.format(**words), "turned": turned.format(**words)}
