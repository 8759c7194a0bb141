"""Random bits in numpy: the ciphers on arrays of words, one row for each counter."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, SeveralRule
from compiler_core.ir.graph import Operation

_LOW = np.uint64(0xFFFF_FFFF)
_WORD = np.uint64(32)


def _threefry(key: int, counters: Array) -> Array:
    """(n, 2) words of 32 bits, in 64-bit integers that are masked after each step."""
    first, second = key & 0xFFFF_FFFF, key >> 32
    keys = [first, second, first ^ second ^ 0x1BD11BDA]
    x, y = counters & _LOW, counters >> _WORD
    x, y = (x + np.uint64(keys[0])) & _LOW, (y + np.uint64(keys[1])) & _LOW
    rotations = [13, 15, 26, 6, 17, 29, 16, 24]
    for number in range(20):
        distance = rotations[number % 8]
        x = (x + y) & _LOW
        y = ((y << np.uint64(distance)) | (y >> np.uint64(32 - distance))) & _LOW
        y ^= x
        if number % 4 == 3:
            group = number // 4 + 1
            x = (x + np.uint64(keys[group % 3])) & _LOW
            y = (y + np.uint64(keys[(group + 1) % 3] + group)) & _LOW
    return np.stack([x, y], 1)


def _philox(key: int, counters: Array) -> Array:
    """(n, 4) words of 32 bits, in 64-bit integers, for counters (n, 4)."""
    words = list(counters.T)
    keys = [key & 0xFFFF_FFFF, key >> 32]
    for _ in range(10):
        left, right = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [
            (right >> _WORD) ^ words[1] ^ np.uint64(keys[0]), right & _LOW,
            (left >> _WORD) ^ words[3] ^ np.uint64(keys[1]), left & _LOW,
        ]  # fmt: skip
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    return np.stack(words, 1)


def _of_threefry(key: int, start: int, shape: tuple[int, ...], bits: int) -> tuple[int, Array]:
    """The number of counters used, and the elements in u64."""
    if bits == 64 or not shape:
        pairs = _threefry(key, _counters(start, int(np.prod(shape))))
        whole = pairs[:, 0] | (pairs[:, 1] << _WORD)
        return len(pairs), (whole if bits == 64 else pairs[:, 0]).reshape(shape)
    at = next((d for d, size in enumerate(shape) if size % 2 == 0), int(np.argmax(shape)))
    half = (*shape[:at], -(-shape[at] // 2), *shape[at + 1 :])
    pairs = _threefry(key, _counters(start, int(np.prod(half))))
    words = np.empty((*half[:at], 2 * half[at], *half[at + 1 :]), np.uint64)
    for number, part in enumerate(pairs.T):
        words[(*[slice(None)] * at, slice(number, None, 2))] = part.reshape(half)
    return len(pairs), words[(*[slice(None)] * at, slice(shape[at]))]


def _of_philox(key: int, start: int, shape: tuple[int, ...], bits: int) -> tuple[int, Array]:
    count = int(np.prod(shape))
    used = -(-count // (2 if bits == 64 else 4))
    low = _counters(start, used)
    high = np.uint64(key) + (low < np.uint64(start)).astype(np.uint64)
    words = _philox(key, np.stack([low & _LOW, low >> _WORD, high & _LOW, high >> _WORD], 1))
    if bits == 64:
        words = words[:, ::2] | (words[:, 1::2] << _WORD)
    return used, words.reshape(-1)[:count].reshape(shape)


def _counters(start: int, count: int) -> Array:
    return np.uint64(start) + np.arange(count, dtype=np.uint64)


def _rng_bit_generator(operation: Operation, state: Array) -> list[Array]:
    key, start = map(int, state)
    (_, bits), make = operation.types, _of_threefry
    if operation["algorithm"] == "PHILOX":
        make = _of_philox
    used, drawn = make(key, start, bits.sizes, bits.dtype.bits)
    after = np.array([key, (start + used) % 2**64], np.uint64)
    return [after, drawn.astype(f"u{bits.dtype.bytes}")]


SEVERAL: dict[str, SeveralRule] = {"rng_bit_generator": _rng_bit_generator}
