"""Functions of generated matrix products in C: a panel of columns times some rows, as many at a
time as registers hold. Templates of codegen/c/tiles.py, which fills in the names in braces.
"""

from compiler_core.codegen.c.helper import Helper

_DOWN = """\
    int i = 0;
    for (; i + TALL_ROWS <= m; i += TALL_ROWS)
        tile_{{h}}(
            lhs + i * down, down, panel, width, out + i * pitch, pitch, k, TALL_ROWS, {whole}
        );
    for (; i + ROWS / 2 <= m; i += ROWS / 2)
        tile_{{h}}(
            lhs + i * down, down, panel, width, out + i * pitch, pitch, k, ROWS / 2, {whole}
        );
    for (; i < m; i++)
        tile_{{h}}(lhs + i * down, down, panel, width, out + i * pitch, pitch, k, 1, {whole});
"""

PANEL = Helper(
    """\
// out[rows, {columns}] = lhs @ panel, or the first {lanes} columns unless `whole`. Row r of lhs
// begins at lhs[r * down], row i of the panel at panel[i * width].
static inline __attribute__((always_inline)) void tile_{h}(
    const {r} *lhs, long down, const {r} *panel, long width, {r} *out, long pitch, int k, int rows,
    int whole
) {{
    {h}_line left[TALL_ROWS] = {{0}}, right[TALL_ROWS] = {{0}};
    for (int i = 0; i < k; i++) {{
        const {h}_line *row = ({h}_line *)(panel + i * width);
        #pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {{
            left[r] += lhs[r * down + i] * row[0];
            if (whole) right[r] += lhs[r * down + i] * row[1];
        }}
    }}
    #pragma GCC unroll 12
    for (int r = 0; r < rows; r++) {{
        {h}_line *row = ({h}_line *)(out + r * pitch);
        row[0] = left[r];
        if (whole) row[1] = right[r];
    }}
}}

// The same for m rows: as many at a time as registers hold, then the rest.
""",
    """panel_{h}(
    const {r} *lhs, long down, const {r} *panel, long width, {r} *out, long pitch, int m, int k
)""",
    _DOWN.format(whole=1),
    once=True,
)

HALF_PANEL = Helper(
    """\
// The same of the first {lanes} columns.
""",
    """narrow_{h}(
    const {r} *lhs, long down, const {r} *panel, long width, {r} *out, long pitch, int m, int k
)""",
    _DOWN.format(whole=0),
    once=True,
)
