"""The inline functions are as accurate as their comments say, and right at the ends."""

import ctypes
import re
import subprocess

import numpy as np
import pytest
from scipy import special

from compiler_core.codegen.c import emit as c
from compiler_core.codegen.c import mathematics as c_math
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, F16, F32, F64, TensorType
from compiler_core.runtime import gcc
from tests.compiler_core.codegen.c.graphs import plan_of, run_together

pytestmark = pytest.mark.cpu

MEANINGS = {
    "exponential": np.exp, "exponential_minus_one": np.expm1, "log": np.log,
    "log_plus_one": np.log1p, "tanh": np.tanh, "logistic": special.expit, "erf": special.erf,
    "erf_inv": special.erfinv,
}  # fmt: skip
# f64's are the C library's, which promises 4.
ULPS = {
    "exponential": 1, "exponential_minus_one": 2, "log": 1, "log_plus_one": 2, "tanh": 3,
    "logistic": 3, "erf": 4, "erf_inv": 4,
}  # fmt: skip


def arguments() -> np.ndarray:
    """Every exponent, and the ranges where the functions are curved."""
    random = np.random.default_rng(7)
    bits = random.integers(0, 2**32, 60_000, dtype=np.uint64).astype(np.uint32)
    near = [random.uniform(-s, s, 30_000) for s in (0.01, 1, 5, 20, 105)]
    ends = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 88.72, 88.73, -103.97, -104, 1e-45, -1e-45]
    with np.errstate(invalid="ignore"):
        return np.concatenate([bits.view(np.float32), *near, ends]).astype(np.float32)


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    x, graphs = arguments(), []
    for op in MEANINGS:
        b = Builder()
        graphs.append(b.graph(op, [b.node(op, b.parameter(TensorType(F32, x.shape)))]))
    result = run_together(graphs, [[x]] * len(graphs))
    return {op: y for op, (y,) in zip(MEANINGS, result, strict=True)}


@pytest.mark.parametrize("op", MEANINGS)
def test_error_is_within_the_bound(op, results):
    x, y = arguments(), results[op]
    with np.errstate(all="ignore"):
        exact = MEANINGS[op](x.astype(np.float64))
        rounded = exact.astype(np.float32)
        np.testing.assert_array_equal(np.isnan(y), np.isnan(rounded))
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(y[~finite], rounded[~finite])
        ulps = np.abs(y[finite] - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    worst = int(ulps.argmax())
    assert ulps[worst] <= ULPS[op], f"{op}({x[finite][worst]}) is {ulps[worst]} ulp off"


def test_a_remainder_is_exact_whatever_the_quotient():
    random = np.random.default_rng(11)
    bits = random.integers(0, 2**32, (2, 60_000), dtype=np.uint64).astype(np.uint32)
    ends = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, 3e38, 2**24 + 1], np.float32)
    near = random.integers(-40, 40, (2, 1000)) * np.float32(0.1)
    pairs = [bits.view(np.float32), near, np.stack([np.repeat(ends, 10), np.tile(ends, 10)])]
    x, y = (np.concatenate([p[i] for p in pairs], dtype=np.float32) for i in (0, 1))
    b = Builder()
    types = [b.parameter(TensorType(F32, x.shape)) for _ in "xy"]
    ((found,),) = run_together([b.graph("rem", [b.node("remainder", *types)])], [[x, y]])
    with np.errstate(all="ignore"):
        exact = np.fmod(x, y)
    np.testing.assert_array_equal(found, exact)
    numbers = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(exact)[numbers])


def test_a_sine_and_a_cosine_of_one_angle_are_in_vectors(tmp_path):
    if "-lmvec" not in gcc.library_flags():
        pytest.skip("the C library has no vectors of these")
    b = Builder()
    x = b.parameter(TensorType(F32, (1024,)))
    both = b.graph("turn", [b.node("sine", x), b.node("cosine", x)])
    file = tmp_path / "turn.c"
    file.write_text(c.emit(plan_of(both)).source.text)
    flags = [f for f in gcc.FLAGS if f != "-shared"]
    command = [gcc.find_compiler(), *flags, "-S", "-o", "-", str(file)]
    made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"_ZGV\w+_(\w+)", made)) == {"sinf", "cosf"}


def test_what_a_mask_hides_underflows_nowhere():
    libm, underflow = ctypes.CDLL("libm.so.6"), 0x10
    x = np.array([-104.5, -1e9, -np.inf, 0, 1, -80] * 16, np.float32)
    b = Builder()
    graph = b.graph("exp", [b.node("exponential", b.parameter(TensorType(F32, x.shape)))])
    libm.feclearexcept(underflow)
    ((y,),) = run_together([graph], [[x]])
    assert not libm.fetestexcept(underflow)
    np.testing.assert_array_equal(y == 0, x < -104)


def test_a_comment_states_each_bound():
    for text in c_math.HELPERS.values():
        name = re.search(r"float (\w+)_f32\(float x\)", text)
        stated = re.search(r"Within (\d) ulp", text)
        if name and stated:
            ops = {"exp": "exponential", "expm1": "exponential_minus_one", "log1p": "log_plus_one"}
            assert ULPS[ops.get(name[1], name[1])] == int(stated[1])


def test_erf_and_tanh_never_leave_their_range(results):
    for op in ("erf", "tanh"):
        y = results[op][~np.isnan(results[op])]
        assert np.abs(y).max() == 1


def test_f64_functions_are_accurate_to_f64():
    x = np.random.default_rng(3).uniform(-0.999, 0.999, 5000)
    graphs = []
    for op in MEANINGS:
        b = Builder()
        v = b.parameter(TensorType(F64, x.shape))
        graphs.append(b.graph(op, [b.node(op, b.node("abs", v) if op == "log" else v)]))
    for op, (y,) in zip(MEANINGS, run_together(graphs, [[x]] * len(graphs)), strict=True):
        exact = MEANINGS[op](np.abs(x) if op == "log" else x)
        np.testing.assert_allclose(y, exact, rtol=2e-15, err_msg=op)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_16_bit_floats_are_rounded_to_nearest_even(dtype):
    x, every = arguments(), np.arange(2**16, dtype=np.uint16).view(NUMPY[dtype.name])
    graphs = []
    for source, target, n in ((F32, dtype, len(x)), (dtype, F32, len(every))):
        b = Builder()
        graphs.append(b.graph("f", [b.convert(b.parameter(TensorType(source, (n,))), target)]))
    (downcast,), (upcast,) = run_together(graphs, [[x], [every]])
    with np.errstate(all="ignore"):
        rounded = x.astype(downcast.dtype).astype(np.float32)
        np.testing.assert_array_equal(downcast.astype(np.float32), rounded)
        np.testing.assert_array_equal(upcast, every.astype(np.float32))


def test_a_truth_becomes_a_number_by_a_select():
    b = Builder()
    x = b.parameter(TensorType(F32, (100,)))
    number = b.convert(b.compare(x, b.node("abs", x), "EQ"), F32)
    summed = b.graph("share", [b.reduce(b.node("multiply", number, x), "add", (0,))])
    text = c.emit(plan_of(summed)).source.text
    assert "(float)" not in text and "? 1.0f : 0.0f" in text
