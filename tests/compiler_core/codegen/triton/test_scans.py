"""Scans in Triton, in registers and from block to block: its interpreter against numpy."""

from dataclasses import replace

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F16, F32, F64, I8, I64, TensorType
from compiler_core.kernel.canonicalize import flip
from compiler_core.kernel.effects import Reduce
from compiler_core.plan.choose import OnGpu
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.codegen.triton.test_tuples import WALKS, computed
from tests.compiler_core.codegen.tuples import running, running_extremum, scan_of_a_scan
from tests.compiler_core.plans import ON_GPU, replanned
from tests.sweep_plugin import crossed

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


def place_of_least(rows, columns):
    """The running minimum and its place, nothing else."""
    whole = running_extremum("argmin_last", "row", rows, columns)
    first = whole.phases[0]
    effects = tuple(e for e in first.effects if not isinstance(e, Reduce))
    buffers = tuple(b for b in whole.buffers if b.name != "total")
    return replace(whole, phases=(replace(first, effects=effects),), buffers=buffers)


LONG = {
    "sums": ("add", False), "sums backwards": ("add", True), "products": ("multiply", False),
    "greatest": ("maximum", True), "least with its place": ("argmin_last", False),
    "logarithms of sums": ("online_softmax", False),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, F32) for name in LONG), ("sums", F16)], ids=str
)
def test_a_scan_in_parts(name, dtype, interpreter_process):
    """Few long rows: the totals of parts, what is before each part, and the scan from there."""
    length = 65_536 * 4 // dtype.bytes
    assert len(ON_GPU(plan_of(long_scan(name, dtype, length)).steps[0])) == 3
    # A thousand elements in sixteen parts for the interpreter, which combines one after the other.
    graph = long_scan(name, dtype, 1024)
    given = values((1, 1024)) / 8
    if name == "products":
        given = 2 + given / 1000
    inputs = [given.astype(np.float16 if dtype is F16 else np.float32)]
    with interpreter.constants("in parts"):
        plan = replanned(plan_of(graph), OnGpu(interpreter.SMALL_GPU))
    assert len(plan.launches) == 3
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    # A product of so many rounds as often.
    tolerance = 4e-3 if dtype is F16 else 1e-3 if name == "products" else 2e-5
    for found, wanted in zip(call.result(timeout=100), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * 10)


def long_scan(name, dtype, length):
    """The scan of x / 2, and x / 2 added to the first of its results."""
    monoid, reverse = LONG[name]
    b = Builder()
    x = b.parameter(TensorType(dtype, (1, length)))
    y = b.node("multiply", x, b.scalar(0.5, dtype, x.type.shape))
    parts = [y]
    if monoid == "argmin_last":
        parts.append(b.iota(I64, x.type.shape, 1))
    elif monoid == "online_softmax":
        parts.append(b.scalar(1.0, dtype, x.type.shape))
    result = b.operation("cumulative", parts, monoid=monoid, dimension=1, reverse=reverse)
    return b.graph("f", [b.node("add", result[0], y), *result[1:]])


def test_text_of_a_scan_in_parts(golden):
    parts, _ = choose_gpu(running("add", "row", 2, 98_304), resolve("sm_90"))
    golden(emit(parts[2]).source.text)


@pytest.mark.parametrize(("kernel", "target"), crossed(
    [
        place_of_least(2, 98_304),
        running("add", "row", 2, 98_304),
        running("add", "column", 98_304, 2),
    ],
    ["gfx942", "sm_90"],
))  # fmt: skip
def test_scans_in_parts_compile(kernel, target):
    parts, _ = choose_gpu(kernel, resolve(target))
    assert len(parts) == 3
    assert all(compile_offline(emit(part), target).spills == 0 for part in parts)


def test_text_of_running_sums_of_long_rows(golden):
    (part,) = choose_gpu(running("add", "row", 4096, 100_000), resolve("sm_90"))[0]
    golden(emit(part).source.text)
