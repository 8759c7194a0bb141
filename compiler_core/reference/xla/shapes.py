"""Types in HLO's notation: f32[8,16]{1,0}, (f32[2]{0}, s32[])."""

import math
import re

_ARRAY = re.compile(
    r"(?P<dtype>[a-z]\w*)\[(?P<sizes>(?:(?:<=)?\d+,?)*)\](?:\{(?P<layout>[^}]*)\})?"
)
_BITS = {"pred": 8, "token": 0, "opaque": 0, "c64": 64, "c128": 128}


def bytes_of(type_: str) -> int:
    """The total bytes of the arrays in a type."""
    return sum(_bytes(m["dtype"], m["sizes"]) for m in _ARRAY.finditer(type_))


def _bytes(dtype: str, sizes: str) -> int:
    count = math.prod(int(s.removeprefix("<=")) for s in sizes.split(",") if s)
    width = re.search(r"\d+", dtype)
    bits = _BITS.get(dtype, int(width[0]) if width else 0)
    return -(-count * bits // 8)


def layout_of(type_: str) -> str:
    """The order of an array's dimensions in memory, minor to major: "1,0". "" for other types, and
    without a layout."""
    found = _ARRAY.fullmatch(type_)
    return (found["layout"] or "").split(":")[0] if found else ""


def without_layout(type_: str) -> str:
    """A type without its layout: f32[8,16] for f32[8,16]{1,0}."""
    return re.sub(r"\{[^}]*\}", "", type_)
