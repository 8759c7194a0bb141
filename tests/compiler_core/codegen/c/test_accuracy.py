"""How far generated C is from float64: within the bound of the way it sums, and near eager."""

from math import prod

import numpy as np
import pytest
import torch

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F32
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.sums import COLUMN_RUN, ROW_BLOCK
from tests.compiler_core.codegen.c.graphs import kernels_of, reduction, run, tensor_type
from tests.sweep_plugin import crossed, thinned

pytestmark = pytest.mark.cpu

EPS = float(np.finfo(np.float32).eps)


def uneven(*shape):
    """Of both signs and many sizes, so that digits are lost on the way."""
    rng = np.random.default_rng(4)
    return (rng.standard_normal(shape) * 10.0 ** rng.uniform(-3, 3, shape)).astype(np.float32)


def cumulative(shape, dimension, reverse=False):
    b = Builder()
    x = b.parameter(tensor_type(shape, F32))
    result = b.node("cumulative", x, monoid="add", dimension=dimension, reverse=reverse)
    return b.graph("cumulative", [result])


SUMS = {
    "rows": ((40, 20_000), 1, ROW_BLOCK),
    "columns": ((20_000, 300), 0, COLUMN_RUN),
    "split": ((1, 1 << 20), 1, ROW_BLOCK),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_is_within_the_bound_of_its_blocks(name):
    """f32 over a block, f64 over the blocks: the error of a sum of n numbers, one after the other,
    is at most n eps times the sum of their sizes, and n is the block's."""
    shape, axis, block = SUMS[name]
    graph, x = reduction(shape, (axis,), "add"), uneven(*shape)
    (kernel,) = kernels_of(graph)
    assert choose_cpu(kernel)[0].strategy == name
    upcast = x.astype(np.float64)
    error = np.abs(run(graph, [x])[0] - upcast.sum(axis))
    assert (error <= block * EPS * np.abs(upcast).sum(axis)).all()


# Rows by columns: of eight rows together, one by one, far apart, and under several outer axes.
EQUAL = {
    "rows": lambda n: ((64, n), (1,)),
    "rows in pieces": lambda n: ((2, n // 40, 40), (1, 2)),
    "columns": lambda n: ((n, 64), (0,)),
    "an odd number of columns' rows": lambda n: ((n + 1, 61), (0,)),
    "columns of far rows": lambda n: ((n, 640), (0,)),
    "columns of several axes": lambda n: ((n // 40, 3, 40, 24), (0, 2)),
    "split": lambda n: ((1, 20 * n), (1,)),
}


@pytest.mark.parametrize("n", [200, 1_000, 10_000])
@pytest.mark.parametrize("name", EQUAL)
def test_a_sum_of_equal_numbers_is_off_by_a_few_units(name, n):
    """All of its additions are rounded the same way: what a mean is off by is all that a constant
    channel's standard deviation is made of. Eager's are off by up to 8 units in the last place."""
    shape, axes = EQUAL[name](n)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape)]
    x = np.random.default_rng(n).uniform(1, 2, kept).astype(np.float32) + np.zeros(shape, "f4")
    exact = x.astype(np.float64).sum(axes)
    units = np.abs(run(reduction(shape, axes, "add"), [x])[0] - exact) / np.spacing(
        exact.astype("f4")
    )
    assert units.max() <= 10


SCANS = {
    "rows": ((40, 20_000), 1), "columns": ((20_000, 300), 0), "split": ((1, 1 << 20), 1),
}  # fmt: skip


@pytest.mark.parametrize(("name", "reverse"), crossed(SCANS, [False, True]))
def test_running_sums_are_rounded_once(name, reverse):
    """f64 all the way, as in eager: what is left is the last rounding."""
    shape, axis = SCANS[name]
    graph, x = cumulative(shape, axis, reverse), uneven(*shape)
    (kernel,) = kernels_of(graph)
    assert choose_cpu(kernel)[0].strategy == name
    turned = np.flip(x, axis) if reverse else x
    exact = turned.astype(np.float64).cumsum(axis)
    exact = np.flip(exact, axis) if reverse else exact
    error = np.abs(run(graph, [x])[0] - exact)
    # f64's own error counts where a running sum comes back to zero.
    assert (error <= EPS / 2 * np.abs(exact) + 1e-9 * np.abs(x).max()).all()


def test_running_sums_are_as_accurate_as_eager():
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 100_000)).astype(np.float32)
    exact = x.astype(np.float64).cumsum(1)
    eager = torch.from_numpy(x).cumsum(1).numpy()
    ours = run(cumulative(x.shape, 1), [x])[0]
    assert np.abs(ours - exact).max() <= 2 * np.abs(eager - exact).max()


def variance(shape: tuple[int, int], axes: tuple[int, ...]) -> Graph:
    b = Builder()
    x = b.parameter(tensor_type(shape, F32))
    total = b.reduce(x, "add", axes, True)
    n = prod(shape[axis] for axis in axes)
    count = b.scalar(float(n), F32, total.type.shape)
    centred = b.node("subtract", x, b.broadcast(b.node("divide", total, count), shape))
    squares = b.reduce(b.node("multiply", centred, centred), "add", axes, True)
    return b.graph("variance", [b.node("divide", squares, count)])


@pytest.mark.parametrize(
    ("shape", "axes", "monoid"),
    [
        ((8, 50_000), (1,), "add"),
        ((2, 4_400_003), (1,), "welford"),
        ((2200, 2001), (0, 1), "welford"),
    ],
    ids=["rows", "long rows", "whole"],
)
@pytest.mark.parametrize("away", thinned([0, 1000], kept=(1000,)))
def test_a_variance_is_as_accurate_as_eager(shape, axes, monoid, away):
    """In two passes, and in one of what is longer than the cache: a sum of squares, or a mean that
    goes on from element to element in f32, would lose the digits of the mean."""
    x = (np.random.default_rng(1).standard_normal(shape) + away).astype(np.float32)
    graph = variance(shape, axes)
    (kernel,) = kernels_of(graph)
    assert {e.monoid for e in kernel.reductions.values()} == {monoid}
    ours = run(graph, [x])[0].ravel()
    exact = x.astype(np.float64).var(axes).ravel()
    eager = torch.from_numpy(x).var(axes, correction=0).numpy().ravel()
    worst = max(2 * np.abs(eager / exact - 1).max(), 4 * EPS)
    assert np.abs(ours / exact - 1).max() <= worst
