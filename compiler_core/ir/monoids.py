"""The table of monoids: how reductions and scans combine values, which may be tuples.

A monoid has one component (a sum) or several (value and index for an arg-max). `combine` is
associative and commutative, for floats up to rounding, and `identity` is its neutral element. The C
and Triton texts are tables under codegen/, keyed by the same names.

Sources. `online_softmax`, the pair (maximum, sum of exponentials): Milakov and Gimelshein, "Online
normalizer calculation for softmax" (2018). `welford`, the triple (mean, sum of squared deviations
from the mean, count): Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for
computing sample variances" (1979).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from compiler_core.ir.types import BOOL, DType

Scalar = float | int | bool
Array = np.ndarray[Any, np.dtype[Any]]
Arrays = tuple[Array, ...]

# An index greater than any, the identity of the smaller index: a kernel has fewer elements along
# its axes.
NO_INDEX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Extremum:
    """Which element an arg-max or arg-min keeps: the largest or the smallest, and of equal ones
    the first or the last."""

    largest: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Monoid:
    """One row. `components` names the parts of a value: one for a sum, two for an arg-max.
    `identity(dtype)` returns the neutral element, a number for each component, where `dtype` is
    that of the first; `combine(a, b)` takes and returns one array for each component. `of_bools`
    names the monoid to use for bools instead, "" if this one suits them; `extremum` says which
    element an arg-max or arg-min keeps; `rounds`: combining many f32 loses digits, so that long
    reductions are combined in f64."""

    components: tuple[str, ...]
    identity: Callable[[DType], tuple[Scalar, ...]]
    combine: Callable[[Arrays, Arrays], Arrays]
    of_bools: str = ""
    extremum: Extremum | None = None
    rounds: bool = False


def for_dtype(name: str, dtype: DType) -> str:
    """The monoid `name` for values of `dtype`: for bools, `and` or `or` in place of arithmetic
    ones."""
    return (dtype is BOOL and MONOIDS[name].of_bools) or name


def _plain(
    identity: Callable[[DType], Scalar],
    function: Callable[[Array, Array], Array],
    bools: str = "",
    *,
    rounds: bool = False,
) -> Monoid:
    def combine(a: Arrays, b: Arrays) -> Arrays:
        return (function(a[0], b[0]),)

    return Monoid(("value",), lambda t: (identity(t),), combine, bools, rounds=rounds)


# -- identities


def _number(value: int) -> Callable[[DType], Scalar]:
    """0 or 1 as the type has it."""
    return lambda t: float(value) if t.is_float else bool(value) if t is BOOL else value


def _bits(dtype: DType) -> Scalar:
    return -1 if dtype.kind == "int" else _greatest(dtype)


def _least(dtype: DType) -> Scalar:
    if dtype.is_float:
        return -math.inf
    if dtype is BOOL:
        return False
    return 0 if dtype.kind == "uint" else -(2 ** (dtype.bits - 1))


def _greatest(dtype: DType) -> Scalar:
    if dtype.is_float:
        return math.inf
    if dtype is BOOL:
        return True
    return 2 ** (dtype.bits - (dtype.kind == "int")) - 1


# -- (value, index)


def _indexed(kept: Extremum) -> Monoid:
    """The extremum with where it stands. A NaN is beyond every number, as torch and XLA have
    it."""
    limit, none = _least if kept.largest else _greatest, -1 if kept.last else NO_INDEX

    def combine(a: Arrays, b: Arrays) -> Arrays:
        (x, i), (y, j) = a, b
        beyond = (y > x) if kept.largest else (y < x)
        beyond |= np.isnan(y) & ~np.isnan(x)
        equal = (y == x) | (np.isnan(y) & np.isnan(x))
        take = beyond | (equal & ((j > i) if kept.last else (j < i)))
        return np.where(take, y, x), np.where(take, j, i)

    return Monoid(("value", "index"), lambda t: (limit(t), none), combine, extremum=kept)


def _latest(a: Arrays, b: Arrays) -> Arrays:
    """The value with the larger place, which no other has."""
    (i, x), (j, y) = a, b
    return np.maximum(i, j), np.where(j > i, y, x)


# -- of floats


def _welford(a: Arrays, b: Arrays) -> Arrays:
    (mean, squares, count), (mean_b, squares_b, count_b) = a, b
    total = count + count_b
    share = np.divide(count_b, total, out=np.zeros_like(total), where=total != 0)
    with np.errstate(invalid="ignore", over="ignore"):
        # 0; NaN where one of them is infinite, and stays the mean.
        lost = (mean - mean) + (mean_b - mean_b)
        away = mean_b - mean
        moved = np.where(lost == 0, mean + away * share, mean + mean_b)
        return moved, squares + squares_b + away * away * count * share + lost, total


def _complex_product(a: Arrays, b: Arrays) -> Arrays:
    (re, im), (re_b, im_b) = a, b
    with np.errstate(invalid="ignore", over="ignore"):
        return re * re_b - im * im_b, re * im_b + im * re_b


def _online_softmax(a: Arrays, b: Arrays) -> Arrays:
    (top_a, sum_a), (top_b, sum_b) = a, b
    top = np.maximum(top_a, top_b)
    return top, sum_a * _exponential(top_a, top) + sum_b * _exponential(top_b, top)


def _exponential(x: Array, top: Array) -> Array:
    """e^(x - top); 1 where both are the same infinity, whose difference is no number."""
    with np.errstate(invalid="ignore"):
        return np.where(x == top, 1.0, np.exp(x - top))


MONOIDS: dict[str, Monoid] = {
    "add": _plain(_number(0), np.add, "or", rounds=True),
    "multiply": _plain(_number(1), np.multiply, "and", rounds=True),
    "maximum": _plain(_least, np.maximum, "or"),
    "minimum": _plain(_greatest, np.minimum, "and"),
    "and": _plain(_bits, np.bitwise_and),
    "or": _plain(_number(0), np.bitwise_or),
    "argmax": _indexed(Extremum(largest=True, last=False)),
    "argmin": _indexed(Extremum(largest=False, last=False)),
    "argmax_last": _indexed(Extremum(largest=True, last=True)),
    "argmin_last": _indexed(Extremum(largest=False, last=True)),
    "latest": Monoid(("place", "value"), lambda t: (-1, 0), _latest),
    "welford": Monoid(("mean", "squares", "count"), lambda t: (0.0, 0.0, 0.0), _welford),
    "complex_product": Monoid(("real", "imaginary"), lambda t: (1.0, 0.0), _complex_product),
    "online_softmax": Monoid(("maximum", "sum"), lambda t: (-math.inf, 0.0), _online_softmax),
}
