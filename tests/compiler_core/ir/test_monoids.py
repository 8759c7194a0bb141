"""The laws of the table of monoids, and what its tuples mean."""

import numpy as np
import pytest

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import F64, I32, U8

TUPLES = [name for name, m in MONOIDS.items() if len(m.components) > 1]
WITH_INDEX = [name for name in TUPLES if "index" in MONOIDS[name].components]


def elements(name: str, count: int = 200) -> tuple[np.ndarray, ...]:
    """`count` combined values: of the floats' tuples, each of several elements."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal(count)
    if name in WITH_INDEX:
        return np.where(x > 1, np.nan, np.round(x)), rng.permutation(count)
    if name == "latest":
        return rng.permutation(count), x
    if name == "welford":
        return x, rng.random(count), rng.integers(0, 4, count).astype(float)
    return x, rng.random(count)


def some(a, at):
    return tuple(x[at] for x in a)


@pytest.mark.parametrize("name", TUPLES)
def test_combination_is_associative_and_commutative(name):
    combine, all_ = MONOIDS[name].combine, elements(name, 300)
    a, b, c = (some(all_, slice(i, None, 3)) for i in range(3))
    left, right = combine(combine(a, b), c), combine(a, combine(b, c))
    for one, other in zip((*left, *combine(a, b)), (*right, *combine(b, a)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TUPLES)
def test_identity_changes_nothing(name):
    m, a = MONOIDS[name], elements(name)
    if name == "welford":
        a = some(a, a[2] > 0)
    nothing = tuple(np.full(a[0].shape, x) for x in m.identity(F64))
    for one, other in zip((*m.combine(a, nothing), *m.combine(nothing, a)), (*a, *a), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", TUPLES)
def test_identity_with_itself_is_itself(name):
    m = MONOIDS[name]
    nothing = tuple(np.full(3, x) for x in m.identity(F64))
    for one, other in zip(m.combine(nothing, nothing), nothing, strict=True):
        np.testing.assert_array_equal(one, other)


def combined(name, elements):
    result = tuple(np.array([x]) for x in MONOIDS[name].identity(F64))
    for element in zip(*elements, strict=True):
        result = MONOIDS[name].combine(result, tuple(np.array([x]) for x in element))
    return [x.item() for x in result]


@pytest.mark.parametrize(
    "name, place", [("argmax", 1), ("argmax_last", 4), ("argmin", 0), ("argmin_last", 3)]
)
def test_extremum_stands_at_its_first_or_last_place(name, place):
    x = np.array([-2.0, 5.0, 1.0, -2.0, 5.0])
    assert combined(name, (x, np.arange(5))) == [x[place], place]


@pytest.mark.parametrize("name, place", [("argmax", 1), ("argmin", 1), ("argmax_last", 3)])
def test_nan_is_beyond_every_number(name, place):
    x = np.array([9.0, np.nan, -9.0, np.nan, 9.0])
    value, index = combined(name, (x, np.arange(5)))
    assert np.isnan(value) and index == place


def test_welford_is_mean_and_squared_distances():
    x = np.random.default_rng(1).standard_normal(1000) + 1e4
    mean, squares, count = combined("welford", (x, np.zeros(1000), np.ones(1000)))
    np.testing.assert_allclose([mean, squares / count], [x.mean(), x.var()], rtol=1e-12)
    assert count == 1000


def test_online_softmax_is_maximum_and_sum_of_exponentials():
    x = np.random.default_rng(1).standard_normal(1000) * 50
    top, total = combined("online_softmax", (x, np.ones(1000)))
    assert top == x.max()
    np.testing.assert_allclose(total, np.exp(x - x.max()).sum(), rtol=1e-12)


@pytest.mark.parametrize("dtype, least", [(I32, -(2**31)), (U8, 0), (F64, -np.inf)])
def test_largest_of_nothing_is_the_least_value(dtype, least):
    assert MONOIDS["maximum"].identity(dtype) == (least,)
