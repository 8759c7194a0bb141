"""What inputs of random graphs are made of."""

from collections.abc import Callable

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.types import BOOL, DType

Array = np.ndarray
_SPECIAL = (0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan)


def quarters(random: np.random.RandomState, shape: tuple[int, ...], dtype: DType) -> Array:
    """With which sums and products are exact."""
    low = 0 if dtype.kind == "uint" else -12
    whole = random.randint(low, 13, shape)
    if dtype is BOOL:
        return np.asarray(whole > 0)
    return np.asarray(whole / 4 if dtype.is_float else whole).astype(NUMPY[dtype.name])


def ones(random: np.random.RandomState, shape: tuple[int, ...], dtype: DType) -> Array:
    return np.ones(shape, NUMPY[dtype.name])


def any_number(random: np.random.RandomState, shape: tuple[int, ...], dtype: DType) -> Array:
    """No sum or product of which is exact."""
    if not dtype.is_float:
        return quarters(random, shape, dtype)
    return np.asarray(random.uniform(-2, 2, shape)).astype(NUMPY[dtype.name])


def extremes(random: np.random.RandomState, shape: tuple[int, ...], dtype: DType) -> Array:
    """NaN, infinities and zeros of both signs; the ends of an integer type."""
    if dtype is BOOL:
        return quarters(random, shape, dtype)
    some = np.array(_SPECIAL)
    if not dtype.is_float:
        info = np.iinfo(NUMPY[dtype.name])
        some = np.array([info.min, info.min + 1, 0, 1, 3, info.max - 1, info.max], info.dtype)
    return np.asarray(random.choice(some, shape)).astype(NUMPY[dtype.name])


Content = Callable[[np.random.RandomState, tuple[int, ...], DType], Array]
CONTENTS: tuple[Content, ...] = (quarters, ones, any_number, extremes)


def below(limit: int, *, beyond: bool = False, distinct: bool = False) -> Content:
    """Indices in 0 to limit - 1; `beyond`: and on either side of these; `distinct`: each once,
    which takes no more than `limit` of them."""

    def draw(random: np.random.RandomState, shape: tuple[int, ...], dtype: DType) -> Array:
        if distinct:
            found = random.permutation(limit)[: int(np.prod(shape))].reshape(shape)
        else:
            edge = limit + 2 if beyond else 0
            found = random.randint(-edge if dtype.kind == "int" else 0, max(limit, 1) + edge, shape)
        return np.asarray(found).astype(NUMPY[dtype.name])

    return draw
