"""Scans in C: along rows, down columns, one long row shared by the threads; both directions."""

from functools import cache

import numpy as np
import pytest
import torch

from compiler_core.codegen.c import emit as c
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F64, I8, I32, I64
from compiler_core.kernel.canonicalize import flip
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.choice import choose_cpu
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.c import graphs
from tests.compiler_core.codegen.c.graphs import from_torch, tensor_type, to_torch
from tests.compiler_core.codegen.c.graphs import run_kernel as run
from tests.compiler_core.codegen.tuples import running, running_extremum, scan_of_a_scan
from tests.compiler_core.plans import of_kernel

pytestmark = pytest.mark.cpu

# Strategy, and how the input is walked.
SIZES = {
    "rows": ("rows", "row", 9, 128), "short rows": ("rows", "row", 50, 3),
    "long rows": ("rows", "row", 9, 9001), "columns": ("columns", "column", 70, 130),
    "tall columns": ("columns", "column", 1000, 130), "one row": ("split", "row", 1, 100_001),
    "few rows": ("split", "row", 3, 40_960),
}  # fmt: skip


def values(shape, monoid):
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    return 1 + x * np.float32(1e-4) if monoid == "multiply" else x


@pytest.mark.parametrize("monoid", ["add", "maximum", "minimum"])
@pytest.mark.parametrize("size", SIZES)
def test_running_values(size, monoid):
    strategy, way, rows, columns = SIZES[size]
    kernel = running(monoid, way, rows, columns)
    assert choose_cpu(kernel)[0].strategy == strategy
    x = values((rows, columns), monoid)
    y, z = run(kernel, x)
    np.testing.assert_allclose(y, tuples.running_values(monoid, x, way), rtol=1e-5, atol=2e-5)
    expected = tuples.running_values(monoid, 2 * x, way) - x
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=4e-5)


def test_running_products():
    x = values((9, 9001), "multiply")
    y, _ = run(running("multiply", "row", 9, 9001), x)
    np.testing.assert_allclose(y, tuples.running_values("multiply", x, "row"), rtol=2e-6)


@pytest.mark.parametrize("size", ["rows", "columns", "one row"])
def test_backwards(size):
    _, way, rows, columns = SIZES[size]
    x = values((rows, columns), "add")
    y, _ = run(flip(running("add", way, rows, columns), "r0"), x)
    axis = tuples.over(way)
    expected = np.flip(tuples.running_values("add", np.flip(x, axis), way), axis)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("size", SIZES)
def test_nan_stays_from_where_it_is(size):
    _, way, rows, columns = SIZES[size]
    x = values((rows, columns), "maximum")
    x[rows // 2, columns // 2] = np.nan
    y, _ = run(running("maximum", way, rows, columns), x)
    np.testing.assert_array_equal(y, tuples.running_values("maximum", x, way))


@pytest.mark.parametrize("monoid", ["argmax_last", "argmin"])
@pytest.mark.parametrize("size", ["rows", "columns", "one row"])
def test_running_extremum_and_its_place(size, monoid):
    _, way, rows, columns = SIZES[size]
    x = tuples.with_ties((rows, columns))
    y, where, total = run(running_extremum(monoid, way, rows, columns), x)
    single = "maximum" if monoid.startswith("argmax") else "minimum"
    np.testing.assert_array_equal(y, tuples.running_values(single, x, way))
    np.testing.assert_array_equal(where, tuples.running_places(monoid, x, way))
    np.testing.assert_array_equal(total, x.sum(tuples.over(way)))


def place_so_far(shape, monoid, reverse=False):
    """The running extremum and the last place where it stands."""
    b = Builder()
    x = b.parameter(tensor_type(shape))
    operands = [x, b.iota(I64, shape, 1)]
    results = b.operation("cumulative", operands, monoid=monoid, dimension=1, reverse=reverse)
    return b.graph("place_so_far", results)


@cache
def places_so_far(shape, monoid):
    return cpu.build(graphs.plan_of(place_so_far(shape, monoid)))


@pytest.mark.parametrize("monoid", ["argmax_last", "argmin_last"])
@pytest.mark.parametrize("shape", [(9, 1001), (2, 70_001), (30, 128)], ids=str)
@pytest.mark.parametrize("order", ["any", "rising", "falling", "equal", "nan late", "nan first"])
def test_blocks_without_a_new_extremum_are_stored_as_it_is(order, shape, monoid):
    x = tuples.with_ties(shape)
    match order:
        case "rising":
            x = np.sort(x)
        case "falling":
            x = -np.sort(-x)
        case "equal":
            x[:] = 3
        case "nan late":
            x[:, 100] = x[:, -20] = np.nan
        case "nan first":
            x[:, 0] = np.nan
    running = torch.cummax if monoid == "argmax_last" else torch.cummin
    values, places = places_so_far(shape, monoid)([to_torch(x)])
    wanted = running(torch.from_numpy(x), 1)
    np.testing.assert_array_equal(from_torch(values), wanted.values.numpy())
    np.testing.assert_array_equal(from_torch(places), wanted.indices.numpy())


def test_text_of_a_running_extremum_and_its_place(golden):
    text = c.emit(graphs.plan_of(place_so_far((64, 1001), "argmax_last"))).source.text
    golden(text[text.index("// row:") :])


@pytest.mark.parametrize("rows, strategy", [(1, "rows"), (40, "rows")])
def test_scan_of_a_scan(rows, strategy):
    kernel = scan_of_a_scan(rows, 9001)
    assert choose_cpu(kernel)[0].strategy == strategy
    x = values((rows, 9001), "add")
    (y,) = run(kernel, x)
    expected = tuples.running_values("maximum", x, "row").cumsum(1)
    np.testing.assert_allclose(y, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [F64, I64, I32, I8])
@pytest.mark.parametrize("monoid", ["add", "maximum"])
def test_running_values_of_other_types(dtype, monoid):
    kind = {"f64": "f8", "i64": "i8", "i32": "i4", "i8": "i1"}[dtype.name]
    x = np.random.default_rng(1).integers(-9, 9, (20, 300)).astype(kind)
    y, _ = run(running(monoid, "row", 20, 300, dtype), x)
    np.testing.assert_array_equal(y, tuples.ACCUMULATE[monoid].accumulate(x, 1, dtype=kind))


def test_text_of_running_sums(golden):
    golden(c.emit(of_kernel(running("add", "row", 64, 100_000))).source.text)


def test_text_of_one_long_row(golden):
    golden(c.emit(of_kernel(running_extremum("argmax_last", "row", 1, 100_000))).source.text)


NOTHING_READ = """
graph f(%0: i32[2], %1: i32[2], %2: i32[]) {
  %3 = cumulative(%0) {monoid = maximum, dimension = 0, reverse = True} : i32[2]
  %4 = add(%0, %1) : i32[2]
  %5 = dynamic_update_slice(%3, %4, %2) : i32[2]
  return %5
}
"""


def test_running_values_that_are_all_written_over():
    inputs = [np.array(x, np.int32) for x in ([1, 2], [3, 4], 1)]
    (result,) = graphs.run(parse(NOTHING_READ), inputs)
    assert result.tolist() == [4, 6]
