"""Functions that a generated Triton module defines for itself when its text calls them."""

from compiler_core.ir.monoids import MONOIDS, Extremum


def _extremum(name: str, kept: Extremum) -> str:
    """Combines two elements with their places."""
    which, better = ("largest", ">") if kept.largest else ("smallest", "<")
    place, sooner = ("last", ">") if kept.last else ("first", "<")
    return f"""\
@triton.jit
def {name}(a, i, b, j):
    # The {which} with the {place} place where it stands; NaN is beyond every number.
    beyond = (b {better} a) | ((b != b) & (a == a))
    same = (b == a) | ((b != b) & (a != a))
    take = beyond | (same & (j {sooner} i))
    return tl.where(take, b, a), tl.where(take, j, i)
"""


def _ordered(name: str, bits: int) -> str:
    """Floats as integers."""
    largest = (1 << (bits - 1)) - 1
    return f"""\
@triton.jit
def {name}(x):
    # Bits that are ordered as the numbers are; a NaN is beyond all, and -0.0 is 0.0.
    bits = x.to(tl.int{bits}, bitcast=True)
    bits = tl.where(x == 0, 0, tl.where(x != x, 0x{largest:X}, bits))
    return bits ^ ((bits >> {bits - 1}) & 0x{largest:X})
"""


def _total(name: str, bits: int) -> str:
    """Bits of floats as a signed integer that is ordered as they are."""
    return f"""\
@triton.jit
def {name}(x):
    # Ordered by sign, exponent and fraction, a NaN with a sign before every number.
    bits = x.to(tl.int{bits}, bitcast=True)
    return bits ^ ((bits >> {bits - 1}) & 0x{2 ** (bits - 1) - 1:X})
"""


# The text of each helper function, by its name.
HELPERS: dict[str, str] = {
    "floordiv": """\
@triton.jit
def floordiv(a, b):
    # Of sizes, which are not negative.
    return a // b
""",
    "nan_max": """\
@triton.jit
def nan_max(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
""",
    "nan_min": """\
@triton.jit
def nan_min(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
""",
    "product": """\
@triton.jit
def product(a, b):
    return a * b
""",
    "bits_and": """\
@triton.jit
def bits_and(a, b):
    return a & b
""",
    "bits_or": """\
@triton.jit
def bits_or(a, b):
    return a | b
""",
    **{name: _extremum(name, m.extremum) for name, m in MONOIDS.items() if m.extremum},
    "latest": """\
@triton.jit
def latest(i, a, j, b):
    # The value with the larger place.
    take = j > i
    return tl.where(take, j, i), tl.where(take, b, a)
""",
    "ordered_f32": _ordered("ordered_f32", 32),
    "ordered_f64": _ordered("ordered_f64", 64),
    "total_f32": _total("total_f32", 32),
    "total_f64": _total("total_f64", 64),
    "ordered_u32": """\
@triton.jit
def ordered_u32(x):
    return x.to(tl.int32, bitcast=True) ^ -0x80000000
""",
    "ordered_u64": """\
@triton.jit
def ordered_u64(x):
    return x.to(tl.int64, bitcast=True) ^ -0x8000000000000000
""",
    "welford": """\
@triton.jit
def welford(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    count = count_a + count_b
    away = mean_b - mean_a
    share = tl.where(count > 0, count_b / count, 0)
    # 0; NaN where one of them is infinite, and stays the mean.
    lost = (mean_a - mean_a) + (mean_b - mean_b)
    mean = tl.where(lost == 0, mean_a + away * share, mean_a + mean_b)
    return mean, squares_a + squares_b + away * away * count_a * share + lost, count
""",
    "complex_product": """\
@triton.jit
def complex_product(real_a, imaginary_a, real_b, imaginary_b):
    real = real_a * real_b - imaginary_a * imaginary_b
    return real, real_a * imaginary_b + imaginary_a * real_b
""",
    "online_softmax": """\
@triton.jit
def online_softmax(max_a, sum_a, max_b, sum_b):
    # One of the two factors e^(a - maximum) and e^(b - maximum) is 1.
    ratio = tl.where(max_a == max_b, 1.0, tl.exp(-tl.abs(max_a - max_b)))
    total = tl.where(max_b > max_a, sum_a * ratio + sum_b, sum_a + sum_b * ratio)
    return tl.maximum(max_a, max_b, propagate_nan=tl.PropagateNan.ALL), total
""",
    "atomic_maximum": """\
@triton.jit
def atomic_maximum(pointer, value, mask, INT: tl.constexpr, UINT: tl.constexpr):
    # Bits of floats without a sign are in order, those with one against it. A NaN stays; without
    # its sign it is beyond infinity.
    there = tl.load(pointer, mask=mask, other=0)
    mask = mask & (there == there)
    bits = value.to(UINT, bitcast=True)
    bits = tl.where(value == value, bits, (bits << 1) >> 1)
    signed = bits.to(INT, bitcast=True)
    place, above = pointer.to(tl.pointer_type(INT), bitcast=True), mask & (signed >= 0)
    tl.atomic_max(place, signed, mask=above, sem="relaxed")
    place, below = pointer.to(tl.pointer_type(UINT), bitcast=True), mask & (signed < 0)
    tl.atomic_min(place, bits, mask=below, sem="relaxed")
""",
    "atomic_minimum": """\
@triton.jit
def atomic_minimum(pointer, value, mask, INT: tl.constexpr, UINT: tl.constexpr):
    # Bits of floats without a sign are in order, those with one against it. A NaN stays; with all
    # its bits set it is below minus infinity.
    there = tl.load(pointer, mask=mask, other=0)
    mask = mask & (there == there)
    signed = value.to(INT, bitcast=True)
    signed = tl.where(value == value, signed, -1)
    place, above = pointer.to(tl.pointer_type(INT), bitcast=True), mask & (signed >= 0)
    tl.atomic_min(place, signed, mask=above, sem="relaxed")
    place, below = pointer.to(tl.pointer_type(UINT), bitcast=True), mask & (signed < 0)
    tl.atomic_max(place, signed.to(UINT, bitcast=True), mask=below, sem="relaxed")
""",
    "atomic_product": """\
@triton.jit
def atomic_product(pointer, value, mask, start, INT: tl.constexpr):
    # Whoever finds the element as it was read writes the product; the others try again with what
    # they found. Where nothing is to be done, an element is swapped for itself.
    place = tl.where(mask, pointer, start).to(tl.pointer_type(INT), bitcast=True)
    old = tl.load(place, volatile=True)
    waiting = (old == old) & mask
    while tl.max(waiting.to(tl.int32)) > 0:
        new = (old.to(value.dtype, bitcast=True) * value).to(INT, bitcast=True)
        found = tl.atomic_cas(place, old, tl.where(waiting, new, old), sem="relaxed")
        waiting = waiting & (found != old)
        old = found
""",
    "cube_root": """\
@triton.jit
def cube_root(x):
    size = tl.abs(x)
    y = tl.exp2(tl.log2(size) * (1 / 3))
    # One step of Newton's method takes the error from 1e-6 to the last bit.
    y = y - (y - size / (y * y)) * (1 / 3)
    return tl.where((x == 0) | (size == float("inf")), x, tl.where(x < 0, -y, y))
""",
    "integer_power": """\
@triton.jit
def integer_power(x, n, BITS: tl.constexpr, SIGNED: tl.constexpr):
    y, base, rest = x * 0 + 1, x, n
    for _ in tl.static_range(BITS):
        y = tl.where((rest & 1) != 0, y * base, y)
        base = base * base
        rest = rest >> 1
    if SIGNED:
        # A negative power is 0, but of 1 and -1.
        inverse = tl.where(x == 1, 1, tl.where(x == -1, tl.where((n & 1) != 0, -1, 1), 0))
        y = tl.where(n < 0, inverse, y)
    return y
""",
    "integer_quotient": """\
@triton.jit
def integer_quotient(a, b, SIGNED: tl.constexpr):
    # A processor leaves open what x / 0 is, and the least number / -1: all bits, and wrapped.
    if SIGNED:
        whole = a // tl.where((b == 0) | (b == -1), 1, b)
        return tl.where(b == 0, -1, tl.where(b == -1, 0 - a, whole))
    return tl.where(b == 0, b * 0 - 1, a // tl.where(b == 0, 1, b))
""",
    "integer_rest": """\
@triton.jit
def integer_rest(a, b, SIGNED: tl.constexpr):
    # As for a quotient: x and 0.
    one = (b == 0) | (b == -1) if SIGNED else b == 0
    rest = a % tl.where(one, 1, b)
    return tl.where(b == 0, a, rest)
""",
}
