"""The C functions for sorting: keys as unsigned integers, sorting networks, radix sorts.

NaN is ordered after every number, whatever its sign, and 0.0 and -0.0 are equal. In total order
floats are ordered by their bits.
"""

from collections.abc import Iterator

from compiler_core.codegen.c.types import memory_type
from compiler_core.ir.types import DTYPES, DType
from compiler_core.schedule.cpu.sort import DIGIT_BITS, LANES

# The values of a digit: a radix sort counts the words of each.
_RADIX = 1 << DIGIT_BITS

_FLOATS = {
    "order_f32": """\
// Ordered as the number is. With its sign bit set the more of a number is the less.
static inline unsigned order_f32(float x) {
    unsigned bits = x == 0 ? 0 : as_bits(x);
    bits = x != x ? 0x7fffffff : bits;
    return bits ^ ((unsigned)((int)bits >> 31) | 0x80000000);
}
""",
    "order_f64": """\
static inline unsigned long order_f64(double x) {
    union { double value; unsigned long bits; } u = {x};
    unsigned long bits = x == 0 ? 0 : u.bits;
    bits = x != x ? 0x7fffffffffffffff : bits;
    return bits ^ ((unsigned long)((long)bits >> 63) | 0x8000000000000000);
}
""",
    "total_f32": """\
// Ordered by sign, exponent and fraction, a NaN with a sign before every number.
static inline unsigned total_f32(float x) {
    unsigned bits = as_bits(x);
    return bits ^ ((unsigned)((int)bits >> 31) | 0x80000000);
}
""",
    "total_f64": """\
static inline unsigned long total_f64(double x) {
    union { double value; unsigned long bits; } u = {x};
    return u.bits ^ ((unsigned long)((long)u.bits >> 63) | 0x8000000000000000);
}
""",
    "total_f16": "static inline unsigned total_f16(f16 x) { return total_f32(f16_to_f32(x)); }\n",
    "total_bf16": """\
static inline unsigned total_bf16(bf16 x) { return total_f32(bf16_to_f32(x)); }
""",
    "order_f16": "static inline unsigned order_f16(f16 x) { return order_f32(f16_to_f32(x)); }\n",
    "order_bf16": """\
static inline unsigned order_bf16(bf16 x) { return order_f32(bf16_to_f32(x)); }
""",
}


def order_of(dtype: DType, total: bool) -> str:
    """The C function that maps a key of `dtype` to an unsigned integer of the same order."""
    return f"total_{dtype}" if total and dtype.is_float else f"order_{dtype}"


def _integer(dtype: DType) -> str:
    word = "unsigned long" if dtype.bits == 64 else "unsigned"
    offset = ""
    if dtype.kind == "int":
        least = f"0x{2 ** (dtype.bits - 1):x}"
        offset = f" ^ {least}" if dtype.bits >= 32 else f" + {least}"
    kind = memory_type(dtype)
    return f"static inline {word} order_{dtype}({kind} x) {{ return ({word})x{offset}; }}\n"


def _integers() -> Iterator[tuple[str, str]]:
    for dtype in DTYPES.values():
        if not dtype.is_float:
            yield f"order_{dtype}", _integer(dtype)


_SORTS = {
    "order_word": """\
// Is ordered by `bits`, and where these are equal by what is below them.
static inline unsigned long order_word(unsigned bits, unsigned long below) {
    return (unsigned long)bits << 32 | below;
}
""",
    "order_pair": f"""\
static inline void order_pair(unsigned long *restrict first, unsigned long *restrict second) {{
    #pragma omp simd
    for (int lane = 0; lane < {LANES}; lane++) {{
        unsigned long a = first[lane], b = second[lane];
        first[lane] = a < b ? a : b;
        second[lane] = a < b ? b : a;
    }}
}}
""",
    "order_network": f"""\
// Batcher's odd-even merge sort of {LANES} columns side by side: parts of `run` that are in order
// become parts of twice that.
static inline void order_network(unsigned long (*words)[{LANES}], long n) {{
    for (long run = 1; run < n; run *= 2)
        for (long apart = run; apart >= 1; apart /= 2)
            for (long block = apart % run; block + apart < n; block += 2 * apart) {{
                long end = block + 2 * apart < n ? block + apart : n - apart;
                for (long i = block; i < end; i++)
                    if ((i ^ (i + apart)) < 2 * run) order_pair(words[i], words[i + apart]);
            }}
}}
""",
    "order_radix": f"""\
// Orders words by their bits from `low` to `end`, those that agree in these as they stand; gives
// the one of the two places where they are then.
static unsigned long *order_radix(
    unsigned long *from, unsigned long *to, long n, int low, int end
) {{
    for (int bit = low; bit < end; bit += {DIGIT_BITS}) {{
        long start[{_RADIX}] = {{0}}, sum = 0;
        for (long i = 0; i < n; i++) start[from[i] >> bit & {_RADIX - 1}]++;
        if (start[*from >> bit & {_RADIX - 1}] == n) continue;
        for (int digit = 0; digit < {_RADIX}; digit++) {{
            long count = start[digit];
            start[digit] = sum;
            sum += count;
        }}
        for (long i = 0; i < n; i++) to[start[from[i] >> bit & {_RADIX - 1}]++] = from[i];
        unsigned long *done = to;
        to = from;
        from = done;
    }}
    return from;
}}
""",
    "order_first": """\
// Puts the first `kept` of `count` words in order; there is place for as many from `size` on.
static void order_first(
    unsigned long *words, long size, long count, long kept, int low, int end
) {
    unsigned long *sorted = order_radix(words, words + size, count, low, end);
    for (long i = 0; sorted != words && i < kept; i++) words[i] = sorted[i];
}
""",
    "order_insert": """\
// Puts a word where it belongs among those before `last`, which are in order.
static inline void order_insert(unsigned long *words, long last, unsigned long word) {
    for (; last > 0 && words[last - 1] > word; last--) words[last] = words[last - 1];
    words[last] = word;
}
""",
}

ORDER: dict[str, str] = _FLOATS | dict(_integers()) | _SORTS
