"""New values for a program's arguments, from the values that they have.

A sample is drawn, with replacement, from the argument's own elements: what was positive stays
positive, a weight keeps its scale, a probability stays one. An argument whose elements are all
the same gets a little noise, or a wrong index would not show. Of a symmetric matrix, rows and
columns change places alike: it stays symmetric, and positive definite if it was.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

# New values from the old ones and a source of random numbers.
Draw = Callable[[Any, np.random.Generator], Any]

_NOISE = 0.1
# The relative difference that float32 products leave between the two halves of a symmetric matrix.
_ROUNDING = 1e-5
# The values at which a wrong rewrite or formula shows first. Few elements get one, since a sum over
# all would be NaN otherwise.
_SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0)


def resample(values: Any, generator: np.random.Generator) -> Any:
    """A new array of the type and shape of `values`, a float array."""
    flat = values.reshape(-1)
    if flat.size == 0:
        return values.copy()
    first = flat[0]
    if bool((flat == first).all()):
        scale = _NOISE * (abs(float(first)) or 1.0)
        noise = generator.random(flat.size, dtype=np.float32) * scale
        return (flat.astype(np.float64) + noise).astype(flat.dtype).reshape(values.shape)
    if _is_symmetric(values):
        return _rearranged(values, generator)
    return flat[generator.integers(0, flat.size, flat.size)].reshape(values.shape)


def _is_symmetric(values: Any) -> bool:
    """Whether it is a matrix, or several, each of which is its own transpose but for rounding."""
    if values.ndim < 2 or values.shape[-1] != values.shape[-2] or values.shape[-1] == 1:
        return False
    rows, columns = values[..., 0, :], values[..., :, 0]  # most are seen by these not to be
    return _alike(rows, columns) and _alike(values, values.swapaxes(-1, -2))


def _alike(one: Any, other: Any) -> bool:
    size = float(np.abs(one).max())
    within = _ROUNDING * size if np.isfinite(size) else 0.0
    return bool(np.allclose(one.astype(np.float64), other.astype(np.float64), 0.0, within))


def _rearranged(values: Any, generator: np.random.Generator) -> Any:
    """Symmetric `values` in another order; where that is none, as of a unit matrix, with something
    of rank one added, which leaves it as definite."""
    order = generator.permutation(values.shape[-1])
    result = values[..., order, :][..., order]
    if not bool((result == values).all()):
        return result
    vector = generator.random(values.shape[-1]) - 0.5
    added = _NOISE * float(np.abs(values).max()) * np.outer(vector, vector)
    return (values.astype(np.float64) + added).astype(values.dtype)


def smaller(values: Any, generator: np.random.Generator) -> Any:
    """`values`, a float array, at a 128th of their size, which rounds none of them."""
    return (values * values.dtype.type(2.0**-7)).astype(values.dtype)


def with_specials(values: Any, generator: np.random.Generator) -> Any:
    """`values`, a float array, with a NaN, an infinity of each sign and a zero of each sign in
    places of their own; with some of them where it has fewer than ten elements."""
    result = values.copy()
    flat = result.reshape(-1)
    chosen = generator.permutation(len(_SPECIAL))[: (flat.size + 1) // 2]
    places = generator.permutation(flat.size)[: len(chosen)]
    flat[places] = np.asarray(_SPECIAL)[chosen].astype(values.dtype)
    return flat.reshape(values.shape)
