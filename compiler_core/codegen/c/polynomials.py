"""The inline functions of generated C: without branches and without tables, so that the compiler
vectorises the loops around them.

The polynomials are minimax fits (weighted least squares with Lawson's iteration, coefficients
rounded to f32). The error bound beside each function was measured against f64, and
tests/compiler_core/codegen/c/test_math.py holds it.
"""

FUNCTIONS = {
    "between": """\
// x kept between low < 0 < high, by the order of the bits, which takes one instruction a side.
// A NaN becomes one of the ends: whoever calls this gives it back in the end.
static inline float between(float x, float low, float high) {
    unsigned bits = as_bits(x), least = as_bits(low);
    int down = (int)(bits < least ? bits : least), most = (int)as_bits(high);
    return as_float((unsigned)(down < most ? down : most));
}
""",
    "exp_f32": """\
// Within 1 ulp. e^x = 2^n e^r with |r| <= ln(2)/2; 2^n in two steps, since its exponent may be
// out of range where the result is denormal or just below infinity. Adding 1.5 * 2^23 + 254
// rounds to an integer and leaves n + 254 in the lowest bits. What rounds to 0, as whatever a mask
// hides from a softmax, is a product with 0: one that underflows takes a hundred times as long.
static inline float exp_f32(float x) {
    float inside = between(x, -105.0f, 89.0f);
    float shifted = inside * 1.442695f + 12583166.0f;
    float n = shifted - 12583166.0f;
    float r = inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.0013813142f;
    q = q * r + 0.008369419f;
    q = q * r + 0.041668456f;
    q = q * r + 0.16666515f;
    q = q * r + 0.49999994f;
    float e = q * (r * r) + r + 1.0f;
    unsigned bits = as_bits(shifted), half = bits >> 1;
    unsigned rest = x < -104.0f ? 0 : bits - half << 23;
    float result = e * as_float(half << 23) * as_float(rest);
    return x != x ? x : result;
}
""",
    "expm1_f32": """\
// Within 2 ulp. e^x - 1 = 2^n (e^r - 1) + (2^n - 1), which cancels nowhere; 2^n is halved, since
// its exponent may be out of range where the result is just below infinity.
static inline float expm1_f32(float x) {
    float inside = between(x, -18.0f, 89.0f);
    float shifted = inside * 1.442695f + 12583038.0f;
    float n = shifted - 12583038.0f;
    float r = inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.00019845957f;
    q = q * r + 0.0013941653f;
    q = q * r + 0.0083333915f;
    q = q * r + 0.041666348f;
    q = q * r + 0.16666666f;
    q = q * r + 0.5f;
    float e = q * (r * r) + r;
    float half = as_float(as_bits(shifted) << 23);
    float result = (half * e + (half - 0.5f)) * 2.0f;
    return x * x > 0 ? result : x;  // what is tiny, zeros and NaN
}
""",
    "tanh_f32": """\
// Within 3 ulp. tanh x = d / (d + 2) with d = e^2x - 1; beyond 9.02 it rounds to 1.
static inline float tanh_f32(float x) {
    float inside = between(x, -9.02f, 9.02f);
    float shifted = inside * 2.88539f + 12583039.0f;
    float n = shifted - 12583039.0f;
    float r = 2.0f * inside - n * 0.693145752f - n * 1.4286068e-6f;
    float q = 0.00019845957f;
    q = q * r + 0.0013941653f;
    q = q * r + 0.0083333915f;
    q = q * r + 0.041666348f;
    q = q * r + 0.16666666f;
    q = q * r + 0.5f;
    float e = q * (r * r) + r;
    float scale = as_float(as_bits(shifted) << 23);
    float d = scale * e + (scale - 1.0f);
    float result = d / (d + 2.0f);
    return x * x > 0 ? result : x;  // what is tiny, zeros and NaN
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
    result = (x < __builtin_inff()) & (x * x > 0) ? result : x;
    result = x == -1 ? -__builtin_inff() : result;
    return x < -1 ? __builtin_nanf("") : result;
}
""",
    "without_multiples": """\
// x less a multiple of y, of numbers that were f32, without rounding. What is left is below y, or
// one y beyond, if the quotient is below 2^51, and below x / 2^51 otherwise.
static inline double without_multiples(double x, double y, double inverse) {
    double whole = __builtin_trunc(x * inverse);
    return whole == 0 ? x : __builtin_fma(-whole, y, x);
}
""",
    "remainder_f32": """\
// Exact, as the C library's, of which there is none in vectors. A quotient is below 2^152 where the
// divisor is not tiny: three steps, and three more where it is.
static inline float remainder_f32(float a, float b) {
    double y = __builtin_fabs(b), inverse = 1 / y;
    double x = without_multiples(__builtin_fabs(a), y, inverse);
    x = without_multiples(without_multiples(x, y, inverse), y, inverse);
    double less = without_multiples(without_multiples(x, y, inverse), y, inverse);
    x = y < 0x1p-24 ? without_multiples(less, y, inverse) : x;
    x = x < 0 ? x + y : x;
    x = x >= y ? x - y : x;
    return __builtin_copysignf((float)x, a);
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
    unsigned square = as_bits(x * x), most = as_bits(15.4449f);
    float t = as_float(square < most ? square : most) * 0.12949258f - 1.0f;
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
    float y = x * p, size = __builtin_fabsf(y);
    return __builtin_copysignf(size > 1.0f ? 1.0f : size, x);
}
""",
}
