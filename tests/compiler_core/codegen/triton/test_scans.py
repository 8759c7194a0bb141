"""Scans in Triton, in registers and from block to block: its interpreter against numpy."""

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.ir.types import F16, F64, I8, I64
from compiler_core.kernel.canonicalize import flip
from compiler_core.schedule.gpu import choose_gpu
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.triton.test_tuples import WALKS, computed
from tests.compiler_core.codegen.tuples import running, running_extremum, scan_of_a_scan

pytestmark = pytest.mark.cpu

ALONG = [name for name in WALKS if not name.startswith("whole")]


def values(shape):
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("monoid", ["add", "multiply", "maximum"])
@pytest.mark.parametrize("walk", ALONG)
def test_running_values(interpreted, walk, monoid):
    way, rows, columns = WALKS[walk][:3]
    x = values((rows, columns))
    found = computed(interpreted, running(monoid, way, rows, columns), walk, x)
    expected = tuples.running_values(monoid, x, way)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5, atol=1e-5)
    expected = tuples.running_values(monoid, 2 * x, way) - x
    np.testing.assert_allclose(found["z"], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("walk", ["row in blocks", "columns in registers"])
def test_backwards(interpreted, walk):
    way, rows, columns = WALKS[walk][:3]
    x, axis = values((rows, columns)), tuples.over(way)
    found = computed(interpreted, flip(running("add", way, rows, columns), "r0"), walk, x)
    expected = np.flip(tuples.running_values("add", np.flip(x, axis), way), axis)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("walk", ["row in registers", "row in blocks", "columns in blocks"])
def test_running_extremum_and_its_place(interpreted, walk):
    way, rows, columns = WALKS[walk][:3]
    x = tuples.with_ties((rows, columns))
    kernel = running_extremum("argmax_last", way, rows, columns)
    found = computed(interpreted, kernel, walk, x)
    np.testing.assert_array_equal(found["y"], tuples.running_values("maximum", x, way))
    np.testing.assert_array_equal(found["where"], tuples.running_places("argmax_last", x, way))
    np.testing.assert_array_equal(found["total"], x.sum(tuples.over(way)))


@pytest.mark.parametrize("walk", ["rows in registers", "row in blocks"])
def test_scan_of_a_scan(interpreted, walk):
    _, rows, columns = WALKS[walk][:3]
    x = values((rows, columns))
    found = computed(interpreted, scan_of_a_scan(rows, columns), walk, x)
    expected = tuples.running_values("maximum", x, "row").cumsum(1)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [F64, F16, I64, I8])
def test_running_sums_of_other_types(interpreted, dtype):
    kind = {"f64": "f8", "f16": "f2", "i64": "i8", "i8": "i1"}[dtype.name]
    x = np.random.default_rng(1).integers(-3, 3, (4, 30)).astype(kind)
    found = interpreted(running("add", "row", 4, 30, dtype), {"x": x})
    np.testing.assert_array_equal(found["y"], x.astype(np.float64).cumsum(1))


def test_text_of_running_sums_of_long_rows(golden):
    (part,) = choose_gpu(running("add", "row", 4096, 100_000), resolve("sm_90"))[0]
    golden(emit(part).source.text)
