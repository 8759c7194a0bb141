"""Reductions of tuples in Triton, in every strategy: Triton's interpreter against numpy."""

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.ir.types import BOOL, F16, I64, U8
from compiler_core.schedule.gpu.parts import in_parts
from compiler_core.schedule.gpu.schedule import GpuSchedule
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.tuples import deep, extremum, mixed, of_floats
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

# How a kernel is walked: strategy, and the points and elements of a tile.
WALKS = {
    "row in registers": ("row", 3, 50, "persistent", 1, 64),
    "rows in registers": ("row", 6, 13, "persistent", 4, 16),
    "row in blocks": ("row", 3, 50, "looped", 1, 16),
    "columns in registers": ("column", 13, 6, "persistent", 4, 16),
    "columns in blocks": ("column", 13, 6, "looped", 4, 4),
    "whole in blocks": ("full", 5, 10, "looped", 1, 16),
}


def schedule(kernel, strategy, points, elements):
    return (GpuSchedule(kernel, strategy, points, elements, 4, "as the test says"),)


def computed(interpreted, kernel, walk, x):
    _, _, _, strategy, points, elements = WALKS[walk]
    return interpreted(kernel, {"x": x}, schedule(kernel, strategy, points, elements))


@pytest.mark.parametrize("monoid", ["argmax", "argmin_last"])
@pytest.mark.parametrize("walk", WALKS)
def test_extremum_and_its_place(interpreted, walk, monoid):
    way, rows, columns = WALKS[walk][:3]
    x = tuples.with_ties((rows, columns))
    x[np.random.default_rng(1).random(x.shape) < 0.05] = np.nan
    found = computed(interpreted, extremum(monoid, way, rows, columns), walk, x)
    np.testing.assert_array_equal(found["where"], tuples.place_of_extremum(monoid, x, way))
    extreme = x.max if "max" in monoid else x.min
    np.testing.assert_array_equal(found["y"], extreme(tuples.over(way)))


@pytest.mark.parametrize("monoid, tolerance", [("welford", 3e-4), ("online_softmax", 2e-5)])
@pytest.mark.parametrize("walk", WALKS)
def test_tuple_of_floats(interpreted, walk, monoid, tolerance):
    way, rows, columns = WALKS[walk][:3]
    x = tuples.spread((rows, columns))
    found = computed(interpreted, of_floats(monoid, way, rows, columns), walk, x)
    expected = tuples.values_of_floats(monoid, x, way)
    for ours, exact in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(ours, exact, rtol=tolerance)


@pytest.mark.parametrize("walk", WALKS)
def test_a_product_of_complex_numbers(interpreted, walk):
    way, rows, columns = WALKS[walk][:3]
    x = tuples.with_half_turns((rows, columns))
    kernel = of_floats("complex_product", way, rows, columns)
    expected = tuples.values_of_floats("complex_product", x, way)
    for ours, exact in zip(computed(interpreted, kernel, walk, x).values(), expected, strict=True):
        np.testing.assert_allclose(ours, exact, atol=2e-3)


@pytest.mark.parametrize("walk", WALKS)
def test_the_mean_of_an_infinity_is_infinite(interpreted, walk):
    way, rows, columns = WALKS[walk][:3]
    x = tuples.with_infinities((rows, columns))
    found = computed(interpreted, of_floats("welford", way, rows, columns), walk, x)
    expected = tuples.values_of_floats("welford", x, way)
    for ours, exact in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(ours, exact, rtol=3e-4)


@pytest.mark.parametrize("dtype", [F16, I64, U8, BOOL])
def test_extremum_of_other_types(interpreted, dtype):
    x = tuples.with_ties((4, 30)) > 2 if dtype is BOOL else tuples.with_ties((4, 30))
    x = x.astype({"f16": "f2", "i64": "i8", "u8": "u1", "bool": "?"}[dtype.name])
    found = interpreted(extremum("argmax", "row", 4, 30, dtype, I64), {"x": x})
    np.testing.assert_array_equal(found["where"], x.argmax(1))
    np.testing.assert_array_equal(found["y"], x.max(1))


def test_tuples_and_single_values_in_one_walk(interpreted):
    x = np.random.default_rng(1).standard_normal((4, 30)).astype(np.float32)
    found = interpreted(mixed(4, 30), {"x": x})
    np.testing.assert_array_equal(found["where"], x.argmin(1))
    np.testing.assert_allclose(found["total"], (x + 1).sum(1), rtol=1e-5)


@pytest.mark.parametrize("length", thinned([4096, 4099], kept=(4099,)))
@pytest.mark.parametrize("monoid", ["argmax", "welford", "online_softmax"])
def test_long_rows_in_parts(interpreted, monoid, length):
    """Partial results of every component, combined by a second launch."""
    make = extremum if monoid == "argmax" else of_floats
    kernel = make(monoid, "row", 2, length)
    pieces = in_parts(kernel, kernel.reduce[0], 8)
    assert len(pieces) == 2
    parts = tuple(
        GpuSchedule(k, "looped", 1, 64, 4, "as the test says")
        for k in pieces
    )  # fmt: skip
    x = tuples.spread((2, length))
    found = list(interpreted(kernel, {"x": x}, parts).values())
    if monoid == "argmax":
        np.testing.assert_array_equal(found[1], x.argmax(1))
        return
    for ours, exact in zip(found, tuples.values_of_floats(monoid, x, "row"), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=3e-4)


def test_values_that_are_read_twice_are_visited_once():
    """Visited once for each reader, 200 such values one after the other would never end."""
    kernel = deep(200, 3, 50)
    (part,) = schedule(kernel, "persistent", 1, 64)
    assert emit(part).source.text.count(" = s") == 200
