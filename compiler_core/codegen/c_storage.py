"""How generated C reads and writes 16-bit floats, and looks at the bits of a float."""

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
}
