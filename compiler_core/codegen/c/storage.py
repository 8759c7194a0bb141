"""Reading and writing 16-bit floats in generated C, and accessing the bits of a float."""

STORAGE = {
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
    "packed_bf16": """\
// The bits of a float that has no more digits.
static inline bf16 packed_bf16(float x) { return (bf16)(as_bits(x) >> 16); }
""",
    "rounded_to_bf16": """\
// The float that becomes of x as bf16. Through the 16 bits themselves, vectors would be packed and
// unpacked again.
static inline float rounded_to_bf16(float x) {
    unsigned bits = as_bits(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    return as_float((x != x ? bits | 0x400000 : rounded) & 0xffff0000);
}
""",
    "f16_to_f32": """\
// A denormal number is its fraction behind a one, less the one: as the bits of a float it would be
// denormal itself, and zero where these are flushed, which no framework does to 16-bit floats.
static inline float f16_to_f32(f16 x) {
    unsigned size = (unsigned)(x & 0x7fff) << 13;
    unsigned denormal = as_bits(as_float(size + 0x38800000) - 0x1p-14f);
    unsigned bits = size >= 0x0f800000 ? size | 0x7f800000 : size + 0x38000000;
    bits = size < 0x00800000 ? denormal : bits;
    return as_float(bits | (unsigned)(x & 0x8000) << 16);
}
""",
    "f32_to_f16": """\
// To nearest, ties to even, by adding a power of two whose last bit stands where the result's
// does; for denormal results that is the power of the least normal one. Numbers too large become
// infinite in the first product. No choices: the compiler would make them in 16 bits, and does
// not know how to do that in vectors.
static inline f16 f32_to_f16(float x) {
    unsigned bits = as_bits(x), power = bits & 0x7f800000;
    power = power < 0x38800000 ? 0x38800000 : power;
    float size = __builtin_fabsf(x) * 0x1p112f * 0x1p-110f;
    unsigned sum = as_bits(size + as_float(power + 0x07800000));
    unsigned number = -(unsigned)(x == x), nan = ~number & 0x200;
    unsigned exponent = sum >> 13 & 0x7c00, fraction = sum & 0xfff & number;
    return (f16)(exponent + fraction | nan | (bits >> 16 & 0x8000));
}
""",
}
