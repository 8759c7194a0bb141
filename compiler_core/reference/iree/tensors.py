"""Types as MLIR writes them: tensor<128x64xf32>, tensor<i1>."""

import math
import re

_TENSOR = re.compile(r"tensor<((?:\d+x)*)(?:complex<)?([a-z]+)(\d+)[^>]*>")
_COMPLEX = 2


def bytes_of(types: str) -> int:
    """The bytes of all tensors in a text; an i1 has one of its own."""
    return sum(map(_bytes, _TENSOR.finditer(types)))


def _bytes(found: re.Match[str]) -> int:
    sizes, _, bits = found.groups()
    count = math.prod(int(size) for size in sizes.split("x") if size)
    parts = _COMPLEX if "complex<" in found[0] else 1
    return count * parts * max(1, int(bits) // 8)
