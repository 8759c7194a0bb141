"""JSON in gzip, put into another JSON without being unpacked.

A gzip stream is a row of blocks between a head and the checksum of all that is in them. Blocks that
end at a byte, and refer to nothing before them, can stand in any row (RFC 1951, 1952); of the
checksums of two texts that of both is computed without reading either. Two gzip streams after each
other would be simpler, but browsers read the first alone.
"""

import zlib

_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
# The end of what `packed` makes: its blocks end at a byte, and an empty one says that it was the
# last. Then come the checksum and the length.
_EMPTY = b"\x03\x00"
_LAST = b"\x00\x00\xff\xff" + _EMPTY
_TRAILER_BYTES = 8
# So much of the end is looked at.
END_BYTES = len(_LAST) + _TRAILER_BYTES
# The polynomial of the checksum, its lowest power at the left.
_POLYNOMIAL = 0xEDB88320


def packed(text: bytes, level: int) -> bytes:
    """`text` in gzip, such that its blocks can stand in another stream."""
    by = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return by.compress(text) + by.flush(zlib.Z_FULL_FLUSH) + by.flush()


def is_joinable(end: bytes) -> bool:
    """Whether what ends so is from `packed`."""
    return end[:-_TRAILER_BYTES].endswith(_LAST)


def unpacked_bytes(end: bytes) -> int:
    """How long the text is of a gzip stream that ends so."""
    return int.from_bytes(end[-4:], "little")


class Around:
    """What stands before and after the blocks of a packed text with this `end`, for `before`, the
    text and `after` to be one gzip stream. The blocks are at `inner` of the packed bytes."""

    def __init__(self, before: bytes, end: bytes, after: bytes) -> None:
        crc, length = int.from_bytes(end[-8:-4], "little"), unpacked_bytes(end)
        both = joined_crc(zlib.crc32(before), crc, length)
        whole = joined_crc(both, zlib.crc32(after), len(after))
        size = (len(before) + length + len(after)) % 2**32
        self.before = _HEAD + _blocks(before, zlib.Z_FULL_FLUSH)
        trailer = whole.to_bytes(4, "little") + size.to_bytes(4, "little")
        self.after = _blocks(after, zlib.Z_FINISH) + trailer

    @staticmethod
    def inner(packed_bytes: int) -> range:
        """Where the blocks are that are not the last."""
        return range(len(_HEAD), packed_bytes - _TRAILER_BYTES - len(_EMPTY))


def joined_crc(first: int, second: int, second_bytes: int) -> int:
    """The CRC-32 of two texts after each other: that of the first is what it would be with as many
    zeros behind it, which is a multiplication."""
    return _times(_power(8 * second_bytes), first) ^ second


def _blocks(text: bytes, end: int) -> bytes:
    by = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return by.compress(text) + by.flush(end)


def _times(a: int, b: int) -> int:
    """The product of two polynomials, by the remainder of _POLYNOMIAL."""
    product = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product


def _power(exponent: int) -> int:
    """x to this power."""
    result, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            result = _times(result, square)
        square = _times(square, square)
        exponent >>= 1
    return result
