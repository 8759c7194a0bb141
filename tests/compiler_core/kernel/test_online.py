"""Two passes as one: what online algorithms make of a kernel, and that it computes the same."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compiler_core.ir.types import BF16, F32
from compiler_core.kernel import text
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Compute
from compiler_core.kernel.online import online
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.triton.by_hand import at, result, tensor

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.compiler_core.plans import of_kernel, run_plan


def passes(kernel):
    return sum(any(kernel.is_tile_effect(e) for e in p.effects) for p in kernel.phases)


def printed(kernel):
    return "\n".join(line for line, _ in text.lines(kernel))


def test_softmax_over_rows(golden):
    golden(printed(online(kernels.softmax(8, 1000))))


def test_layer_norm(golden):
    golden(printed(online(kernels.layer_norm(8, 1000))))


def outputs(kernel, *inputs):
    return run_plan(of_kernel(kernel), inputs)


@pytest.mark.parametrize("make", [kernels.softmax, kernels.softmax_down])
def test_softmax_is_the_same(make):
    kernel, x = make(6, 40), np.random.default_rng(1).standard_normal((6, 40)) * 30
    assert (passes(kernel), passes(online(kernel))) == (3, 2)
    (ours,), (before,) = outputs(online(kernel), x), outputs(kernel, x)
    np.testing.assert_allclose(ours, before, rtol=1e-5)


def with_sum_stored(kernel):
    """The softmax that also writes the sum of its exponentials."""
    out = result("sum", tensor(F32, 6))
    last = kernel.phases[-1]
    store = Store("sum", at(i0=1), "s", (7,))
    return replace(
        kernel,
        buffers=(*kernel.buffers, out),
        phases=(*kernel.phases[:-1], replace(last, effects=(*last.effects, store))),
    )


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_rows_with_an_infinite_maximum_or_nan_are_the_same(special):
    kernel = with_sum_stored(kernels.softmax(6, 40))
    x = np.random.default_rng(1).standard_normal((6, 40))
    x[1, 7] = special
    x[2] = special
    for ours, before in zip(outputs(online(kernel), x), outputs(kernel, x), strict=True):
        np.testing.assert_allclose(ours, before, rtol=1e-5)


def test_layer_norm_is_the_same():
    kernel, rng = kernels.layer_norm(6, 40), np.random.default_rng(1)
    assert (passes(kernel), passes(online(kernel))) == (3, 2)
    inputs = rng.standard_normal((6, 40)) + 10, rng.standard_normal(40), rng.standard_normal(40)
    pairs = zip(outputs(online(kernel), *inputs), outputs(kernel, *inputs), strict=True)
    for ours, before in pairs:
        np.testing.assert_allclose(ours, before, rtol=1e-4, atol=1e-5)


def changed(kernel, name, **new):
    defs = tuple(replace(d, **new) if d.name == name else d for d in kernel.defs)
    return replace(kernel, defs=defs)


@pytest.mark.parametrize(
    "kernel",
    [
        changed(kernels.softmax(8, 40), "v1", args=("m", "v0")),
        changed(kernels.softmax(8, 40), "v2", op="tanh"),
        kernels.softmax(8, 40, BF16),
        changed(kernels.layer_norm(8, 40), "n", value=39.0),
        changed(kernels.layer_norm(8, 40), "dd", args=("d", "x0")),
        kernels.column_sum(8, 40),
    ],
    ids=["less x", "tanh", "rounded between", "another count", "no square", "one walk"],
)
def test_what_is_something_else_stays(kernel):
    assert online(kernel) is None


def test_a_walk_that_also_stores_stays():
    kernel = kernels.softmax(8, 40)
    middle = kernel.phases[1]
    store = Store("e", at(i0=40, r0=1), "v2", (8,))
    phases = (kernel.phases[0], replace(middle, effects=(*middle.effects, store)), kernel.phases[2])
    assert online(replace(kernel, phases=phases)) is None
    assert isinstance(kernel.definitions["v2"], Compute)
