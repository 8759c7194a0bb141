"""Random bits by operations of the IR: what `rng_bit_generator` computes for each element.

The ciphers are Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., "Parallel
random numbers: as easy as 1, 2, 3", 2011). The assignment of counters to elements, and the new
state, are XLA's, so that the bits equal those of jax.lax.rng_bit_generator:

    THREE_FRY  counter i gives element i of both halves of the first even dimension (else of the
               longest one); for 64-bit elements, one element
    PHILOX     counter i, of 128 bits whose high word is the key, gives four neighbours
"""

from functools import lru_cache
from math import prod

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Operation, Region, Value
from compiler_core.ir.types import U32, U64, TensorType

Words = tuple[Value, ...]

# Above the ids of any graph that it is printed in.
_FIRST_ID = 10**9

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)


@lru_cache(maxsize=64)
def _region(algorithm: str, types: tuple[TensorType, ...]) -> Region:
    b = Builder(_FIRST_ID)
    return b.region("random", types[:1], lambda state: random_bits(b, algorithm, state, types[1]))


def expansion(operation: Operation) -> Region:
    """A region from the operand of an `rng_bit_generator` to its results."""
    return _region(operation["algorithm"], operation.types)


def random_bits(b: Builder, algorithm: str, state: Value, bits: TensorType) -> tuple[Value, Value]:
    """The new state, u64[2], and random elements of the type `bits`."""
    key, counter = (_element(b, state, i) for i in range(2))
    make = _three_fry if algorithm == "THREE_FRY" else _philox
    upcast = bits if bits.dtype is U64 else bits.with_dtype(U32)
    used, drawn = make(b, key, counter, upcast)
    after = b.node("add", counter, b.scalar(used, U64))
    new = [b.reshape(x, (1,)) for x in (key, after)]
    return b.node("concatenate", *new, dimension=0), b.convert(drawn, bits.dtype)


# -- which counter makes which element


def _three_fry(b: Builder, key: Value, start: Value, bits: TensorType) -> tuple[int, Value]:
    """The number of counters, and the elements."""
    at, half = _halved(bits.sizes)
    count = bits.numel if bits.dtype is U64 else prod(half)
    counter = _words(b, _counters(b, start, count))
    words = threefry2x32(b, _words(b, key), counter)
    if bits.dtype is U64:
        return count, b.reshape(_joined(b, *words), bits.shape)
    return count, _interleaved(b, words, bits, at, half)


def _halved(shape: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The dimension that is halved, and the shape of a half."""
    if not shape:
        return 0, ()
    even = [d for d, size in enumerate(shape) if size % 2 == 0]
    at = even[0] if even else shape.index(max(shape))
    return at, (*shape[:at], -(-shape[at] // 2), *shape[at + 1 :])


def _interleaved(
    b: Builder, halves: Words, bits: TensorType, at: int, half: tuple[int, ...]
) -> Value:
    """Element 2i of dimension `at` from the first half, 2i + 1 from the second."""
    if not bits.shape:
        return b.reshape(halves[0], ())
    split = (*half[: at + 1], 1, *half[at + 1 :])
    both = b.node("concatenate", *(b.reshape(x, split) for x in halves), dimension=at + 1)
    whole = b.reshape(both, (*half[:at], 2 * half[at], *half[at + 1 :]))
    return _first(b, whole, bits.sizes)


def _philox(b: Builder, key: Value, start: Value, bits: TensorType) -> tuple[int, Value]:
    """The number of counters, and the elements."""
    each = 4 * U32.bits // bits.dtype.bits
    count = -(-bits.numel // each)
    low = _counters(b, start, count)
    high = b.broadcast(key, (count,))
    carry = b.compare(low, b.broadcast(start, (count,)), "LT")
    high = b.node("add", high, b.convert(carry, U64))
    words = philox4x32(b, _words(b, key), (*_words(b, low), *_words(b, high)))
    if bits.dtype is U64:
        words = (_joined(b, *words[:2]), _joined(b, *words[2:]))
    columns = b.node("concatenate", *(b.reshape(x, (count, 1)) for x in words), dimension=1)
    flat = _first(b, b.reshape(columns, (count * each,)), (bits.numel,))
    return count, b.reshape(flat, bits.shape)


def _counters(b: Builder, start: Value, count: int) -> Value:
    return b.node("add", b.broadcast(start, (count,)), b.iota(U64, (count,), 0))


def _first(b: Builder, x: Value, sizes: tuple[int, ...]) -> Value:
    if x.type.sizes == sizes:
        return x
    ones = (1,) * len(sizes)
    return b.node("slice", x, start=(0,) * len(sizes), limit=sizes, strides=ones)


def _element(b: Builder, x: Value, i: int) -> Value:
    return b.reshape(b.node("slice", x, start=(i,), limit=(i + 1,), strides=(1,)), ())


# -- ciphers


def threefry2x32(b: Builder, key: Words, counter: Words) -> Words:
    """Two words of each counter, u32 of one shape; the key's are scalars or of that shape."""
    shape = counter[0].type.shape
    first, second = (b.broadcast(k, shape) for k in key)
    keys = (first, second, _xor(b, _xor(b, first, second), _constant(b, _PARITY, first)))
    x, y = _add(b, counter[0], keys[0]), _add(b, counter[1], keys[1])
    for group in range(5):
        for distance in _ROTATIONS[group % 2]:
            x = _add(b, x, y)
            y = _xor(b, _rotated(b, y, distance), x)
        x = _add(b, x, keys[(group + 1) % 3])
        y = _add(b, y, _add(b, keys[(group + 2) % 3], _constant(b, group + 1, y)))
    return x, y


def philox4x32(b: Builder, key: Words, counter: Words) -> Words:
    """Four words of each counter, u32 of one shape; the key's two are scalars."""
    shape = counter[0].type.shape
    keys = [b.broadcast(k, shape) for k in key]
    for number in range(10):
        (high0, low0), (high1, low1) = (
            _product(b, counter[i], m) for i, m in zip((0, 2), _MULTIPLIERS, strict=True)
        )
        raised = [
            _add(b, k, _constant(b, number * w % 2**32, k))
            for k, w in zip(keys, _WEYL, strict=True)
        ]
        counter = (
            _xor(b, _xor(b, high1, counter[1]), raised[0]), low1,
            _xor(b, _xor(b, high0, counter[3]), raised[1]), low0,
        )  # fmt: skip
    return counter


def _rotated(b: Builder, x: Value, distance: int) -> Value:
    """Rotation to the left."""
    left = b.node("shift_left", x, _constant(b, distance, x))
    right = b.node("shift_right_logical", x, _constant(b, U32.bits - distance, x))
    return b.node("or", left, right)


def _product(b: Builder, x: Value, factor: int) -> Words:
    """The high and the low word of a product."""
    upcast = b.convert(x, U64)
    low, high = _words(b, b.node("multiply", upcast, _constant(b, factor, upcast)))
    return high, low


def _words(b: Builder, x: Value) -> Words:
    """A u64 as two u32, low word first."""
    high = b.node("shift_right_logical", x, _constant(b, U32.bits, x))
    return b.convert(x, U32), b.convert(high, U32)


def _joined(b: Builder, low: Value, high: Value) -> Value:
    upcast = b.convert(high, U64)
    return b.node("or", b.convert(low, U64), b.node("shift_left", upcast, _constant(b, 32, upcast)))


def _constant(b: Builder, value: int, like: Value) -> Value:
    return b.scalar(value, like.type.dtype, like.type.shape)


def _add(b: Builder, x: Value, y: Value) -> Value:
    return b.node("add", x, y)


def _xor(b: Builder, x: Value, y: Value) -> Value:
    return b.node("xor", x, y)
