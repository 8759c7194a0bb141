"""The conditions of seccomp filters on the arguments of calls, as libseccomp takes them."""

import ctypes
from collections.abc import Iterator, Sequence

_EQUAL, _UNEQUAL, _GREATER, _MASKED = 4, 1, 6, 7
# What the kernel looks at of an argument that is an int.
INT = 0xFFFF_FFFF


class Condition(ctypes.Structure):
    """libseccomp's scmp_arg_cmp."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def equal(argument: int, value: int) -> Condition:
    return Condition(argument, _EQUAL, value, 0)


def greater(argument: int, value: int) -> Condition:
    return Condition(argument, _GREATER, value, 0)


def unequal(argument: int, value: int) -> Condition:
    return Condition(argument, _UNEQUAL, value, 0)


def masked(argument: int, mask: int, value: int) -> Condition:
    return Condition(argument, _MASKED, mask, value)


def an_int(argument: int, value: int) -> Condition:
    """Of an argument that the kernel reads as an int, whatever stands above its 32 bits."""
    return masked(argument, INT, value)


def neither(argument: int, *patterns: tuple[int, int]) -> Iterator[Condition]:
    """Conditions one of which holds for every int that fits none of `patterns`, (value, mask) each:
    `unequal` compares what the kernel does not look at. Prefixes are divided until they are in all
    of a pattern, or in none."""

    def divided(mask: int, value: int, left: Sequence[tuple[int, int]]) -> Iterator[Condition]:
        if not left:
            yield masked(argument, mask, value)
        elif all(each & ~mask for _, each in left):
            bit = (mask ^ INT).bit_length() - 1
            for side in (0, 1 << bit):
                fit = [
                    each for each in left if not each[1] >> bit & 1 or each[0] & 1 << bit == side
                ]
                yield from divided(mask | 1 << bit, value | side, fit)

    yield from divided(0, 0, patterns)
