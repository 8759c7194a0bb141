"""Windows over an array, as strided slices: element i of every window at once."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from compiler_core.ir.eval_numpy.values import Array

Sizes = Sequence[int]


def spread(x: Array, gaps: Sizes, low: Sizes, high: Sizes, value: Any) -> Array:
    """`x` with gap - 1 elements `value` between its own, and padded with `value`; negative padding
    crops."""
    widths = [(size - 1) * gap + 1 if size else 0 for size, gap in zip(x.shape, gaps, strict=True)]
    dilated = np.full(widths, value, x.dtype)
    dilated[tuple(slice(None, None, gap) for gap in gaps)] = x
    edges = list(zip(low, high, strict=True))
    added = [(max(0, a), max(0, b)) for a, b in edges]
    padded = np.pad(dilated, added, constant_values=value) if edges else dilated
    # What was added may be cropped as well: an element before and one less after is one.
    sides = zip(edges, padded.shape, strict=True)
    return padded[tuple(slice(max(0, -a), max(0, size + min(0, b))) for (a, b), size in sides)]


def slices(
    counts: Sizes, window: Sizes, strides: Sizes, dilation: Sizes
) -> Iterator[tuple[slice, ...]]:
    """For each position within a window, in order, the slice that selects it in all of `counts`
    windows."""
    dims = list(zip(counts, strides, dilation, strict=True))
    for place in product(*map(range, window)):
        firsts = [o * apart for o, (_, _, apart) in zip(place, dims, strict=True)]
        yield tuple(
            slice(first, first + (count - 1) * stride + 1 if count else first, stride)
            for first, (count, stride, _) in zip(firsts, dims, strict=True)
        )
