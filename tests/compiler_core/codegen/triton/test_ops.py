"""Every elementwise operation has a Triton text that means what the operation means."""

import math

import numpy as np
import pytest

from compiler_core.codegen.triton import ops as triton_ops
from compiler_core.codegen.triton.emit import emit
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.ir import ops
from compiler_core.ir.types import BOOL, F16, F32, F64, I8, I32, I64, U32
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.targets import TARGETS, resolve
from tests.compiler_core.codegen.triton import kernels
from tests.sweep_plugin import thinned

erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)


def inverse_erf(y: np.ndarray) -> np.ndarray:
    x = np.zeros_like(y)
    for _ in range(60):
        x = x - (erf(x) - y) * math.sqrt(math.pi) / 2 * np.exp(x * x)
    return x


# Operation -> its meaning in float64, for operands in (-0.95, 0.95); "+" means positive ones.
UNARY = {
    "abs": np.abs, "negate": np.negative, "sign": np.sign, "floor": np.floor, "ceil": np.ceil,
    "round_nearest_even": np.rint, "cbrt": np.cbrt, "exponential": np.exp,
    "round_nearest_afz": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "exponential_minus_one": np.expm1, "log_plus_one": np.log1p, "tanh": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)), "sine": np.sin, "cosine": np.cos, "tan": np.tan,
    "erf": erf, "erfc": erfc, "erf_inv": inverse_erf,
}  # fmt: skip
POSITIVE = {"sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "log": np.log}
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum, "remainder": np.fmod, "atan2": np.arctan2,
}  # fmt: skip
COMPARE = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal,
    "GT": np.greater, "GE": np.greater_equal,
}  # fmt: skip
INTEGER = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "divide": lambda a, b: np.trunc(a / b), "remainder": np.fmod,
}  # fmt: skip


def test_every_elementwise_operation_has_a_row():
    assert set(triton_ops.RULES) == ops.ELEMENTWISE


def operands(numel: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(11)
    return {name: random.uniform(-0.95, 0.95, numel).astype(np.float32) for name in "abc"}


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-7)


@pytest.mark.cpu
@pytest.mark.parametrize("op", UNARY | POSITIVE)
def test_unary(interpreted, op):
    x = operands(50)
    x = {name: np.abs(v) + 0.01 for name, v in x.items()} if op in POSITIVE else x
    y = interpreted(kernels.each({op: (1, F32)}, F32, 50), x)["y0"]
    close(y, (UNARY | POSITIVE)[op](x["a"].astype(np.float64)))


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_zeros_have_the_other_sign_when_they_are_negated(interpreted, dtype):
    x = np.array([0.0, -0.0, np.inf, 2.0], {F32: np.float32, F64: np.float64}[dtype])
    y = interpreted(kernels.each({"negate": (1, dtype)}, dtype, 4), {"a": x, "b": x, "c": x})["y0"]
    assert np.array_equal(y, -x) and list(np.signbit(y)) == [True, False, True, True]


@pytest.mark.cpu
def test_binary(interpreted):
    x = operands(50)
    found = interpreted(kernels.each(dict.fromkeys(BINARY, (2, F32)), F32, 50), x)
    for number, meaning in enumerate(BINARY.values()):
        close(found[f"y{number}"], meaning(x["a"].astype(np.float64), x["b"].astype(np.float64)))


@pytest.mark.cpu
def test_power(interpreted):
    x = operands(50)
    x["a"] = np.abs(x["a"])
    y = interpreted(kernels.each({"power": (2, F32)}, F32, 50), x)["y0"]
    close(y, x["a"].astype(np.float64) ** x["b"])


@pytest.mark.cpu
def test_compare(interpreted):
    x = {name: np.round(v * 3) for name, v in operands(50).items()}
    x["a"][3] = math.nan
    rows = {f"compare.{direction}": (2, BOOL) for direction in COMPARE}
    found = interpreted(kernels.each(rows, F32, 50), x)
    for number, meaning in enumerate(COMPARE.values()):
        np.testing.assert_array_equal(found[f"y{number}"], meaning(x["a"], x["b"]))


@pytest.mark.cpu
def test_integers(interpreted):
    random = np.random.default_rng(5)
    x = {name: random.integers(-99, 99, 60).astype(np.int32) for name in "abc"}
    x["b"][x["b"] == 0] = 7
    found = interpreted(kernels.each(dict.fromkeys(INTEGER, (2, I32)), I32, 60), x)
    for number, meaning in enumerate(INTEGER.values()):
        np.testing.assert_array_equal(found[f"y{number}"], meaning(x["a"], x["b"]))


@pytest.mark.cpu
@pytest.mark.parametrize("op", ["floor", "ceil", "round_nearest_even", "round_nearest_afz"])
def test_rounding_leaves_integers_as_they_are(interpreted, op):
    x = {name: np.arange(-20, 20, dtype=np.int32) for name in "abc"}
    kernel = kernels.each({op: (1, I32)}, I32, 40)
    np.testing.assert_array_equal(interpreted(kernel, x)["y0"], x["a"])
    compile_offline(emit(choose_gpu(kernel, resolve("sm_90"))[0][0]), "sm_90")


@pytest.mark.cpu
def test_integer_power(interpreted):
    x = {name: np.arange(40, dtype=np.int64) % 9 for name in "abc"}
    y = interpreted(kernels.each({"power": (2, I64)}, I64, 40), x)["y0"]
    np.testing.assert_array_equal(y, x["a"] ** x["b"])


@pytest.mark.cpu
def test_shifts_past_the_end_lose_every_bit(interpreted):
    a = np.array([-7, 9, -1, 5, -8, 2**30], np.int32)
    x = {"a": a, "b": np.array([1, 2, 31, 32, 40, 1], np.int32), "c": a}
    shifts = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
    found = interpreted(kernels.each(dict.fromkeys(shifts, (2, I32)), I32, 6), x)
    unsigned = [v % 2**32 for v in a.tolist()]
    shift = x["b"].tolist()
    left = [(u << s) % 2**32 if s < 32 else 0 for u, s in zip(unsigned, shift, strict=True)]
    right = [u >> s for u, s in zip(unsigned, shift, strict=True)]
    np.testing.assert_array_equal(found["y0"].astype(np.uint32), left)
    np.testing.assert_array_equal(
        found["y1"], [v >> s for v, s in zip(a.tolist(), shift, strict=True)]
    )
    np.testing.assert_array_equal(found["y2"].astype(np.uint32), right)


@pytest.mark.cpu
def test_clamp_takes_its_bounds_around_the_value(interpreted):
    low, x, high = np.float32([0, 0, 0]), np.float32([-1, 0.5, 3]), np.float32([1, 1, 1])
    rows = {"clamp": (3, F32)}
    found = interpreted(kernels.each(rows, F32, 3), {"a": low, "b": x, "c": high})
    np.testing.assert_array_equal(found["y0"], [0, 0.5, 1])


@pytest.mark.cpu
def test_not_and_is_finite(interpreted):
    flags = np.array([True, False, True])
    found = interpreted(kernels.each({"not": (1, BOOL)}, BOOL, 3), dict.fromkeys("abc", flags))
    np.testing.assert_array_equal(found["y0"], ~flags)
    x = np.float32([1, math.inf, math.nan])
    found = interpreted(kernels.each({"is_finite": (1, BOOL)}, F32, 3), dict.fromkeys("abc", x))
    np.testing.assert_array_equal(found["y0"], [True, False, False])


@pytest.mark.cpu
def test_select(interpreted):
    flags = np.array([True, False, True])
    found = interpreted(
        kernels.each({"select": (3, BOOL)}, BOOL, 3), {"a": flags, "b": ~flags, "c": flags}
    )
    np.testing.assert_array_equal(found["y0"], [False, False, False])


@pytest.mark.parametrize(
    "source, target, text",
    [
        (F32, F64, "x.to(tl.float64)"),
        (F16, F32, "x"),
        (F32, F16, "x.to(tl.float16).to(tl.float32)"),
        (F16, BOOL, "x != 0"),
        (BOOL, F32, "x.to(tl.float32)"),
        (I8, I32, "x.to(tl.int32)"),
        (F32, I64, "x.to(tl.int64)"),
        (U32, U32, "x"),
    ],
)
def test_convert(source, target, text):
    assert triton_ops.convert("x", source, target) == text


@pytest.mark.cpu
@pytest.mark.parametrize("target", thinned(TARGETS, kept=("sm_90", "gfx942")))
def test_every_operation_compiles(target):
    rows = dict.fromkeys(UNARY | POSITIVE, (1, F32)) | dict.fromkeys(BINARY, (2, F32))
    rows |= {"power": (2, F32), "compare.LT": (2, BOOL), "is_finite": (1, BOOL), "clamp": (3, F32)}
    whole = dict.fromkeys(INTEGER, (2, I32)) | {"power": (2, I32), "not": (1, I32)}
    whole |= {op: (2, I32) for op in ops.ELEMENTWISE if op.startswith("shift")}
    for kernel in (kernels.each(rows, F32, 256), kernels.each(whole, I32, 256)):
        ((part,), _) = choose_gpu(kernel, resolve(target))
        compiled = compile_offline(emit(part), target)
        assert compiled.binary
