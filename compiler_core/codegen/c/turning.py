"""C helper functions that move memory. `turn` transposes a tile of 32-bit words in registers: n x n
words at a time, n being the lanes of a vector, by log2(n) rounds of exchanges as in a fast Fourier
transform. `stream` copies with non-temporal stores of whole cache lines. Neither is inlined: calls
move some hundred bytes or more, and each inlined copy would be compiled again."""

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
#if defined __clang__ || !defined __SSE2__
#define SQUARE (1 << 20)
#define turn_square(from, step, to, width)
#else
#if defined __AVX512F__
#define SQUARE 16
#define LANES(f, n) ROW(f, n, 0), ROW(f, n, 8)
#elif defined __AVX2__
#define SQUARE 8
#define LANES(f, n) ROW(f, n, 0)
#else
#define SQUARE 4
#define LANES(f, n) f(0, n), f(1, n), f(2, n), f(3, n)
#endif
#define ROW(f, n, j) f(j, n), f(j + 1, n), f(j + 2, n), f(j + 3, n), \\
    f(j + 4, n), f(j + 5, n), f(j + 6, n), f(j + 7, n)
#define OF_FIRST(j, n) (j) & n ? SQUARE + (j) - n : (j)
#define OF_SECOND(j, n) (j) & n ? SQUARE + (j) : (j) + n
typedef word words __attribute__((vector_size(4 * SQUARE), aligned(4)));
typedef int places __attribute__((vector_size(4 * SQUARE)));
// Of each two rows n apart, blocks of n elements are exchanged.
#define EXCHANGE(n) \\
    for (int i = 0; i < SQUARE; i++) { \\
        if (i & n) continue; \\
        words a = v[i], b = v[i + n]; \\
        v[i] = __builtin_shuffle(a, b, (places){LANES(OF_FIRST, n)}); \\
        v[i + n] = __builtin_shuffle(a, b, (places){LANES(OF_SECOND, n)}); \\
    }
static inline __attribute__((always_inline))
void turn_square(const word *from, long step, word *to, long width) {
    words v[SQUARE];
    for (int i = 0; i < SQUARE; i++) v[i] = *(const words *)(from + step * i);
    EXCHANGE(1)
    EXCHANGE(2)
#if SQUARE > 4
    EXCHANGE(4)
#endif
#if SQUARE > 8
    EXCHANGE(8)
#endif
    for (int i = 0; i < SQUARE; i++) *(words *)(to + width * i) = v[i];
}
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
            turn_square(from + step * r + c, step, turned + width * c + r, width);
        for (; c < columns; c++)
            for (int i = r; i < r + SQUARE; i++) turned[width * c + i] = from[step * i + c];
    }
    for (; r < rows; r++)
        for (int c = 0; c < columns; c++) turned[width * c + r] = from[step * r + c];
""",
    once=True,
)
FUNCTIONS = {"stream": STREAM.text, "turn": TURN.text}
