"""C functions that move memory: tiles of words of 32 bits are turned sixteen by sixteen in
registers where these hold as many (a butterfly of exchanges, as fast transforms have), and whole
cache lines are written past the caches. They are called for some hundred bytes or more at a time:
inlined, they would be compiled anew with every loop."""

from compiler_core.codegen.c.helper import Helper

STREAM = Helper(
    """\
// Whole cache lines are written past the caches, which would read them before. Atomic operations,
// as those with which threads meet, wait for such stores.
""",
    "stream(void *to, const void *from, long bytes)",
    """\
    char *t = to;
    const char *f = from;
    long i = 0;
#if defined __AVX512F__ && !defined __clang__
    typedef long long line __attribute__((vector_size(64), aligned(64), may_alias));
    typedef long long unaligned __attribute__((vector_size(64), aligned(1), may_alias));
    long before = -(unsigned long)t & 63;
    for (; i < bytes && i < before; i++) t[i] = f[i];
    for (; i + 64 <= bytes; i += 64)
        __builtin_ia32_movntdq512((line *)(t + i), *(const unaligned *)(f + i));
#endif
    for (; i < bytes; i++) t[i] = f[i];
""",
    once=True,
)
TURN = Helper(
    """\
typedef unsigned word __attribute__((may_alias));
#if defined __AVX512F__ && !defined __clang__
typedef word words __attribute__((vector_size(64), aligned(4)));
typedef int places __attribute__((vector_size(64)));
// Of each two rows n apart, blocks of n elements are exchanged.
#define EXCHANGE(n, first, second) \\
    for (int i = 0; i < 16; i++) { \\
        if (i & n) continue; \\
        words a = v[i], b = v[i + n]; \\
        v[i] = __builtin_shuffle(a, b, (places)first); \\
        v[i + n] = __builtin_shuffle(a, b, (places)second); \\
    }
#define LIST(...) {__VA_ARGS__}
static inline __attribute__((always_inline))
void turn_16(const word *from, long step, word *to, long width) {
    words v[16];
    for (int i = 0; i < 16; i++) v[i] = *(const words *)(from + step * i);
    EXCHANGE(1, LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
        LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
    EXCHANGE(2, LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
        LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    EXCHANGE(4, LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
        LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    EXCHANGE(8, LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
        LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    for (int i = 0; i < 16; i++) *(words *)(to + width * i) = v[i];
}
#define SQUARE 16
#else
#define turn_16(from, step, to, width)
#define SQUARE (1 << 20)
#endif

// Rows of `columns` elements, `step` apart, become the columns of an array that is `width` wide.
""",
    "turn(const void *given, long step, void *to, int width, int rows, int columns)",
    """\
    const word *from = given;
    word *turned = to;
    int r = 0;
    for (; r + SQUARE <= rows; r += SQUARE) {
        int c = 0;
        for (; c + SQUARE <= columns; c += SQUARE)
            turn_16(from + step * r + c, step, turned + width * c + r, width);
        for (; c < columns; c++)
            for (int i = r; i < r + SQUARE; i++) turned[width * c + i] = from[step * i + c];
    }
    for (; r < rows; r++)
        for (int c = 0; c < columns; c++) turned[width * c + r] = from[step * r + c];
""",
    once=True,
)
FUNCTIONS = {"stream": STREAM.text, "turn": TURN.text}
