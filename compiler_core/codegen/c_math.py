"""The C functions that generated code calls, each printed only where it is used.

f32 functions that programs spend their time in are inline, without branches and without tables,
so that the compiler vectorises the loops around them. Their polynomials are minimax fits
(weighted least squares with Lawson's iteration, coefficients rounded to f32); the error bound
beside each was measured against f64 and tests/compiler_core/codegen_c/test_math.py holds it.
The rest are the C library's, declared so that glibc's vector versions are used.
"""

import re
from collections.abc import Iterator

from compiler_core.codegen.c_types import register_type, unsigned_type
from compiler_core.ir.types import DTYPES, DType

VECTOR_MATH = """\
// The C library has vector versions of the functions declared so.
#if defined __x86_64__ && !defined SCALAR_MATH
#define SIMD_MATH __attribute__((simd("notinbranch"), const))
#else
#define SIMD_MATH __attribute__((const))
#endif
"""

_UNARY = ("exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "tan", "erf", "erfc", "cbrt")
_BINARY = ("pow", "atan2")


def _library() -> Iterator[tuple[str, str]]:
    for name in _UNARY:
        yield name, f"SIMD_MATH double {name}(double);\n"
        yield f"{name}f", f"SIMD_MATH float {name}f(float);\n"
    for name in _BINARY:
        yield name, f"SIMD_MATH double {name}(double, double);\n"
        yield f"{name}f", f"SIMD_MATH float {name}f(float, float);\n"
    yield "fmod", "__attribute__((const)) double fmod(double, double);\n"
    yield "fmodf", "__attribute__((const)) float fmodf(float, float);\n"


_EXTREMUM = """\
static inline {c} {name}_{t}({c} a, {c} b) {{ return a {sign} b || a != a ? a : b; }}
"""

_LOGISTIC = """\
// Of e^-|x|, which does not overflow.
static inline {c} logistic_{t}({c} x) {{
    {c} e = {exp}(-__builtin_fabs{f}(x));
    return (x < 0 ? e : 1) / (1 + e);
}}
"""

_ROUND = """\
// Half away from zero. The largest number below 1/2, so that its own sum stays below 1.
static inline {c} round_{t}({c} x) {{
    return __builtin_trunc{f}(x + __builtin_copysign{f}({half}, x));
}}
"""

# An integer division by zero is -1 (all bits set) and its remainder the dividend, as in XLA;
# the processor would stop the program instead. Neither does the least number over -1 stop it.
_DIVIDE_SIGNED = """\
static inline {c} divide_{t}({c} a, {c} b) {{
    return b == 0 ? -1 : b == -1 ? ({c})-({u})a : a / b;
}}
"""
_REMAINDER_SIGNED = """\
static inline {c} remainder_{t}({c} a, {c} b) {{ return b == 0 ? a : b == -1 ? 0 : a % b; }}
"""
_DIVIDE_UNSIGNED = """\
static inline {c} divide_{t}({c} a, {c} b) {{ return b == 0 ? ({c})-1 : a / b; }}
"""
_REMAINDER_UNSIGNED = """\
static inline {c} remainder_{t}({c} a, {c} b) {{ return b == 0 ? a : a % b; }}
"""
_POWER_INTEGER = """\
static inline {c} power_{t}({c} x, {c} n) {{
    {wide} square = ({wide})x, result = 1;
    if (n < 0) return x == 1 ? 1 : x == ({c})-1 ? (n & 1 ? -1 : 1) : 0;
    for (; n; n >>= 1, square *= square) result = n & 1 ? result * square : result;
    return ({c})result;
}}
"""


def _integers(dtype: DType) -> Iterator[tuple[str, str]]:
    signed = dtype.kind == "int"
    wide = unsigned_type(dtype) if dtype.bits >= 32 else "unsigned"
    words = {"c": register_type(dtype), "t": dtype, "u": unsigned_type(dtype), "wide": wide}
    yield f"divide_{dtype}", (_DIVIDE_SIGNED if signed else _DIVIDE_UNSIGNED).format(**words)
    remainder = _REMAINDER_SIGNED if signed else _REMAINDER_UNSIGNED
    yield f"remainder_{dtype}", remainder.format(**words)
    power = _POWER_INTEGER.format(**words)
    if not signed:
        power = "".join(x for x in power.splitlines(keepends=True) if "n < 0" not in x)
    yield f"power_{dtype}", power


def _floats(t: str, c: str, f: str) -> Iterator[tuple[str, str]]:
    exp = "exp_f32" if t == "f32" else "exp"
    half = "0.49999997f" if t == "f32" else "0.49999999999999994"
    yield f"max_{t}", _EXTREMUM.format(name="max", sign=">", t=t, c=c)
    yield f"min_{t}", _EXTREMUM.format(name="min", sign="<", t=t, c=c)
    yield f"logistic_{t}", _LOGISTIC.format(t=t, c=c, f=f, exp=exp)
    yield f"round_{t}", _ROUND.format(t=t, c=c, f=f, half=half)


_TEXTS = {
    "f16": "typedef unsigned short f16;\n",
    "bf16": "typedef unsigned short bf16;\n",
    "as_float": """\
static inline float as_float(unsigned bits) {
    union { unsigned bits; float value; } u = {bits};
    return u.value;
}
""",
    "as_bits": """\
static inline unsigned as_bits(float value) {
    union { float value; unsigned bits; } u = {value};
    return u.bits;
}
""",
    "bf16_to_f32": """\
static inline float bf16_to_f32(bf16 x) { return as_float((unsigned)x << 16); }
""",
    "f32_to_bf16": """\
// To nearest, ties to even; a NaN keeps a bit of its fraction.
static inline bf16 f32_to_bf16(float x) {
    unsigned bits = as_bits(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (bf16)((x != x ? bits | 0x400000 : rounded) >> 16);
}
""",
    "f16_to_f32": """\
// The exponent's offset is repaired by a multiplication, which makes denormals right as well.
static inline float f16_to_f32(f16 x) {
    unsigned size = (unsigned)(x & 0x7fff) << 13;
    float scaled = as_float(size) * 0x1p112f;
    unsigned bits = size >= 0x0f800000 ? size | 0x7f800000 : as_bits(scaled);
    return as_float(bits | (unsigned)(x & 0x8000) << 16);
}
""",
    "f32_to_f16": """\
// To nearest, ties to even. Denormal results are rounded by an addition that aligns their bits.
static inline f16 f32_to_f16(float x) {
    unsigned bits = as_bits(x), size = bits & 0x7fffffff;
    unsigned small = as_bits(as_float(size) + 0.5f) - 0x3f000000;
    unsigned normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    unsigned result = size < 0x38800000 ? small : normal;
    result = size >= 0x47800000 ? 0x7c00 : result;
    result = size > 0x7f800000 ? 0x7e00 : result;
    return (f16)(result | (bits >> 16 & 0x8000));
}
""",
    "exp_f32": """\
// Within 1 ulp. e^x = 2^n e^r with |r| <= ln(2)/2; 2^n in two steps, since its exponent may be
// out of range where the result is denormal or just below infinity.
static inline float exp_f32(float x) {
    float inside = x > 89.0f ? 89.0f : x < -105.0f ? -105.0f : x;
    float shifted = inside * 1.442695f + 12582912.0f;
    float n = shifted - 12582912.0f;
    float r = inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.0013813142f;
    q = q * r + 0.008369419f;
    q = q * r + 0.041668456f;
    q = q * r + 0.16666515f;
    q = q * r + 0.49999994f;
    float e = q * (r * r) + r + 1.0f;
    int power = (int)(as_bits(shifted) - 0x4b400000u), half = power >> 1;
    float low = as_float((unsigned)(half + 127) << 23);
    return e * low * as_float((unsigned)(power - half + 127) << 23);
}
""",
    "expm1_f32": """\
// Within 2 ulp. e^x - 1 = 2^n (e^r - 1) + (2^n - 1), which cancels nowhere; 2^n is halved, since
// its exponent may be out of range where the result is just below infinity.
static inline float expm1_f32(float x) {
    float inside = x > 89.0f ? 89.0f : x < -18.0f ? -18.0f : x;
    float shifted = inside * 1.442695f + 12582912.0f;
    float n = shifted - 12582912.0f;
    float r = inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.00019845957f;
    q = q * r + 0.0013941653f;
    q = q * r + 0.0083333915f;
    q = q * r + 0.041666348f;
    q = q * r + 0.16666666f;
    q = q * r + 0.5f;
    float e = q * (r * r) + r;
    float half = as_float((as_bits(shifted) - 0x4b400000u + 126u) << 23);
    return (half * e + (half - 0.5f)) * 2.0f;
}
""",
    "tanh_f32": """\
// Within 3 ulp. tanh x = d / (d + 2) with d = e^2x - 1; beyond 9.02 it rounds to 1.
static inline float tanh_f32(float x) {
    float inside = x > 9.02f ? 9.02f : x < -9.02f ? -9.02f : x;
    float shifted = inside * 2.88539f + 12582912.0f;
    float n = shifted - 12582912.0f;
    float r = 2.0f * inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.00019845957f;
    q = q * r + 0.0013941653f;
    q = q * r + 0.0083333915f;
    q = q * r + 0.041666348f;
    q = q * r + 0.16666666f;
    q = q * r + 0.5f;
    float e = q * (r * r) + r;
    float scale = as_float((as_bits(shifted) - 0x4b400000u + 127u) << 23);
    float d = scale * e + (scale - 1.0f);
    return d / (d + 2.0f);
}
""",
    "log_near_one": """\
// n log 2 + log(1 + m) for |m| <= 1/3.
static inline float log_near_one(float m, float n) {
    float q = 0.120070525f;
    q = q * m - 0.12845077f;
    q = q * m + 0.107542604f;
    q = q * m - 0.12195774f;
    q = q * m + 0.14304455f;
    q = q * m - 0.16679579f;
    q = q * m + 0.19999598f;
    q = q * m - 0.2499982f;
    q = q * m + 0.33333334f;
    return n * 0.693147182f + (m + (q * m - 0.5f) * (m * m));
}
""",
    "log_f32": """\
// Within 1 ulp. log x = n log 2 + log(1 + m) with |m| <= 1/3; denormals are scaled up first.
static inline float log_f32(float x) {
    _Bool tiny = x < 0x1p-126f;
    float scaled = tiny ? x * 0x1p23f : x;
    unsigned high = (as_bits(scaled) - 0x3f2aaaabu) & 0xff800000u;
    float m = as_float(as_bits(scaled) - high) - 1.0f;
    float n = (float)((int)high >> 23) - (tiny ? 23.0f : 0.0f);
    float result = log_near_one(m, n);
    result = x < __builtin_inff() ? result : x;
    result = x == 0 ? -__builtin_inff() : result;
    return x < 0 ? __builtin_nanf("") : result;
}
""",
    "log1p_f32": """\
// Within 2 ulp. As log, with 1 + x = 2^n (1 + m): m comes from x itself, so that nothing is lost
// where x is small. Where x is so large that 2^-n is denormal, the 1 no longer counts.
static inline float log1p_f32(float x) {
    _Bool large = x > 0x1p60f;
    float one = large ? 0.0f : 1.0f, scaled = large ? x * 0x1p-64f : x;
    unsigned high = (as_bits(one + scaled) - 0x3f2aaaabu) & 0xff800000u;
    float down = as_float(0x3f800000u - high);
    float m = scaled * down + (one * down - 1.0f);
    float n = (float)((int)high >> 23) + (large ? 64.0f : 0.0f);
    float result = log_near_one(m, n);
    result = x < __builtin_inff() ? result : x;
    result = x == -1 ? -__builtin_inff() : result;
    return x < -1 ? __builtin_nanf("") : result;
}
""",
    "erf_inv_f32": """\
// Within 4 ulp. erf_inv x = x p(w) with w = -log(1 - x^2), one polynomial for the middle, one in
// the root of w for the ends.
static inline float erf_inv_f32(float x) {
    float w = -log_f32((1.0f - x) * (1.0f + x));
    _Bool middle = w < 5.0f;
    float t = middle ? w * 0.4f - 1.0f : __builtin_sqrtf(w) * 1.1338305f - 3.5353222f;
    float p = middle ? -3.353522e-05f : 4.1642972e-05f;
    p = p * t + (middle ? 3.54502e-05f : -6.653167e-05f);
    p = p * t + (middle ? 0.00028452798f : -0.00012988859f);
    p = p * t + (middle ? -0.0008453869f : 0.0006241163f);
    p = p * t + (middle ? -0.00048470194f : -0.0013748126f);
    p = p * t + (middle ? 0.00852908f : 0.0023419186f);
    p = p * t + (middle ? -0.019574093f : -0.003709898f);
    p = p * t + (middle ? -0.026108667f : 0.0055702315f);
    p = p * t + (middle ? 0.6166007f : 0.8851585f);
    p = p * t + (middle ? 1.5014094f : 2.9513285f);
    return x == 1 || x == -1 ? x * __builtin_inff() : x * p;
}
""",
    "erf_inv_f64": """\
// Within 4 ulp. The same polynomials to seven digits, then one step of Halley's method on
// erf y = x, or on erfc y = 1 - x where that says more.
static inline double erf_inv_f64(double x) {
    double a = __builtin_fabs(x), w = -log((1 - a) * (1 + a));
    _Bool middle = w < 5;
    double t = middle ? w * 0.4 - 1 : (__builtin_sqrt(w) - 4.168033988749895) / 1.931966011250105;
    double p = middle ? -3.353522e-05 : -0.0004895812;
    p = p * t + (middle ? 3.54502e-05 : 0.0034300913);
    p = p * t + (middle ? 0.00028452798 : -0.0044507263);
    p = p * t + (middle ? -0.0008453869 : 0.00068214285);
    p = p * t + (middle ? -0.00048470194 : -0.0001970382);
    p = p * t + (middle ? 0.00852908 : 0.0035604879);
    p = p * t + (middle ? -0.019574093 : -0.0053539085);
    p = p * t + (middle ? -0.026108667 : 0.0032255438);
    p = p * t + (middle ? 0.6166007 : 1.9510207);
    p = p * t + (middle ? 1.5014094 : 4.009445);
    double y = a * p;
    double error = a < 0.5 ? erf(y) - a : (1 - a) - erfc(y);
    double u = error * 0.886226925452758 * exp(y * y);
    y -= u / (1 + y * u);
    y = a == 1 ? __builtin_inf() : y;
    return x < 0 ? -y : y;
}
""",
    "erf_f32": """\
// Within 4 ulp. erf x = x p(x^2), p over the whole range as a polynomial around its middle;
// beyond 3.93 it rounds to 1.
static inline float erf_f32(float x) {
    float inside = x > 3.93f ? 3.93f : x < -3.93f ? -3.93f : x;
    float t = inside * inside * 0.12949258f - 1.0f;
    float p = 0.00037409665f;
    p = p * t - 0.00097313535f;
    p = p * t + 0.0007230775f;
    p = p * t - 0.0011007536f;
    p = p * t + 0.0042618364f;
    p = p * t - 0.008323528f;
    p = p * t + 0.012600592f;
    p = p * t - 0.01992728f;
    p = p * t + 0.030856604f;
    p = p * t - 0.043878563f;
    p = p * t + 0.058417466f;
    p = p * t - 0.074097045f;
    p = p * t + 0.090581454f;
    p = p * t - 0.10900255f;
    p = p * t + 0.1337807f;
    p = p * t - 0.17966026f;
    p = p * t + 0.35982022f;
    float y = inside * p;
    return y > 1.0f ? 1.0f : y < -1.0f ? -1.0f : y;
}
""",
}

HELPERS: dict[str, str] = dict(_library())
HELPERS |= dict(_floats("f32", "float", "f")) | dict(_floats("f64", "double", ""))
for _dtype in DTYPES.values():
    if _dtype.is_integer:
        HELPERS |= dict(_integers(_dtype))
HELPERS |= _TEXTS

_LIBRARY = frozenset(name for name, _ in _library())
_C_NAMES = {"power": "pow", "remainder": "fmod"}


def function_name(function: str, dtype: DType) -> str:
    """The C function of that meaning on `dtype`: one of ours, else the C library's."""
    own = f"{function}_{dtype}"
    if own in HELPERS:
        return own
    return _C_NAMES.get(function, function) + ("f" if dtype.name == "f32" else "")


def used(text: str) -> list[str]:
    """Texts of the helpers that `text` needs, in the order in which C wants them."""
    needed: set[str] = set()
    pending = [text]
    while pending:
        found = _words(pending.pop()) & HELPERS.keys() - needed
        needed |= found
        pending += [HELPERS[name] for name in found]
    texts = [HELPERS[name] for name in _order(needed)]
    return [VECTOR_MATH, *texts] if needed & _LIBRARY else texts


def _words(text: str) -> set[str]:
    """Identifiers outside comments."""
    return set(re.findall(r"\b[a-z]\w*\b", re.sub(r"//.*", "", text)))


def needs_library(text: str) -> bool:
    """Whether the C library's mathematics must be linked to `text`."""
    return "SIMD_MATH" in text or "fmod" in text


def _order(names: set[str]) -> list[str]:
    """Callees before callers."""
    done: list[str] = []

    def visit(name: str) -> None:
        for word in sorted(_words(HELPERS[name])):
            if word in HELPERS and word != name and word not in done:
                visit(word)
        if name not in done:
            done.append(name)

    for name in sorted(names, key=list(HELPERS).index):
        visit(name)
    return done
