"""Reductions of tuples in C, in every strategy: rows, columns, split, and whole."""

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.ir.types import BOOL, F16, F64, I32, I64, U8
from compiler_core.schedule.cpu.choice import choose_cpu
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.c.graphs import run_kernel as run
from tests.compiler_core.codegen.tuples import extremum, mixed, of_floats
from tests.compiler_core.plans import of_kernel

pytestmark = pytest.mark.cpu

# Rows and columns: lanes that divide the walk, that leave a rest, and too few for any.
SIZES = {
    "rows": ("row", 9, 128), "rows with a rest": ("row", 9, 1001), "short rows": ("row", 50, 7),
    "columns": ("column", 70, 130), "split": ("full", 300, 301), "split rows": ("row", 2, 70_001),
    "one walk of two axes": ("full", 5, 33),
}  # fmt: skip


@pytest.mark.parametrize("monoid", ["argmax", "argmin", "argmax_last", "argmin_last"])
@pytest.mark.parametrize("size", SIZES)
def test_extremum_and_its_place(size, monoid):
    way, rows, columns = SIZES[size]
    kernel = extremum(monoid, way, rows, columns)
    assert choose_cpu(kernel)[0].strategy == {"columns": "columns"}.get(
        size, "split" if size.startswith("split") else "rows"
    )
    x = tuples.with_ties((rows, columns))
    values, where = run(kernel, x)
    np.testing.assert_array_equal(where, tuples.place_of_extremum(monoid, x, way))
    extreme = x.max if "max" in monoid else x.min
    np.testing.assert_array_equal(values, extreme(tuples.over(way)))


@pytest.mark.parametrize("monoid", ["argmax", "argmin_last"])
@pytest.mark.parametrize("size", ["rows with a rest", "short rows", "columns", "split rows"])
def test_nan_is_the_extremum(size, monoid):
    way, rows, columns = SIZES[size]
    x = tuples.with_ties((rows, columns))
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    values, where = run(extremum(monoid, way, rows, columns), x)
    np.testing.assert_array_equal(where, tuples.place_of_extremum(monoid, x, way))
    assert np.isnan(values).any()


@pytest.mark.parametrize("size", ["rows with a rest", "columns", "split"])
@pytest.mark.parametrize("monoid", ["argmax", "argmin"])
def test_extremum_among_identities_is_the_first(size, monoid):
    way, rows, columns = SIZES[size]
    x = np.full((rows, columns), -np.inf if monoid == "argmax" else np.inf, np.float32)
    assert not run(extremum(monoid, way, rows, columns), x)[1].any()


@pytest.mark.parametrize("dtype", [F64, F16, I64, I32, U8, BOOL])
def test_extremum_of_other_types(dtype):
    x = tuples.with_ties((20, 300)).astype({"f16": np.float16}.get(dtype.name, np.float64))
    x = x.astype(
        {"f64": "f8", "f16": "f2", "i64": "i8", "i32": "i4", "u8": "u1", "bool": "?"}[dtype.name]
    )
    values, where = run(extremum("argmax", "row", 20, 300, dtype, I64), x)
    np.testing.assert_array_equal(where, x.argmax(1))
    np.testing.assert_array_equal(values, x.max(1))


# Welford's error in short rows and columns is that of the running mean, which is 1000 deviations
# from zero here; sums of squares would lose all but one digit.
TOLERANCE = {"welford": 3e-4, "online_softmax": 2e-5}


def agrees(size, monoid, numbers, tolerance):
    way, rows, columns = SIZES[size]
    x = numbers((rows, columns))
    expected = tuples.values_of_floats(monoid, x, way)
    for ours, exact in zip(run(of_floats(monoid, way, rows, columns), x), expected, strict=True):
        np.testing.assert_allclose(ours, exact, rtol=tolerance)


@pytest.mark.parametrize("monoid", TOLERANCE)
@pytest.mark.parametrize("size", SIZES)
def test_tuple_of_floats(size, monoid):
    agrees(size, monoid, tuples.spread, TOLERANCE[monoid])


@pytest.mark.parametrize("size", SIZES)
def test_a_product_of_complex_numbers(size):
    way, rows, columns = SIZES[size]
    x = tuples.with_half_turns((rows, columns))
    expected = tuples.values_of_floats("complex_product", x, way)
    found = run(of_floats("complex_product", way, rows, columns), x)
    for ours, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, exact, atol=2e-3)


@pytest.mark.parametrize("size", [s for s in SIZES if s != "split rows"])
def test_the_mean_of_an_infinity_is_infinite(size):
    agrees(size, "welford", tuples.with_infinities, 3e-4)


@pytest.mark.parametrize("size", ["rows with a rest", "split", "split rows"])
def test_a_mean_and_squares_by_blocks_have_the_digits_of_two_passes(size):
    agrees(size, "welford", tuples.spread, 2e-6)


@pytest.mark.parametrize("size", ["rows with a rest", "split rows"])
def test_the_text_of_a_mean_and_squares(golden, size):
    text = c.emit(of_kernel(of_floats("welford", *SIZES[size]))).source.text
    golden(text[text.index("// row:") :])


def test_online_softmax_of_masked_out_elements():
    x = np.full((3, 1000), -np.inf, np.float32)
    x[1, 700] = 2
    top, total = run(of_floats("online_softmax", "row", 3, 1000), x)
    assert list(top) == [-np.inf, 2, -np.inf] and total[1] == 1


def test_tuples_and_single_values_in_one_walk():
    x = np.random.default_rng(1).standard_normal((40, 1000)).astype(np.float32)
    x[3, 500] = np.nan
    top, total, least, where = run(mixed(40, 1000), x)
    y = x + np.float32(1)
    np.testing.assert_array_equal(top, y.max(1))
    np.testing.assert_array_equal(least, y.min(1))
    np.testing.assert_array_equal(where, y.argmin(1))
    np.testing.assert_allclose(total, y.astype(np.float64).sum(1), rtol=1e-5)
